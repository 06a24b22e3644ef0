#pragma once

/// The implementation of a world: the clock, the agenda, the simulated process that can die, and
/// the code of the stages.

#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "pawl/store/clock.hpp"
#include "pawl/testing/world.hpp"

namespace pawl::testing {

/// Reports a mistake in a test.
[[noreturn]] void wrong(const std::string& sentence);
template <class T>
T must(Result<T> result) {
  if (!result) wrong(result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class World::Backstage {
 public:
  explicit Backstage(WorldOptions options);
  ~Backstage();

  /// Something that happens at a given time.
  struct Due {
    std::string what;
    std::function<void()> happens;
  };

  // Time: backstage.cpp

  void run();
  void pass(Duration time);
  JobState finish(JobId job, Duration within);
  void at(Timestamp when, std::string what, std::function<void()> happens);

  // The process: backstage.cpp

  /// The process dies now; the next `run` starts another one.
  void die();
  void crash();
  void serve(std::function<void(Engine&)> bring);

  // The code: performing.cpp

  void serve(const Program& program);
  void serve(const WorkflowFile& file);

  // Questions about the world: upcoming.cpp, story.cpp

  std::optional<Upcoming> next();
  std::string story(JobId job, const std::string* only);

  // Unused scripts: unused.cpp

  /// `all`: also for items that exist and never came up.
  std::vector<std::string> unused(bool all);
  void check_used();

  /// An attempt at which the process dies.
  struct Trap {
    bool before = true;
    std::string stage;
    std::string item;
    AttemptNumber attempt = 0;
  };

  // Set in the constructor.
  const WorldOptions options;
  ManualClock clock;
  const Timestamp start;
  std::shared_ptr<Store> store;

  // The scripts.
  std::map<std::string, Script> scripts;                            ///< by stage
  std::map<std::pair<std::string, std::string>, GateScript> gates;  ///< by stage and gate
  std::vector<std::pair<std::string, Reviewer>> reviewers;          ///< newest last
  std::vector<Trap> traps;
  std::vector<Call> calls;

  std::unique_ptr<Engine> engine;
  std::vector<Timestamp> deaths;

 private:
  class Watched;
  struct Open;
  using Life = std::shared_ptr<bool>;
  using Code = std::shared_ptr<const StageCode>;

  void start_process();
  void bury();
  bool happen();
  bool invite_reviewers();
  void answer(const Review& review, const Answer& answer);
  void check_cast() const;
  void check_commands() const;
  [[nodiscard]] bool knows_stage(const std::string& named) const;
  [[nodiscard]] bool knows_gate(const std::string& stage, const std::string& gate) const;

  /// The code of a stage, wrapped so that the world records its calls and applies its scripts.
  [[nodiscard]] Code staged(const Workflow& workflow, const StageDefinition& stage,
                            const Code& real, const Life& life);
  [[nodiscard]] Code code_of_file(const Workflow& workflow, const StageDefinition& stage,
                                  const CodeSource& real, const Life& life);
  void perform(const Code& real, const Life& life, const std::shared_ptr<AsyncAttempt>& attempt);
  void speak(const StageAnswer& answer, const Life& life,
             const std::shared_ptr<AsyncAttempt>& attempt);
  void end(const StageFunction& work, const std::shared_ptr<AsyncAttempt>& attempt);
  void hand_in(const std::shared_ptr<AsyncAttempt>& attempt, Outcome outcome);
  [[nodiscard]] const Script* script_of(const std::string& workflow,
                                        const std::string& stage) const;
  [[nodiscard]] const GateScript* script_of(const std::string& workflow, const std::string& stage,
                                            const std::string& gate) const;
  [[nodiscard]] bool springs(bool before, Context& context);
  void note_call(Context& context);

  Life life_;
  std::vector<std::unique_ptr<Engine>> graves_;  ///< dead engines; their attempts may be held
  std::vector<std::function<void(Engine&)>> servings_;
  std::vector<Workflow> workflows_;  ///< the workflows that were served
  std::set<std::string> files_;      ///< the hashes of those that came from workflow files
  std::multimap<Timestamp, Due> agenda_;
  std::vector<std::shared_ptr<Open>> open_;
  ReviewId last_review_;
  std::map<TaskId, std::uint32_t> reviews_of_;  ///< how many reviews each task has had
};

}  // namespace pawl::testing
