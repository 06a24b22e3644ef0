#pragma once

/// The content of a simulated run: jobs of random workflows with random policies and budgets, and
/// the behaviour of their stages, gates and reviewers. It does not depend on which process works
/// when: the same attempt at the same work has the same result, so a run with crashes can be
/// compared with one without.

#include <cstdint>
#include <string>
#include <vector>

#include "pawl/core/review.hpp"
#include "pawl/runtime/stage.hpp"
#include "pawl/store/people.hpp"
#include "pawl/store/store.hpp"
#include "simulation/choices.hpp"

namespace pawl::simulation {

/// How a stage behaves, from "always succeeds" to "does whatever a stage can do".
enum class Temper : std::uint8_t { reliable, flaky, wild };

struct PlannedJob {
  NewJob job;
  std::vector<NewItem> items;
  std::size_t first_chunk = 0;  ///< how many items come with the submission; the rest come later
  std::vector<Temper> tempers;  ///< by stage
};

struct Scenario {
  std::uint64_t behaviour = 0;  ///< determines what the stages do
  std::vector<PlannedJob> jobs;
  std::vector<AddPerson> people;  ///< whom the store knows; empty: it trusts whoever opens it
  std::uint32_t processes = 1;
  std::uint32_t parallel = 1;  ///< of each process
  Duration lease{};
  std::uint32_t calls_to_a_fate = 24;  ///< one in so many calls has a fault
  /// Whether its outcome does not depend on time, chance or operators: then a run with crashes must
  /// end like one without (I15).
  bool is_comparable = false;
  bool is_modelled = true;              ///< the model does not support custom deciders
  bool asks_often = false;              ///< people have much to do
  bool has_unstorable_results = false;  ///< sometimes a result that the store refuses for good
  bool may_forget = false;              ///< the store may be set back
};
[[nodiscard]] Scenario draw_scenario(Choices& choices);

/// One piece of work, by names that are the same in every run.
struct WorkName {
  std::size_t job = 0;
  std::string item;
  StageIndex stage{};
  std::string child;
  std::uint32_t done_before = 0;  ///< attempts that ended by themselves
};
[[nodiscard]] Outcome outcome_of(const Scenario& scenario, const WorkName& work, bool may_fan_out);
/// The work never returns by itself.
[[nodiscard]] bool hangs(const Scenario& scenario, const WorkName& work);
[[nodiscard]] bool is_wanted(const Scenario& scenario, const WorkName& work);
/// How long the work takes.
[[nodiscard]] Duration duration_of(const Scenario& scenario, const WorkName& work);
/// The verdict is in the output, so that its author could have known it.
[[nodiscard]] Judgement judge(const Json& output);
[[nodiscard]] Advice advise(const StageDefinition& stage, const Attempt& attempt);
[[nodiscard]] Answer answer_of(const Scenario& scenario, const WorkName& work);

}  // namespace pawl::simulation
