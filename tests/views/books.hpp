#pragma once

/// The workflow and the job whose documents the tests read.

#include <string>
#include <vector>

#include "pawl/codec/workflow.hpp"
#include "pawl/core/job.hpp"

namespace pawl::testing_books {

inline constexpr Timestamp noon{std::chrono::seconds(1'700'000'000)};

/// These stages of an item, each needing the one before, and a report over all.
inline Workflow books(const std::vector<std::string>& chain) {
  WorkflowDefinition definition{.name = "books", .stages = {}};
  for (const std::string& name : chain) {
    StageDefinition stage{.name = name};
    stage.handler = "h";
    if (!definition.stages.empty()) stage.needs = {definition.stages.back().name};
    definition.stages.push_back(stage);
  }
  StageDefinition report = definition.stages.back();
  report.name = "report";
  report.needs = {chain.back()};
  report.scope = Scope::all;
  definition.stages.push_back(report);
  return compile(definition).value();
}

inline Job job_of(const Workflow& workflow) {
  Job job{.id = JobId{41}, .workflow_name = "books", .workflow_hash = workflow.hash()};
  job.submitted_at = noon;
  job.stages.resize(workflow.stage_count());
  job.children.resize(workflow.stage_count());
  return job;
}

}  // namespace pawl::testing_books
