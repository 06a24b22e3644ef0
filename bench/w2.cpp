/// W2: many one-stage items submitted in batches, then drained; with growing keys and with
/// pseudo-random keys.

#include "bench/chain.hpp"
#include "bench/limits.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

BulkSample engine_bulk(const std::filesystem::path& path, std::int64_t items, Keys keys) {
  const std::shared_ptr<Store> store = must(open_sqlite_store({.path = path}), "a store");
  const Program program = one_stage();
  BulkSample sample;
  const Watch watch(path);
  const Stopwatch time;
  const JobId job = submit_to(*store, program, items, keys);
  sample.submitted = {
      .seconds = time.seconds(), .processor = time.processor(), .executions = items};
  sample.submitted.wrote = watch.wrote();
  sample.drained = run_to_the_end(store, program, job, path);
  return sample;
}

template <class Side>
BulkSample in_a_folder(const std::filesystem::path& parent, const Side& side, std::int64_t items,
                       Keys keys) {
  const Folder folder(parent);
  return side(folder.path() / "bulk.db", items, keys);
}

/// Ends the program unless both sides write the same rows.
void check_rows(const Plan& plan) {
  constexpr std::int64_t few = 2'000;
  const auto counted = [&](const auto& side) {
    return in_child([&] {
      count_rows();
      return in_a_folder(plan.folder, side, few, Keys::sequential);
    });
  };
  const BulkSample ours = counted(engine_bulk);
  const BulkSample limit = counted(limit_bulk);
  must_be_equal("W2, submission", ours.submitted.wrote, limit.submitted.wrote);
  must_be_equal("W2, drain", ours.drained.wrote, limit.drained.wrote);
}

struct Rates {
  std::vector<double> submit;
  std::vector<double> drain;

  void add(const BulkSample& sample) {
    submit.push_back(sample.submitted.rate());
    drain.push_back(sample.drained.rate());
  }
};

}  // namespace

Lines w2(const Plan& plan) {
  const std::int64_t items = plan.full ? 200'000 : 5'000;
  check_rows(plan);
  Lines lines;
  Rates of_sequential;
  for (const Keys keys : {Keys::sequential, Keys::hashed}) {
    Rates ours;
    Rates limits;
    for (int round = 0; round < plan.rounds; ++round) {
      const auto side = [&](const auto& carry_out) {
        return in_child([&] { return in_a_folder(plan.folder, carry_out, items, keys); });
      };
      limits.add(side(limit_bulk));
      ours.add(side(engine_bulk));
    }
    const std::string work =
        "W2 " + count_text(items) + (keys == Keys::hashed ? " hashed keys" : " sequential keys");
    lines.push_back({.work = work,
                     .figure = "submit, items/s",
                     .ours = ours.submit,
                     .beside = "the same rows, bare",
                     .other = limits.submit});
    lines.push_back({.work = work,
                     .figure = "drain, items/s",
                     .ours = ours.drain,
                     .beside = "the same rows, bare",
                     .other = limits.drain});
    if (keys == Keys::sequential) {
      of_sequential = ours;
      continue;
    }
    lines.push_back({.work = work,
                     .figure = "submit, items/s",
                     .ours = ours.submit,
                     .beside = "sequential keys",
                     .other = of_sequential.submit});
    lines.push_back({.work = work,
                     .figure = "drain, items/s",
                     .ours = ours.drain,
                     .beside = "sequential keys",
                     .other = of_sequential.drain});
  }
  return lines;
}

}  // namespace pawl::bench
