#pragma once

/// A world in virtual time for tests: a store, an engine without threads, and a clock that moves
/// only when the test moves it. Weeks of backoff pass in milliseconds, always in the same order.
///
///   pawl::testing::World world;
///   world.stage("convert", Script{}.then(fails("503")).then(succeeds()));
///   world.reviewer("check", Reviewer("grace").approves_after(3 * 24h));
///   const auto job = world.submit(documents, items({"a", "b"}));
///   world.finish(job);
///   EXPECT_EQ(world.state(job), JobState::completed) << world.story(job);
///
/// Stages and gates without a script run their real code. Commands of a workflow file are never
/// run: a stage or gate with a command needs a script.
///
/// Mistakes in a test (a stage that does not exist, an item that was never submitted, a definition
/// with faults) are thrown as std::logic_error with a message, which every test framework shows.
/// The same holds for scripted answers and crashes that never came up: see `finish` and `unused`.
///
/// Threads: one.

#include <chrono>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pawl/runtime/engine.hpp"
#include "pawl/testing/reviewer.hpp"
#include "pawl/testing/script.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::testing {

struct WorldOptions {
  /// Opens the store with the world's clock; default: in memory. If the store already has jobs, the
  /// world continues them once their code is served.
  std::function<Result<std::shared_ptr<Store>>(const Clock&)> store;
  /// `threads` is always 0. A lease of an hour keeps the number of steps small. After a crash, this
  /// is how long it takes until the open attempts are recovered.
  EngineOptions engine = {.name = "world", .threads = 0, .lease = std::chrono::hours(1)};
  Timestamp start = Timestamp{std::chrono::seconds(1'700'000'000)};
  /// Makes `finish` throw if scripted answers were never used. Turn it off for scripts that several
  /// tests share, and call `unused` where it matters.
  bool minds_unused = true;
};

/// One attempt of a stage, as its code saw it.
struct Call {
  std::string stage;
  std::string item;  ///< "item/child" for a fan-out child; empty for a job-wide stage
  AttemptNumber attempt = 0;
  Cause cause = Cause::first;
  std::string idempotency_key;
  std::optional<Feedback> feedback;
  Json in;  ///< for a stage of a workflow file: the `in` that its command would have received
  Duration at{0};  ///< since the start of the world
};

/// The next thing that will happen by itself.
struct Upcoming {
  Duration in{0};    ///< from now
  std::string what;  ///< "attempt 2 of a/convert"
};

/// Items with these keys. Each key is also the item's data.
[[nodiscard]] std::vector<NewItem> items(std::initializer_list<std::string> keys);
/// The built program. Throws its faults.
[[nodiscard]] Program built(const WorkflowBuilder& builder);
/// The loaded workflow file. Throws its faults in the form that `pawl check` prints.
[[nodiscard]] WorkflowFile loaded(const std::filesystem::path& file);
/// The items that a workflow file names (a list, a file pattern, or the lines of a file), read
/// relative to `project` with the default params. Throws if a command would print the items: the
/// test must supply those itself.
[[nodiscard]] std::vector<NewItem> items_of(const WorkflowFile& file,
                                            const std::filesystem::path& project);

class World {
 public:
  explicit World(WorldOptions options = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // Scripts. A stage is named "stage", or "workflow/stage" if several workflows have a stage of
  // that name. The newest script is used from the next attempt on.

  /// Replaces the code of a stage. For a fan-out stage with `each` it replaces the code of the
  /// children; the split and the join stay as they are.
  void stage(const std::string& stage, Script script);
  /// Replaces a gate.
  void gate(const std::string& stage, const std::string& gate, GateScript script);
  /// Answers the reviews of a stage, or of all stages.
  void reviewer(const std::string& stage, Reviewer reviewer);
  void reviewer(Reviewer reviewer) { this->reviewer({}, std::move(reviewer)); }

  // Jobs

  JobId submit(const Program& program, std::vector<NewItem> items, const JobOptions& options = {});
  /// Parameters, budget, tolerance and parallelism come from the file unless the options set them.
  JobId submit(const WorkflowFile& file, std::vector<NewItem> items,
               const JobOptions& options = {});
  /// Provides the code for jobs that are already in the store.
  void serve(const Program& program);
  void serve(const WorkflowFile& file);

  // Time. It passes only in `pass`, `finish` and `crash`.

  [[nodiscard]] Timestamp now() const;
  /// The time since the start of the world.
  [[nodiscard]] Duration elapsed() const;
  /// Does everything that can be done now.
  void run();
  /// Lets time pass, stopping at every time at which something is due.
  void pass(Duration time);
  /// Lets time pass until the job has ended, is paused, or waits only for reviewers who will not
  /// answer; at most for `within`. Returns the state of the job then.
  ///
  /// Throws if a script names an item that no job of this world has, and, once all jobs have ended,
  /// if `unused` is not empty. So script the items of a later job only when you submit it.
  JobState finish(JobId job, Duration within = std::chrono::days(3 * 365));
  /// The earliest retry, timeout, deadline or scripted answer; none: nothing will happen by itself.
  /// Does not include a stage that waits for a rate limit.
  [[nodiscard]] std::optional<Upcoming> next();
  /// Calls a function at a later time, for example an operator who cancels in two days.
  void in(Duration time, std::function<void()> something);

  // Crashes. Nothing that a dead process does reaches the store, and none of its code runs.

  /// Kills the engine between two steps and starts another. Waits until the lease has expired and
  /// the new engine has recovered the open attempts.
  void crash();
  /// `crash_before` kills the engine when this attempt has been recorded as open and its code has
  /// not started. `crash_after` kills it when the code has finished and nothing of its result is
  /// recorded. Each happens once. Empty item, attempt 0: the first one that matches.
  void crash_before(const std::string& stage, const std::string& item = {},
                    AttemptNumber attempt = 0);
  void crash_after(const std::string& stage, const std::string& item = {},
                   AttemptNumber attempt = 0);
  [[nodiscard]] int crashes() const;

  // Results

  [[nodiscard]] Job job(JobId job);
  [[nodiscard]] JobState state(JobId job);
  [[nodiscard]] ItemState state(JobId job, const std::string& item);
  /// For a job-wide stage, `item` is empty.
  [[nodiscard]] StateKind state(JobId job, const std::string& item, const std::string& stage);
  [[nodiscard]] std::vector<Attempt> attempts(JobId job, const std::string& item,
                                              const std::string& stage);
  /// The output as downstream stages read it; null if there is none.
  [[nodiscard]] Json output(JobId job, const std::string& item, const std::string& stage);
  [[nodiscard]] std::vector<Review> open_reviews(JobId job);
  /// Every attempt whose code was started, in order; of one stage, or of all.
  [[nodiscard]] std::vector<Call> calls(const std::string& stage = {}) const;
  /// What happened, line by line, with the time since submission, and what the job is waiting for.
  [[nodiscard]] std::string story(JobId job);
  [[nodiscard]] std::string story(JobId job, const std::string& item);
  /// The scripted answers that were never used, one sentence each: items and attempts named by a
  /// script of a stage, a gate or a reviewer that never came up, and crashes that did not happen.
  [[nodiscard]] std::vector<std::string> unused();
  /// Every violated invariant of this store, one sentence each. Empty unless pawl has a bug.
  [[nodiscard]] std::vector<std::string> violations();

  [[nodiscard]] Engine& engine();
  [[nodiscard]] Store& store();
  [[nodiscard]] Records& records();

 private:
  class Backstage;
  std::unique_ptr<Backstage> backstage_;
};

}  // namespace pawl::testing
