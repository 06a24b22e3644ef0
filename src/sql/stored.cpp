#include "sql/stored.hpp"

#include <algorithm>

#include "codec/well_formed.hpp"
#include "pawl/codec/workflow.hpp"

namespace pawl::sql {

Json stored_json(std::string text) {
  if (!codec::is_well_formed_json(text)) {
    throw Fault(ErrorCode::corrupt, "the stored text is not JSON", std::string(damaged_row_help));
  }
  return Json::trusted(std::move(text));
}

Workflow stored_workflow(std::string_view hash, std::string definition) {
  const auto damaged = [&](const std::string& how) {
    return Fault(ErrorCode::corrupt,
                 "the definition of the workflow " + std::string(hash) + " is damaged: " + how,
                 "restore the store from a backup; the jobs of this workflow cannot be read "
                 "without it");
  };
  if (!codec::is_well_formed_json(definition)) throw damaged("it is not JSON");
  Result<Workflow> workflow = workflow_from(Json::trusted(std::move(definition)));
  if (!workflow) throw damaged(workflow.error().message);
  if (workflow->hash() != hash) throw damaged("its hash is " + workflow->hash());
  return *std::move(workflow);
}

std::optional<Error> beyond_stages(const Task& task, std::size_t stage_count) {
  if (at(task.stage()) < stage_count) return std::nullopt;
  return Error{.code = ErrorCode::corrupt,
               .message = "task " + std::to_string(task.id.value()) + " of job " +
                          std::to_string(task.job.value()) + " belongs to stage " +
                          std::to_string(at(task.stage()) + 1) + ", but its workflow has " +
                          std::to_string(stage_count),
               .help = std::string(damaged_row_help)};
}

void check_counters(const Job& job, const Workflow& workflow) {
  const std::size_t wanted = workflow.stage_count();
  const bool are_stages = std::ranges::all_of(
      job.paused_stages, [&](const StageIndex stage) { return at(stage) < wanted; });
  if (job.stages.size() == wanted && job.children.size() == wanted && are_stages) return;
  throw Fault(ErrorCode::corrupt,
              "the counters of job " + std::to_string(job.id.value()) +
                  " are damaged: they do not match the stages of its workflow",
              std::string(damaged_row_help));
}

}  // namespace pawl::sql
