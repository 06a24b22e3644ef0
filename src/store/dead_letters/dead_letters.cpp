#include "pawl/store/dead_letters.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"
#include "store/dead_letters/reader.hpp"

namespace pawl {

using namespace store;

namespace {

constexpr std::uint32_t page_size = 500;
constexpr std::size_t workflows_kept = 64;

// The places of the fields in `dead_letter_fields()`.
enum Place : std::size_t {
  error,
  error_class,
  error_kind,
  code,
  stage,
  item,
  category,
  job,
  cause,
  failure_count,
  attempts,
  age,
  discarded,
  signature,
};

DeadLetterReader::Want needed_for(std::size_t place) {
  switch (place) {
    case item:
    case category:
      return DeadLetterReader::Want::named;
    case error:
    case error_class:
    case error_kind:
    case code:
    case failure_count:
    case age:
    case signature:
      return DeadLetterReader::Want::whole;
    default:
      return DeadLetterReader::Want::row;
  }
}

template <class E>
std::string name_or_empty(const std::optional<E>& value) {
  return value ? std::string(name_of(*value)) : std::string();
}

FieldValue value_of(const DeadLetter& letter, std::size_t place, Timestamp now) {
  switch (static_cast<Place>(place)) {
    case error:
      return letter.error;
    case error_class:
      return name_or_empty(letter.error_class);
    case error_kind:
      return name_or_empty(letter.error_kind);
    case code:
      return letter.code;
    case stage:
      return letter.stage;
    case item:
      return letter.item_key;
    case category:
      return letter.category;
    case job:
      return static_cast<double>(letter.job.value());
    case cause:
      return std::string(name_of(letter.cause));
    case failure_count:
      return static_cast<double>(letter.failure_count);
    case attempts:
      return static_cast<double>(letter.attempts);
    case age:
      return std::max(Duration{0}, now - letter.failed_at);
    case discarded:
      return letter.discarded;
    case signature:
      return letter.signature;
  }
  return std::string();
}

/// What one failed attempt says for itself.
std::string message_of(const Attempt& attempt) {
  if (attempt.error && !attempt.error->message.empty()) return attempt.error->message;
  if (attempt.feedback && !attempt.feedback->summary.empty()) return attempt.feedback->summary;
  if (!attempt.summary.empty()) return attempt.summary;
  if (attempt.verdict == Verdict::rejected) return "rejected by its gate";
  return attempt.result == AttemptResult::timed_out ? "attempt timed out" : "failed without a word";
}

}  // namespace

const std::vector<FilterField>& dead_letter_fields() {
  static const std::vector<FilterField> fields{
      {"error", FieldKind::text},
      {"error_class", FieldKind::text, all_names<ErrorClass>()},
      {"error_kind", FieldKind::text, all_names<ErrorKind>()},
      {"code", FieldKind::text},
      {"stage", FieldKind::text},
      {"item", FieldKind::text},
      {"category", FieldKind::text},
      {"job", FieldKind::number},
      {"cause", FieldKind::text, all_names<FailCause>()},
      {"failure_count", FieldKind::number},
      {"attempts", FieldKind::number},
      {"age", FieldKind::duration},
      {"discarded", FieldKind::boolean},
      {"signature", FieldKind::text},
  };
  return fields;
}

Result<Filter> parse_dead_letter_filter(std::string_view text) {
  return parse_filter(text, dead_letter_fields());
}

Result<Workflow> DeadLetterReader::workflow_of(JobId job) {
  if (const auto known = workflows_.find(job); known != workflows_.end()) return known->second;
  const Result<Job> row = records_.job(job);
  if (!row) return std::unexpected(row.error());
  Result<Workflow> workflow = records_.workflow(row->workflow_hash);
  if (!workflow) return workflow;
  if (workflows_.size() >= workflows_kept) workflows_.clear();
  workflows_.emplace(job, *workflow);
  return workflow;
}

Result<DeadLetterReader::Draft> DeadLetterReader::draft(const Task& task) {
  const auto* failed = std::get_if<Failed>(&task.state);
  if (failed == nullptr) {
    return fail(ErrorCode::refused, "task " + std::to_string(task.id.value()) + " is " +
                                        std::string(name_of(task.kind())) + ", not a dead letter");
  }
  const Result<Workflow> workflow = workflow_of(task.job);
  if (!workflow) return std::unexpected(workflow.error());
  Draft draft;
  DeadLetter& letter = draft.letter;
  letter.task = task.id;
  letter.job = task.job;
  letter.item = task.item;
  letter.stage = workflow->stage(task.stage()).name;
  letter.cause = failed->cause;
  letter.discarded = failed->discarded;
  letter.attempts = task.attempts;
  if (task.child) letter.child_key = task.child->key;
  return draft;
}

Status DeadLetterReader::fill(Draft& draft, Want want) {
  if (want >= Want::named && draft.has < Want::named) {
    if (Status named = name_item(draft.letter); !named) return named;
    draft.has = Want::named;
  }
  if (want >= Want::whole && draft.has < Want::whole) {
    if (Status told = tell_failures(draft.letter); !told) return told;
    draft.has = Want::whole;
  }
  return {};
}

Status DeadLetterReader::name_item(DeadLetter& letter) {
  if (!letter.item) return {};
  Result<Item> row = records_.item(letter.item);
  if (!row) return std::unexpected(std::move(row.error()));
  letter.item_key = std::move(row->key);
  letter.category = std::move(row->category);
  return {};
}

Status DeadLetterReader::tell_failures(DeadLetter& letter) {
  const Result<std::vector<Attempt>> all = records_.attempts(letter.task);
  if (!all) return std::unexpected(all.error());
  for (const Attempt& attempt : *all) {
    letter.failed_at = attempt.ended_at;
    if (!attempt.is_failure()) continue;
    std::optional<ErrorClass> its_class;
    if (attempt.error) its_class = attempt.error->error_class;
    letter.error_class = its_class;
    letter.error_kind.reset();
    letter.code.clear();
    if (attempt.error) {
      letter.error_kind = attempt.error->kind;
      letter.code = attempt.error->code;
    }
    letter.error = message_of(attempt);
    letter.failure_history.push_back({.number = attempt.number,
                                      .epoch = attempt.epoch,
                                      .result = attempt.result,
                                      .error_class = its_class,
                                      .message = letter.error,
                                      .at = attempt.ended_at});
  }
  letter.failure_count = static_cast<std::uint32_t>(letter.failure_history.size());

  const auto ended_otherwise = [&](std::string why) {
    letter.error_class.reset();
    letter.error_kind.reset();
    letter.code.clear();
    letter.error = std::move(why);
  };
  switch (letter.cause) {
    case FailCause::rejected_by_review:
      ended_otherwise("rejected in review");
      if (Status told = tell_rejection(letter); !told) return told;
      break;
    case FailCause::tolerance:
      ended_otherwise("too many of its children failed");
      break;
    case FailCause::interruptions:
      ended_otherwise("interrupted too many times in a row");
      break;
    case FailCause::marked_dead:
      if (letter.error.empty() && !all->empty()) letter.error = all->back().decision.reason;
      break;
    case FailCause::final_error:
    case FailCause::exhausted:
    case FailCause::rate_limit:
      break;
  }
  letter.signature =
      error_signature(letter.error_class, letter.error_kind, letter.code, letter.error);
  return {};
}

/// The reviewer's own words, from the review that ended the task.
Status DeadLetterReader::tell_rejection(DeadLetter& letter) {
  const ReviewFilter closed{
      .task = letter.task, .status = ReviewStatus::closed, .limit = page_size};
  return each_row(records_, closed, [&](const Review& review) {
    if (!review.answer || review.answer->outcome != ReviewOutcome::reject) return;
    letter.failed_at = review.closed_at;
    letter.error = "rejected in review";
    if (!review.answer->note.empty()) letter.error += ": " + review.answer->note;
  });
}

Status DeadLetterReader::complete(DeadLetter& letter) {
  return letter.signature.empty() && letter.failure_history.empty() ? tell_failures(letter)
                                                                    : Status{};
}

Result<bool> DeadLetterReader::matches(Draft& draft, const Filter& filter) {
  Status read;
  const bool yes = filter.matches([&](std::size_t place) {
    if (read) read = fill(draft, needed_for(place));
    return value_of(draft.letter, place, now_);
  });
  if (!read) return std::unexpected(std::move(read.error()));
  return yes;
}

Result<DeadLetter> DeadLetterReader::select(const Task& task, const std::optional<Filter>& filter,
                                            Want want) {
  Result<Draft> made = draft(task);
  if (!made) return std::unexpected(std::move(made.error()));
  if (filter) {
    const Result<bool> wanted = matches(*made, *filter);
    if (!wanted) return std::unexpected(wanted.error());
    if (!*wanted) return fail(ErrorCode::not_found, "the filter does not select it");
  }
  if (Status filled = fill(*made, want); !filled) {
    return std::unexpected(std::move(filled.error()));
  }
  return std::move(made->letter);
}

Status DeadLetterReader::each(const DeadLetterQuery& query, Want want,
                              const std::function<bool(DeadLetter&)>& see) {
  const bool both = query.include_discarded || (query.filter && query.filter->uses(discarded));
  TaskFilter failed{
      .job = query.job, .state = StateKind::failed, .after = query.after, .limit = page_size};
  if (!both) failed.discarded = false;
  cut_at_ = TaskId{};
  TaskId last;
  std::uint32_t count = 0;
  return each_row(records_, failed, [&](const Task& task) -> Result<bool> {
    if (goes_on_ && !goes_on_()) return false;
    if (query.read_max > 0 && count == query.read_max) {
      cut_at_ = last;
      return false;
    }
    ++count;
    last = task.id;
    Result<DeadLetter> selected = select(task, query.filter, want);
    if (selected) return see(*selected);
    if (selected.error().code == ErrorCode::not_found) return true;
    return std::unexpected(std::move(selected.error()));
  });
}

Result<DeadLetterPage> list_dead_letters(Store& store, const DeadLetterQuery& query) {
  DeadLetterPage page;
  const std::size_t limit = std::max<std::size_t>(query.limit, 1);
  DeadLetterReader reader(store);
  const Status read = reader.each(query, DeadLetterReader::Want::whole, [&](DeadLetter& letter) {
    if (page.letters.size() == limit) {
      page.next = page.letters.back().task;
      return false;
    }
    page.letters.push_back(std::move(letter));
    return true;
  });
  if (!read) return std::unexpected(read.error());
  if (reader.cut_at()) page.next = reader.cut_at();
  return page;
}

Status each_dead_letter(Store& store, const DeadLetterQuery& query,
                        const std::function<bool(const DeadLetter&)>& see) {
  DeadLetterQuery whole = query;
  whole.after = TaskId{};
  whole.read_max = 0;
  return DeadLetterReader(store).each(whole, DeadLetterReader::Want::whole,
                                      [&](const DeadLetter& letter) { return see(letter); });
}

Result<DeadLetter> show_dead_letter(Store& store, TaskId task) {
  const Result<Task> row = store.records().task(task);
  if (!row) return std::unexpected(row.error());
  return DeadLetterReader(store).select(*row, std::nullopt, DeadLetterReader::Want::whole);
}

}  // namespace pawl
