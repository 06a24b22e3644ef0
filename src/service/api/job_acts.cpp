/// What an operator does to a job.

#include <string>
#include <utility>

#include "pawl/views/documents.hpp"
#include "service/api/job_handlers.hpp"
#include "service/api/record_lookup.hpp"
#include "views/jobs.hpp"
#include "views/outputs.hpp"

namespace pawl::service {
namespace {

/// The job after the act.
Result<Reply> shown_after(Call& call, const PinnedJob& whole, const Act& act) {
  const Result<Job> after = perform(call, act, whole.job.id);
  if (!after) return std::unexpected(after.error());
  return Document{job_document(*after, whole.workflow)};
}

/// `OfJob`, or `OfStage` if the body names a stage.
template <class OfJob, class OfStage>
Result<Reply> act_on_named(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  const auto stage = stage_named(whole->workflow, call.body.text("stage"));
  if (!stage) return std::unexpected(stage.error());
  if (*stage) return shown_after(call, *whole, OfStage{.job = whole->job.id, .stage = **stage});
  return shown_after(call, *whole, OfJob{.job = whole->job.id});
}

}  // namespace

Result<Reply> pause_job(Call& call) { return act_on_named<PauseJob, PauseStage>(call); }

Result<Reply> resume_job(Call& call) { return act_on_named<ResumeJob, ResumeStage>(call); }

Result<Reply> cancel_job(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  return shown_after(call, *whole, CancelJob{.job = whole->job.id});
}

Result<Reply> revive_job(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  ReviveJob act{.job = whole->job.id, .tolerate_failures = {}};
  if (const std::optional<Json> tolerance = call.body.json("tolerate_failures");
      tolerance && !tolerance->is_null()) {
    // 20, "20" and "5%".
    const std::string text = JsonView(*tolerance).string().value_or(tolerance->text());
    const Result<Tolerance> read = actions::read_tolerance(text);
    if (!read) return std::unexpected(read.error());
    act.tolerate_failures = *read;
  }
  return shown_after(call, *whole, act);
}

Result<Reply> trust_job(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  const Result<Job> after =
      perform(call, TrustJob{.job = whole->job.id, .by = call.actor().name}, whole->job.id);
  if (!after) return std::unexpected(after.error());
  return Document{views::with_member(job_document(*after, whole->workflow), "commands",
                                     views::commands_document(*after, whole->workflow))};
}

std::vector<Field> budget_fields() {
  return {{.name = "attempts",
           .kind = FieldKind::integer,
           .about = "The most attempts of the whole job.",
           .min = 0},
          {.name = "cost_usd", .kind = FieldKind::number, .about = "The highest cost in dollars."},
          {.name = "tokens", .kind = FieldKind::integer, .about = "The most tokens.", .min = 0},
          {.name = "deadline",
           .about = "The longest time since the submission: \"8h\", \"1h30m\".",
           .length_max = 64},
          {.name = "no_progress",
           .about = "The longest time without a task that ends: \"30m\".",
           .length_max = 64}};
}

actions::BudgetChange budget_change_in(const Fields& fields) {
  actions::BudgetChange change{.deadline = fields.text("deadline"),
                               .no_progress = fields.text("no_progress")};
  if (fields.has("attempts")) change.attempts = fields.integer("attempts");
  if (fields.has("cost_usd")) change.cost_usd = fields.number("cost_usd");
  if (fields.has("tokens")) change.tokens = fields.integer("tokens");
  return change;
}

Result<Reply> change_budget(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  const Result<Budget> budget = actions::changed(whole->job.budget, budget_change_in(call.body));
  if (!budget) return std::unexpected(budget.error());
  Job job = whole->job;
  if (*budget != job.budget) {
    Result<Job> after = perform(call, SetBudget{.job = job.id, .budget = *budget}, job.id);
    if (!after) return std::unexpected(after.error());
    job = std::move(*after);
  }
  return Document{Json::object({{"job", job.id.value()}, {"budget", views::budget_document(job)}})};
}

}  // namespace pawl::service
