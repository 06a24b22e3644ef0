/// One item becomes a thousand tasks, and they become one number again.
///
/// Shows: a stage that fans out into children, each with attempts and a result of its own; a
/// tolerance for failing children; a join over them; a stage over all items (the reduce); and a
/// retry of the dead letters that runs only the two children that failed.
///
/// Run it: 06_fan_out_and_reduce [STORE]      (without STORE: in a temporary folder)

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "lesson.hpp"
#include "pawl/pawl.hpp"
#include "pawl/store/dead_letters.hpp"

namespace {

using lesson::must;
using lesson::promise;

std::int64_t number_in(const pawl::Json& object, const char* field) {
  return pawl::JsonView(object)[field].integer().value_or(0);
}

/// A warehouse whose scanner cannot read two of the labels until somebody cleans them.
class Warehouse {
 public:
  /// The item's own attempt: says which shelves there are and does no counting itself.
  static pawl::Outcome list_shelves(pawl::Context& context, std::stop_token) {
    const std::int64_t shelves = number_in(context.data(), "shelves");
    pawl::FanOut out;
    for (std::int64_t shelf = 1; shelf <= shelves; ++shelf) {
      out.children.push_back({.key = "shelf-" + std::to_string(shelf),
                              .data = pawl::Json::object({{"shelf", shelf}})});
    }
    out.summary = std::to_string(shelves) + " shelves";
    return out;
  }

  /// Runs once for every child.
  pawl::Outcome count_shelf(pawl::Context& context, std::stop_token) {
    ++counted_;
    const std::int64_t shelf = number_in(context.child()->data, "shelf");
    if (!labels_are_clean_ && (shelf == 404 || shelf == 777)) {
      return pawl::final_error("label of shelf " + std::to_string(shelf) + " cannot be read");
    }
    return pawl::Output{.json = pawl::Json::object({{"pieces", shelf % 10}})};
  }

  /// Runs when the children have ended; its output is the stage's output.
  static pawl::Outcome add_up(pawl::Context& context, std::stop_token) {
    std::int64_t pieces = 0;
    std::int64_t missing = 0;
    const auto read = context.for_each_child([&](const pawl::EndedChild& child) {
      if (child.state == pawl::StateKind::succeeded) pieces += number_in(child.output, "pieces");
      if (child.state == pawl::StateKind::failed) ++missing;
      return true;
    });
    if (!read) return pawl::retryable(read.error().text());
    return pawl::Output{.json = pawl::Json::object({{"pieces", pieces}, {"missing", missing}})};
  }

  void clean_labels() { labels_are_clean_ = true; }
  [[nodiscard]] int counted() const { return counted_; }

 private:
  std::atomic<bool> labels_are_clean_{false};
  std::atomic<int> counted_{0};
};

/// Once per job, when every item has ended: reads them page by page, however many there are.
pawl::Outcome total_stock(pawl::Context& context, std::stop_token) {
  std::int64_t pieces = 0;
  std::int64_t missing = 0;
  const auto read = context.for_each_item([&](const pawl::SettledItem& settled) {
    for (const pawl::StageOutput& output : settled.outputs) {
      pieces += number_in(output.output, "pieces");
      missing += number_in(output.output, "missing");
    }
    return true;
  });
  if (!read) return pawl::retryable(read.error().text());
  return pawl::Output{.json = pawl::Json::object({{"pieces", pieces}, {"missing", missing}})};
}

/// The output of the job-wide stage.
pawl::Json total_of(pawl::Records& records, const pawl::Workflow& workflow, const pawl::Job& job) {
  const pawl::StageIndex stage = must(workflow.require_stage("total_stock"));
  return must(records.output(pawl::task_id(job.reduce_ordinal, stage))).output;
}

void fan_out_and_reduce(const std::filesystem::path& path) {
  Warehouse warehouse;
  pawl::WorkflowBuilder build("stocktaking");
  build.stage("count", Warehouse::list_shelves)
      .each([&](pawl::Context& context, std::stop_token stop) {
        return warehouse.count_shelf(context, stop);
      })
      .join(Warehouse::add_up)
      .tolerate_failures({.count = 5});  // a few unread labels do not stop the count
  build.all_items_stage("total_stock", total_stock).needs("count");
  const pawl::Program stocktaking = must(build.build());

  const auto store = must(pawl::open_sqlite_store({.path = path}));
  const auto engine = must(pawl::Engine::create(store));
  engine->serve(stocktaking);
  engine->start();

  const pawl::JobId id = must(engine->submit(
      stocktaking.workflow(), {{.key = "north", .data = pawl::Json::object({{"shelves", 1000}})},
                               {.key = "south", .data = pawl::Json::object({{"shelves", 20}})}}));
  const pawl::Job first = must(engine->wait(id));

  const pawl::StateCounts& children = first.children.front();
  std::printf("children: %lld succeeded, %lld failed\n",
              static_cast<long long>(children[pawl::StateKind::succeeded]),
              static_cast<long long>(children[pawl::StateKind::failed]));
  for (const pawl::DeadLetter& letter :
       must(pawl::list_dead_letters(*store, {.job = id})).letters) {
    std::printf("  dead letter: %s, %s: %s\n", letter.item_key.c_str(), letter.child_key.c_str(),
                letter.error.c_str());
  }
  const pawl::Json incomplete = total_of(store->records(), stocktaking.workflow(), first);
  std::printf("total stock: %s\n", incomplete.text().c_str());
  promise(first.dead_letters == 2 && number_in(incomplete, "missing") == 2, "two shelves miss");
  promise(warehouse.counted() == 1'020, "every shelf was counted once");

  // Somebody cleans the labels and retries the dead letters. What is done stays done.
  warehouse.clean_labels();
  const auto retried = must(pawl::retry_dead_letters(
      *store, {.job = id, .all = true}, {.by = "storekeeper", .note = "labels cleaned"}));
  std::printf("\nlabels cleaned, %lld dead letters retried\n",
              static_cast<long long>(retried.done));
  const pawl::Job second = must(engine->wait(id));
  engine->stop();

  const pawl::Json complete = total_of(store->records(), stocktaking.workflow(), second);
  std::printf("shelves counted again: %d\n", warehouse.counted() - 1'020);
  std::printf("total stock: %s\n", complete.text().c_str());
  std::printf("job: %s\n", std::string(pawl::name_of(pawl::state_of(second))).c_str());
  promise(warehouse.counted() == 1'022, "only the two that failed ran again");
  promise(number_in(complete, "pieces") == 4'500 + 90 && number_in(complete, "missing") == 0,
          "join and reduce saw the whole");
  promise(pawl::state_of(second) == pawl::JobState::completed && second.dead_letters == 0,
          "nothing is left to do");
}

}  // namespace

int main(int argc, char** argv) { return lesson::run(argc, argv, fan_out_and_reduce); }
