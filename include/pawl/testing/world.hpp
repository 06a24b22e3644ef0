#pragma once

/// A world on virtual time: a store, an engine without threads, and a clock that moves only when
/// told to. Weeks of backoff pass in milliseconds, always in the same order.
///
///   pawl::testing::World world;
///   world.stage("convert", Script{}.then(fails("503")).then(succeeds()));
///   world.reviewer("check", Reviewer("grace").approves_after(3 * 24h));
///   const auto job = world.submit(documents, items({"a", "b"}));
///   world.finish(job);
///   EXPECT_EQ(world.state(job), JobState::completed) << world.story(job);
///
/// What has no script runs as it is; but of a workflow file no command is ever run: a stage or a
/// gate with a command needs a script.
///
/// Mistakes of a test (a stage that does not exist, an item that was never submitted, a definition
/// with faults) are thrown as std::logic_error with a sentence, which every test framework shows.
/// So is what a script said of an item, and what a crash was to hit, that never came up: see
/// `finish` and `unused`.
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
  /// Makes the store on the world's clock; default: in memory. A world that is given a store which
  /// has jobs already goes on with them once their code is served.
  std::function<Result<std::shared_ptr<Store>>(const Clock&)> store;
  /// `threads` is always 0. An hour of lease, so that weeks are few steps; it is what passes before
  /// the work of a crashed process is taken over.
  EngineOptions engine = {.name = "world", .threads = 0, .lease = std::chrono::hours(1)};
  Timestamp start = Timestamp{std::chrono::seconds(1'700'000'000)};
  /// `finish` minds what was said in vain. Off for scripts that several tests share; then ask
  /// `unused` where it matters.
  bool minds_unused = true;
};

/// One attempt of a stage as its code saw it.
struct Call {
  std::string stage;
  std::string item;  ///< "item/child" for a fan-out child; empty for a stage of the whole job
  AttemptNumber attempt = 0;
  Cause cause = Cause::first;
  std::string idempotency_key;
  std::optional<Feedback> feedback;
  Json in;         ///< of a workflow file's stage: the `in` that its command would have been given
  Duration at{0};  ///< since the world began
};

/// What happens next if nobody does anything.
struct Upcoming {
  Duration in{0};    ///< from now
  std::string what;  ///< "attempt 2 of a/convert"
};

/// Items with these keys, each its own data.
[[nodiscard]] std::vector<NewItem> items(std::initializer_list<std::string> keys);
/// The program, or what is wrong with it, thrown.
[[nodiscard]] Program built(const WorkflowBuilder& builder);
/// A workflow file, or its faults as `pawl check` shows them, thrown.
[[nodiscard]] WorkflowFile loaded(const std::filesystem::path& file);
/// The items that a file names: a list, a pattern of files or lines of one, from `project`, with
/// the default params. Items that a command would print are a mistake of the test: give them
/// yourself.
[[nodiscard]] std::vector<NewItem> items_of(const WorkflowFile& file,
                                            const std::filesystem::path& project);

class World {
 public:
  explicit World(WorldOptions options = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // The cast. A stage is named "stage", or "workflow/stage" where workflows share a name; the
  // newest script counts, from the next attempt on.

  /// Takes the place of a stage's code. Of a fan-out stage with `each` it plays the children; the
  /// split and the join stay as they are.
  void stage(const std::string& stage, Script script);
  /// Takes the place of a gate.
  void gate(const std::string& stage, const std::string& gate, GateScript script);
  /// Answers the reviews of a stage, or of all stages.
  void reviewer(const std::string& stage, Reviewer reviewer);
  void reviewer(Reviewer reviewer) { this->reviewer({}, std::move(reviewer)); }

  // Jobs

  JobId submit(const Program& program, std::vector<NewItem> items, const JobOptions& options = {});
  /// Parameters, budget, tolerance and parallelism are the file's where the options have none.
  JobId submit(const WorkflowFile& file, std::vector<NewItem> items,
               const JobOptions& options = {});
  /// Brings the code for jobs that are in the store already.
  void serve(const Program& program);
  void serve(const WorkflowFile& file);

  // Time. It passes in `pass`, `finish` and `crash`, and nowhere else.

  [[nodiscard]] Timestamp now() const;
  /// Since the world began.
  [[nodiscard]] Duration elapsed() const;
  /// Does all that can be done at this moment.
  void run();
  /// Lets time pass, stopping at every moment at which something is due.
  void pass(Duration time);
  /// Lets time pass until the job has ended, is paused, or waits only for people who will not
  /// answer; at most so long. Answers the state it is in then.
  ///
  /// A script that names an item which is nowhere in this world is a mistake of the test, and so,
  /// when all jobs have ended, is all of `unused`. What is for the items of a later job is said
  /// later.
  JobState finish(JobId job, Duration within = std::chrono::days(3 * 365));
  /// The earliest retry, timeout, deadline or scripted answer; none: nothing will happen by itself.
  /// A stage held back by a rate limit is not told.
  [[nodiscard]] std::optional<Upcoming> next();
  /// Does something at a later moment: an operator who cancels in two days.
  void in(Duration time, std::function<void()> something);

  // Crashes. Nothing that a dead process does reaches the store, and none of its code is run.

  /// Kills the engine between two steps and starts another, which takes over what was open when the
  /// lease has run out; so long is waited.
  void crash();
  /// Kills it when this attempt has been recorded and its code has not begun, or when its code is
  /// done and nothing of that is recorded. Once; item empty, attempt 0: whichever comes first.
  void crash_before(const std::string& stage, const std::string& item = {},
                    AttemptNumber attempt = 0);
  void crash_after(const std::string& stage, const std::string& item = {},
                   AttemptNumber attempt = 0);
  [[nodiscard]] int crashes() const;

  // What came of it

  [[nodiscard]] Job job(JobId job);
  [[nodiscard]] JobState state(JobId job);
  [[nodiscard]] ItemState state(JobId job, const std::string& item);
  /// For a stage of the whole job the item is empty.
  [[nodiscard]] StateKind state(JobId job, const std::string& item, const std::string& stage);
  [[nodiscard]] std::vector<Attempt> attempts(JobId job, const std::string& item,
                                              const std::string& stage);
  /// As downstream reads it; null where there is none.
  [[nodiscard]] Json output(JobId job, const std::string& item, const std::string& stage);
  [[nodiscard]] std::vector<Review> open_reviews(JobId job);
  /// Every attempt whose code was begun, in order; of one stage, or of all.
  [[nodiscard]] std::vector<Call> calls(const std::string& stage = {}) const;
  /// What happened, line by line, with the time since submission; and what is waited for.
  [[nodiscard]] std::string story(JobId job);
  [[nodiscard]] std::string story(JobId job, const std::string& item);
  /// What the test said and nobody asked about, in words: an item or an attempt that a script, a
  /// gate's script or a reviewer names and that never came up there; a crash that did not happen.
  [[nodiscard]] std::vector<std::string> unused();
  /// Every broken promise of the engine in this store, in words; a sound world has none.
  [[nodiscard]] std::vector<std::string> violations();

  [[nodiscard]] Engine& engine();
  [[nodiscard]] Store& store();
  [[nodiscard]] Records& records();

 private:
  class Backstage;
  std::unique_ptr<Backstage> backstage_;
};

}  // namespace pawl::testing
