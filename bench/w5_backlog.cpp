/// W5, the backlog: how long a claim takes beside work that cannot run now: scheduled retries and a
/// paused job. Several stores are open at once and take turns, claim by claim.

#include <array>
#include <thread>

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

constexpr std::uint32_t claim_size = 100;
constexpr std::size_t claims = 100;

/// The backlog of a store.
enum class Backlog : std::uint8_t { none, retries, paused_job, both };
constexpr std::array all_backlogs{Backlog::none, Backlog::retries, Backlog::paused_job,
                                  Backlog::both};

/// Does not wait for the disk, because only the queries could get slower.
std::shared_ptr<Store> opened(const std::filesystem::path& path) {
  return must(open_sqlite_store({.path = path, .durability = SqliteOptions::Durability::normal}),
              "a store");
}

/// Really executed: every item has failed once and is retried tomorrow.
void make_waiting_retries(const std::filesystem::path& path, std::int64_t count) {
  const std::shared_ptr<Store> store = opened(path);
  const Program program = failing_stage();
  const JobId job = submit_to(*store, program, count);
  const std::unique_ptr<Engine> engine = must(Engine::create(store), "an engine");
  engine->serve(program);
  engine->start();
  for (;;) {
    const Job seen = must(store->records().job(job), "the job");
    if (seen.stages.front()[StateKind::retry_scheduled] == count) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  engine->stop();
}

void add_paused_job(const std::filesystem::path& path, std::int64_t count) {
  const std::shared_ptr<Store> store = opened(path);
  const JobId job = submit_to(*store, chain(), count);
  must(store->act(PauseJob{.job = job}), "a pause");
}

/// One store with tasks to claim beside its backlog.
class Side {
 public:
  explicit Side(const std::filesystem::path& path)
      : store_(opened(path)),
        worker_(must(store_->enlist({.host = "localhost", .name = "w5"}), "a worker")),
        job_(submit_to(*store_, chain(), claim_size * claims)) {}

  /// Looks for lanes with work and claims 100 tasks. Returns the milliseconds.
  double claim() {
    const Stopwatch watch;
    LaneShare share{.job = job_, .lanes = {}, .max = claim_size};
    for (const LaneHead& head : must(store_->ready_lanes(), "lanes")) {
      if (head.job == job_) share.lanes.push_back({.id = head.lane, .stage = head.stage});
    }
    const Claims claimed = must(store_->claim({.worker = worker_, .shares = {share}}), "a claim");
    const double taken = watch.seconds() * 1e3;
    if (claimed.opened.size() != claim_size) give_up("a claim came back short");
    return taken;
  }
  /// Sweeps while nothing is due.
  double sweep() {
    const Stopwatch watch;
    const Swept swept = must(store_->sweep({.self = worker_}), "a sweep");
    const double taken = watch.seconds() * 1e3;
    if (swept.woken > 0) give_up("a retry woke a day early");
    return taken;
  }

 private:
  std::shared_ptr<Store> store_;
  WorkerId worker_;
  JobId job_;
};

/// Milliseconds by backlog, turn by turn.
struct Turns {
  std::array<std::array<double, claims>, all_backlogs.size()> claim{};
  std::array<std::array<double, claims>, all_backlogs.size()> sweep{};
};

Turns take_turns(const std::filesystem::path& parent, std::int64_t size) {
  const Folder folder(parent);
  const std::filesystem::path retries = folder.path() / "retries.db";
  const std::filesystem::path paused = folder.path() / "paused.db";
  const std::filesystem::path both = folder.path() / "both.db";
  make_waiting_retries(retries, size);
  std::filesystem::copy_file(retries, both);
  add_paused_job(both, size);
  add_paused_job(paused, size);

  std::array sides{Side(folder.path() / "empty.db"), Side(retries), Side(paused), Side(both)};
  Turns turns;
  for (std::size_t turn = 0; turn < claims; ++turn) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const std::size_t place = (turn + i) % sides.size();  // no side always comes first
      turns.claim[place][turn] = sides[place].claim();
      turns.sweep[place][turn] = sides[place].sweep();
    }
  }
  return turns;
}

}  // namespace

Lines w5_backlog(const Plan& plan) {
  const std::int64_t size = plan.full ? 1'000'000 : 10'000;
  const Turns turns = in_child([&] { return take_turns(plan.folder, size); });
  const auto samples = [](const auto& of_all, Backlog backlog) {
    const auto& one = of_all[static_cast<std::size_t>(backlog)];
    return std::vector<double>(one.begin(), one.end());
  };
  const auto name = [&](Backlog backlog) -> std::string {
    switch (backlog) {
      case Backlog::none:
        return "";
      case Backlog::retries:
        return count_text(size) + " waiting retries";
      case Backlog::paused_job:
        return "a paused job of " + count_text(size);
      case Backlog::both:
        return "both of " + count_text(size);
    }
    return "";
  };
  Lines lines;
  for (const Backlog backlog : {Backlog::retries, Backlog::paused_job, Backlog::both}) {
    lines.push_back({.work = "W5 " + name(backlog),
                     .figure = "claim of 100, ms",
                     .ours = samples(turns.claim, backlog),
                     .beside = "an empty store",
                     .other = samples(turns.claim, Backlog::none),
                     .bar = at_most(1.3)});
  }
  for (const Backlog backlog : {Backlog::retries, Backlog::paused_job, Backlog::both}) {
    lines.push_back({.work = "W5 " + name(backlog),
                     .figure = "sweep, ms",
                     .ours = samples(turns.sweep, backlog),
                     .beside = "an empty store",
                     .other = samples(turns.sweep, Backlog::none)});
  }
  return lines;
}

}  // namespace pawl::bench
