/// Jobs.

#include "service/api/job_handlers.hpp"

namespace pawl::service {
namespace {

Field stage_field() { return {.name = "stage", .about = "Only this stage; else the whole job."}; }

std::vector<Route> reading() {
  const Access see = Access::needs(Right::see);
  return {
      {.method = "GET",
       .path = "/api/v1/jobs",
       .access = see,
       .handle = &list_jobs,
       .operation = "listJobs",
       .tag = "jobs",
       .summary = "The jobs, newest first.",
       .query = {{.name = "ended",
                  .kind = FieldKind::flag,
                  .about = "Only jobs that have ended, or only those that have not."},
                 {.name = "workflow", .about = "Only jobs of the workflow with this name."},
                 {.name = "state",
                  .about = "Only jobs in this state. A page may have fewer rows than its limit, "
                           "and still have a next one.",
                  .words = {"running", "paused", "completed", "failed", "cancelled"}}},
       .kind = ReplyKind::list,
       .schema = "Job",
       .rows = "jobs",
       .columns = {"job", "workflow", "state", "waiting_for_people", "items.total",
                   "items.succeeded", "items.failed", "items.active", "dead_letters",
                   "attempts_open", "budget.cost_usd_used", "budget.cost_usd", "submitted_by",
                   "submitted_at", "ended_at"}},
      {.method = "GET",
       .path = "/api/v1/jobs/{job}",
       .access = see,
       .handle = &show_job,
       .operation = "showJob",
       .tag = "jobs",
       .summary = "A job with its counters, and what its running attempts report.",
       .schema = "Job"},
      {.method = "GET",
       .path = "/api/v1/jobs/{job}/graph",
       .access = see,
       .handle = &show_graph_of_job,
       .operation = "showJobGraph",
       .tag = "jobs",
       .summary = "The stages of a job with the number of their tasks in each state.",
       .schema = "Graph"},
      {.method = "GET",
       .path = "/api/v1/jobs/{job}/stages",
       .access = see,
       .handle = &show_stages_of_job,
       .operation = "showJobStages",
       .tag = "jobs",
       .summary = "How long the attempts of each stage took in the last hour.",
       .schema = "StageFigures"},
      {.method = "GET",
       .path = "/api/v1/jobs/{job}/commands",
       .access = see,
       .handle = &show_commands_of_job,
       .operation = "showJobCommands",
       .tag = "jobs",
       .summary = "Every command that a job would run.",
       .schema = "Commands"},
  };
}

Route submitting() {
  return {
      .method = "POST",
      .path = "/api/v1/jobs",
      .access = Access::needs(Right::submit),
      .handle = &submit_job,
      .operation = "submitJob",
      .tag = "jobs",
      .summary =
          "Submits a job of a known workflow. With a key that is known, answers 200 and the "
          "job of the first submission.",
      .body = {{.name = "workflow",
                .about = "The name of the workflow, as /api/v1/workflows has it.",
                .is_required = true},
               {.name = "params",
                .kind = FieldKind::object,
                .about = "The values of the params by name, in their declared types. A missing "
                         "one has its default."},
               {.name = "items",
                .kind = FieldKind::any,
                .about = "A list with the data of each item, at most 50,000. Without it, the "
                         "items are those of the workflow file, unless a command makes them."},
               {.name = "key",
                .about = "Submits only once under this name, also beside an unfinished job.",
                .length_max = 256},
               {.name = "parallel",
                .kind = FieldKind::integer,
                .about = "The most attempts of the job at the same time; else that of the "
                         "workflow file; 0: no limit of its own.",
                .min = 0,
                .max = 1'000'000},
               {.name = "priority",
                .kind = FieldKind::integer,
                .about = "Jobs with a higher priority come first; 0 unless it is given.",
                .min = -1'000'000,
                .max = 1'000'000},
               {.name = "budget",
                .kind = FieldKind::object,
                .about = "Limits in place of those of the workflow file: attempts, cost_usd, "
                         "tokens, deadline, no_progress."},
               {.name = "fresh",
                .kind = FieldKind::flag,
                .about = "Runs all items, also those that an earlier job has finished."},
               {.name = "new",
                .kind = FieldKind::flag,
                .about = "Starts the job beside an unfinished one of the same workflow."}},
      .status = 201,
      .also = {200},
      .schema = "SubmittedJob",
  };
}

/// The routes that change a job and answer with it.
Route act(std::string_view path, Right right, Handle handle, std::string_view operation,
          std::string_view summary, std::vector<Field> body = {}) {
  return {.method = "POST",
          .path = path,
          .access = Access::needs(right),
          .handle = handle,
          .operation = operation,
          .tag = "jobs",
          .summary = summary,
          .body = std::move(body),
          .schema = "Job"};
}

std::vector<Route> acting() {
  return {
      submitting(),
      act("/api/v1/jobs/{job}/pause", Right::operate, &pause_job, "pauseJob",
          "Pauses a job or a stage of it: no new attempts start; running ones finish.",
          {stage_field()}),
      act("/api/v1/jobs/{job}/resume", Right::operate, &resume_job, "resumeJob",
          "Ends the pause of a job or of a stage of it.", {stage_field()}),
      act("/api/v1/jobs/{job}/cancel", Right::operate, &cancel_job, "cancelJob",
          "Cancels a job and stops its running attempts. This cannot be undone."),
      act("/api/v1/jobs/{job}/revive", Right::operate, &revive_job, "reviveJob",
          "Lets a job go on that its tolerance, its deadline or its budget has ended.",
          {{.name = "tolerate_failures",
            .kind = FieldKind::any,
            .about = "How many items may fail from now on, those that have failed included: 20, "
                     "or \"5%\". Else as before."}}),
      {.method = "POST",
       .path = "/api/v1/jobs/{job}/trust",
       .access = Access::needs(Right::trust),
       .handle = &trust_job,
       .operation = "trustJob",
       .tag = "jobs",
       .summary = "Accepts an imported job, whose commands may then run here.",
       .schema = "TrustedJob"},
      {.method = "PATCH",
       .path = "/api/v1/jobs/{job}/budget",
       .access = Access::needs(Right::operate),
       .handle = &change_budget,
       .operation = "changeBudget",
       .tag = "jobs",
       .summary = "Changes the given limits of a job; the others stay as they are.",
       .body = budget_fields(),
       .schema = "BudgetOfJob"},
  };
}

}  // namespace

std::vector<Route> job_routes() {
  std::vector<Route> all = reading();
  for (Route& route : acting()) all.push_back(std::move(route));
  return all;
}

}  // namespace pawl::service
