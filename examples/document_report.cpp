#include "document_report.hpp"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

#include "lesson.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/decide.hpp"
#include "pawl/store/dead_letters.hpp"

namespace documents {

using lesson::must;
using pawl::StateKind;

namespace {

std::string text(std::string_view view) { return std::string(view); }

std::string string_in(const pawl::Json& object, std::string_view field) {
  return pawl::JsonView(object)[field].string().value_or("");
}

/// What one attempt says of a criterion.
std::string said_of(const pawl::Attempt& attempt, const std::string& criterion) {
  if (!attempt.verdict) return "-";
  if (attempt.feedback) {
    const auto& criteria = attempt.feedback->criteria;
    const auto found = std::ranges::find(criteria, criterion, &pawl::Criterion::name);
    if (found != criteria.end() && !found->passed) return "not met (" + found->actual + ")";
  }
  return "met";
}

}  // namespace

void print_heading(const std::string& heading) {
  const bool bold = ::isatty(STDOUT_FILENO) == 1;
  std::printf("\n%s%s%s\n", bold ? "\033[1m" : "", heading.c_str(), bold ? "\033[0m" : "");
}

pawl::Workflow workflow_of(pawl::Records& records, pawl::JobId job) {
  return must(records.workflow(must(records.job(job)).workflow_hash));
}

pawl::TaskId task_of(pawl::Records& records, pawl::JobId job, const std::string& document,
                     const std::string& stage) {
  const pawl::Item item = must(records.item(job, document));
  return pawl::task_id(item.id, must(workflow_of(records, job).require_stage(stage)));
}

pawl::Json corpus_report_of(pawl::Records& records, pawl::JobId job) {
  const pawl::StageIndex stage = must(workflow_of(records, job).require_stage("corpus_report"));
  const std::int64_t ordinal = must(records.job(job)).reduce_ordinal;
  return must(records.output(pawl::task_id(ordinal, stage))).output;
}

void print_progress(pawl::Records& records, pawl::JobId id) {
  const pawl::Job job = must(records.job(id));
  const pawl::Workflow workflow = must(records.workflow(job.workflow_hash));
  std::printf("  %-20s %5s %8s %6s %8s %7s %7s\n", "stage", "done", "running", "ready", "waiting",
              "review", "failed");
  for (const pawl::StageIndex stage : workflow.topological_order()) {
    const pawl::StateCounts counts = pawl::shown_counts(job, workflow, stage);
    const auto of = [&](StateKind kind) { return static_cast<long long>(counts[kind]); };
    std::printf("  %-20s %5lld %8lld %6lld %8lld %7lld %7lld\n", workflow.stage(stage).name.c_str(),
                of(StateKind::succeeded), of(StateKind::running),
                of(StateKind::ready) + of(StateKind::retry_scheduled), of(StateKind::waiting),
                of(StateKind::awaiting_review), of(StateKind::failed));
  }
}

std::vector<pawl::Attempt> print_attempts_by_criterion(pawl::Records& records, pawl::JobId job,
                                                       const std::string& document,
                                                       const std::string& stage) {
  const pawl::TaskId task = task_of(records, job, document, stage);
  const pawl::StageDefinition definition = workflow_of(records, job).stage(pawl::stage_of(task));
  const auto attempts = must(records.attempts(task));
  std::printf("  %-7s  %-11s  %-12s  %-25s  %s\n", "attempt", "strategy", "word_count",
              "table_preservation", "decision");
  for (const pawl::Attempt& attempt : attempts) {
    const std::string strategy = string_in(attempt.output, "strategy");
    const std::string did = strategy.empty() ? text(pawl::name_of(attempt.result)) : strategy;
    std::printf("  %-7u  %-11s  %-12s  %-25s  %s\n", attempt.number, did.c_str(),
                said_of(attempt, "word_count").c_str(),
                said_of(attempt, "table_preservation").c_str(),
                pawl::explain(definition, attempt).c_str());
  }
  return attempts;
}

std::vector<pawl::Review> print_open_reviews(pawl::Records& records, pawl::JobId job) {
  const pawl::Workflow workflow = workflow_of(records, job);
  const auto reviews = must(records.reviews({.job = job, .status = pawl::ReviewStatus::open}));
  for (const pawl::Review& review : reviews) {
    std::printf("  review %-3lld %-20s %-16s %s\n", static_cast<long long>(review.id.value()),
                must(records.item(review.item)).key.c_str(),
                workflow.stage(pawl::stage_of(review.task)).name.c_str(),
                text(pawl::name_of(review.reason)).c_str());
  }
  return reviews;
}

void print_results(pawl::Records& records, pawl::JobId job) {
  std::printf("  %-20s %-42s %8s %8s\n", "document", "title", "concepts", "attempts");
  for (const pawl::Item& item : must(records.items({.job = job}))) {
    if (item.state != pawl::ItemState::succeeded) continue;
    std::string title;
    std::size_t concepts = 0;
    for (const pawl::StageOutput& output : must(records.outputs(item.id))) {
      if (const std::string found = string_in(output.output, "title"); !found.empty()) {
        title = found + (output.edited ? " (edited)" : "");
      }
      if (const auto nodes = pawl::field(output.output, "nodes"); nodes.exists()) {
        concepts = pawl::elements(nodes).size();
      }
    }
    std::size_t attempts = 0;
    for (const pawl::Task& task : must(records.tasks_of(item.id))) attempts += task.attempts;
    std::printf("  %-20s %-42s %8zu %8zu\n", item.key.c_str(), title.c_str(), concepts, attempts);
  }
}

std::size_t print_dead_letters(pawl::Store& store, pawl::JobId job) {
  const auto page = must(pawl::list_dead_letters(store, {.job = job}));
  for (const pawl::DeadLetter& letter : page.letters) {
    std::printf("  %-20s %-16s %-20s %s\n", letter.item_key.c_str(), letter.stage.c_str(),
                text(pawl::name_of(letter.cause)).c_str(), letter.error.c_str());
  }
  return page.letters.size();
}

}  // namespace documents
