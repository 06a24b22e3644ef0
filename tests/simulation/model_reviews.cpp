/// Reviews: their rules, the answers of people, and what time does to them.

#include <algorithm>

#include "pawl/codec/digest.hpp"
#include "simulation/model.hpp"

namespace pawl::simulation {

namespace {

using namespace std::chrono_literals;

const std::string group_mark = "group:";

bool approves(const Answer& answer) {
  return answer.outcome == ReviewOutcome::approve ||
         answer.outcome == ReviewOutcome::approve_with_edits;
}

bool is_approval(const ModelVote& vote) {
  return vote.fate == AnswerFate::counts && approves(vote.answer);
}

bool is_same_content(const ModelReview& review, const Answer& one, const Answer& other) {
  return one.attempt.value_or(review.attempt) == other.attempt.value_or(review.attempt) &&
         one.edits == other.edits;
}

/// The first approval that counts. The others approve the same.
const ModelVote* proposal_of(const ModelReview& review) {
  const auto first = std::ranges::find_if(review.votes, is_approval);
  return first == review.votes.end() ? nullptr : &*first;
}

/// An approval that says nothing of its content means what was proposed.
Answer completed(const ModelReview& review, const Answer& answer) {
  Answer whole = answer;
  const ModelVote* proposal = proposal_of(review);
  const bool is_plain =
      answer.outcome == ReviewOutcome::approve && !answer.attempt && !answer.edits;
  if (!is_plain || proposal == nullptr) return whole;
  whole.attempt = proposal->answer.attempt.value_or(review.attempt);
  whole.edits = proposal->answer.edits;
  if (whole.edits) whole.outcome = ReviewOutcome::approve_with_edits;
  return whole;
}

bool is_open(const ModelReview& review) { return review.status == ReviewStatus::open; }

bool is_claimed_by_other(const ModelReview& review, const std::string& name, Timestamp now) {
  return !review.claimed_by.empty() && review.claimed_by != name && review.claimed_until > now;
}

void end_claim(ModelReview& review) {
  review.claimed_by.clear();
  review.claimed_until = no_time;
}

bool is_name(const std::string& name) {
  const auto is_good = [](char c) {
    return std::string_view("abcdefghijklmnopqrstuvwxyz0123456789.-_@").contains(c) ||
           (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && name.size() <= 64 && name[0] != '-' && name[0] != '.' &&
         name != "overdue" && std::ranges::all_of(name, is_good);
}

}  // namespace

ModelReview* Model::find(ReviewId id) {
  const auto found = std::ranges::find(reviews_, id, &ModelReview::id);
  return found == reviews_.end() ? nullptr : &*found;
}

const ReviewRules& Model::rules_of(const ModelReview& review) {
  return stage_of(*find(review.task)).review_rules;
}

void Model::open_review(const ModelTask& task, ReviewReason reason) {
  const ReviewRules& rules = stage_of(task).review_rules;
  ModelReview fresh{.id = {},
                    .task = task.id,
                    .job = task.job,
                    .epoch = task.epoch,
                    .reason = reason,
                    .attempt = task.attempts,
                    .opened_at = now_,
                    .assigned = rules.assign};
  if (rules.due > 0s) {
    fresh.due_at = now_ + rules.due;
    fresh.notice_at = now_ + rules.due * 3 / 4;
  }
  reviews_.push_back(std::move(fresh));
}

/// Only a person to whom the review is assigned may.
Model::Refusal Model::may_answer(const ModelReview& review) {
  if (actor_.kind != ActorKind::person || !is_assigned(review, actor_.name)) {
    return ErrorCode::forbidden;
  }
  return {};
}

Model::Refusal Model::fits(const ModelReview& review, const Answer& answer) {
  const ModelTask& task = *find(review.task);
  const StageDefinition& stage = stage_of(task);
  const bool edits = answer.outcome == ReviewOutcome::approve_with_edits;
  const bool changes = answer.outcome == ReviewOutcome::request_changes;
  const bool wants_note = changes || answer.outcome == ReviewOutcome::reject;
  if (approves(answer) && edits != answer.edits.has_value()) return ErrorCode::invalid;
  if (wants_note && answer.note.empty()) return ErrorCode::invalid;
  if (changes && stage.is_human() && stage.changes_rerun.empty()) return ErrorCode::invalid;
  if (changes) return may_rerun(changes_target(task));
  if (!approves(answer)) return {};
  const AttemptNumber chosen = answer.attempt.value_or(review.attempt);
  if (chosen < 1 || chosen > review.attempt) return ErrorCode::invalid;
  if (!edits && !task.with_output.contains(chosen)) return ErrorCode::invalid;
  return {};
}

/// Whether the answer, beside the approvals that count, is enough.
bool Model::decides(const ModelReview& review, const Answer& answer) {
  if (!approves(answer)) return true;
  const ReviewRules& rules = rules_of(review);
  std::set<std::string> people{answer.reviewer};
  // Whoever was the first with some edits has made them, taken back or not.
  std::set<std::string> editors;
  std::vector<Answer> edits;
  const auto add_edits = [&](const Answer& one) {
    if (!approves(one) || !one.edits) return;
    const bool is_known = std::ranges::any_of(
        edits, [&](const Answer& known) { return is_same_content(review, known, one); });
    if (!is_known) editors.insert(one.reviewer);
    edits.push_back(one);
  };
  for (const ModelVote& vote : review.votes) add_edits(vote.answer);
  add_edits(answer);
  const ModelVote* proposal = proposal_of(review);
  if (proposal != nullptr && is_same_content(review, proposal->answer, answer)) {
    for (const ModelVote& vote : review.votes) {
      if (is_approval(vote)) people.insert(vote.answer.reviewer);
    }
  }
  if (people.size() < rules.approvals) return false;
  if (rules.self_approval) return true;
  for (const std::string& editor : editors) people.erase(editor);
  people.erase(jobs_.at(review.job).submitted_by);
  return !people.empty();
}

void Model::show_proposal(ModelReview& review) {
  const ModelVote* proposal = proposal_of(review);
  review.digest = review.shown;
  if (proposal == nullptr) return;
  const Answer& content = proposal->answer;
  std::string text = review.shown;
  if (content.attempt.value_or(review.attempt) != review.attempt) {
    text += "\nattempt:" + std::to_string(*content.attempt);
  }
  if (content.edits) text += "\nedits:" + sha256_hex(content.edits->text());
  if (text != review.shown) review.digest = "sha256:" + sha256_hex(text);
}

Model::Refusal Model::carry_out(const AnswerReview& act) {
  ModelReview* review = find(act.review);
  if (review == nullptr) return ErrorCode::not_found;
  const std::string& name = act.answer.reviewer;
  if (const Refusal refusal = may_answer(*review)) return refusal;
  if (!is_open(*review)) return ErrorCode::conflict;
  if (touch(review->job).cancelled) return ErrorCode::refused;
  if (!act.answer.digest.empty() && act.answer.digest != review->digest) return ErrorCode::conflict;
  if (is_claimed_by_other(*review, name, now_)) return ErrorCode::conflict;
  if (act.answer.effective_at > now_ + 60s) return ErrorCode::invalid;
  const bool is_due = review->due_at != no_time && review->due_at <= now_;
  if (is_due && rules_of(*review).overdue == OnOverdue::reject) return ErrorCode::conflict;

  const Answer answer = completed(*review, act.answer);
  const ModelVote* proposal = approves(answer) ? proposal_of(*review) : nullptr;
  const bool is_other = proposal != nullptr && !is_same_content(*review, proposal->answer, answer);
  if (proposal != nullptr && !is_other) {
    for (const ModelVote& vote : review->votes) {
      if (is_approval(vote) && vote.answer.reviewer == name) return ErrorCode::conflict;
    }
  }
  if (const Refusal refusal = fits(*review, answer)) return refusal;

  const bool is_enough = decides(*review, answer);
  for (ModelVote& vote : review->votes) {
    if (!is_other || !is_approval(vote)) continue;
    vote.fate = AnswerFate::voided;
    vote.ended_at = now_;
  }
  review->votes.push_back(
      {.answer = answer, .by_kind = actor_.kind, .given_at = now_, .ended_at = no_time});
  if (is_enough && answer.effective_at <= now_) {
    make_effective(*review, answer);
  } else if (is_enough) {
    review->status = ReviewStatus::answered;
    review->answer = answer;
  } else {
    end_claim(*review);
    show_proposal(*review);
  }
  return {};
}

ModelTask& Model::changes_target(const ModelTask& task) {
  const std::string& upstream = stage_of(task).changes_rerun;
  if (upstream.empty()) return *find(task.id);
  const std::int64_t ordinal = ordinal_of(task.parent ? task.parent : task.id);
  return *find(task_id(ordinal, *jobs_.at(task.job).workflow.find(upstream)));
}

void Model::make_effective(ModelReview& review, const Answer& answer) {
  review.status = ReviewStatus::closed;
  review.notice_at = no_time;
  review.answer = answer;
  review.closed_at = now_;
  ModelTask& task = *find(review.task);
  const AttemptNumber chosen = answer.attempt.value_or(review.attempt);
  switch (answer.outcome) {
    case ReviewOutcome::approve:
      put(task, Succeeded{.attempt = chosen, .edited_by = {}});
      return ended(task);
    case ReviewOutcome::approve_with_edits:
      put(task, Succeeded{.attempt = chosen, .edited_by = review.id});
      return ended(task);
    case ReviewOutcome::reject:
      if (stage_of(task).rejected == OnRejected::end_item && task.item && !task.parent) {
        return end_item(task.item, CancelCause::rejected);
      }
      put(task, Failed{.cause = FailCause::rejected_by_review});
      return ended(task);
    case ReviewOutcome::request_changes:
      return rerun(changes_target(task), Cause::review_changes);
  }
}

/// Everybody takes back what is their own; a decision that rests on it is open again. But a
/// rejection or a request for changes does not rest on approvals.
Model::Refusal Model::carry_out(const UndoAnswer& act) {
  ModelReview* review = find(act.review);
  if (review == nullptr) return ErrorCode::not_found;
  if (actor_.kind != ActorKind::person) return ErrorCode::forbidden;
  const auto counts = [](const ModelVote& vote) { return vote.fate == AnswerFate::counts; };
  const bool is_pending = is_open(*review) || review->status == ReviewStatus::answered;
  if (!is_pending || std::ranges::none_of(review->votes, counts)) return ErrorCode::conflict;
  const auto own = std::find_if(review->votes.rbegin(), review->votes.rend(), [&](const auto& one) {
    return counts(one) && one.answer.reviewer == act.by;
  });
  if (own == review->votes.rend()) return ErrorCode::refused;
  if (review->answer && !approves(*review->answer) && review->answer->reviewer != act.by) {
    return ErrorCode::refused;
  }
  own->fate = AnswerFate::withdrawn;
  own->ended_at = now_;
  touch(review->job);
  review->status = ReviewStatus::open;
  review->answer.reset();
  show_proposal(*review);
  return {};
}

Model::Refusal Model::carry_out(const ClaimReview& act) {
  ModelReview* review = find(act.review);
  if (review == nullptr) return ErrorCode::not_found;
  if (act.by.empty()) return ErrorCode::invalid;
  if (const Refusal refusal = may_answer(*review); refusal && !act.steal) return refusal;
  if (!is_open(*review)) return ErrorCode::conflict;
  if (act.until > now_ + 1h) return ErrorCode::invalid;
  if (is_claimed_by_other(*review, act.by, now_) && !act.steal) return ErrorCode::conflict;
  touch(review->job);
  review->claimed_by = act.by;
  review->claimed_until = act.until;
  return {};
}

Model::Refusal Model::carry_out(const ReleaseReview& act) {
  ModelReview* review = find(act.review);
  if (review == nullptr) return ErrorCode::not_found;
  if (!is_open(*review)) return ErrorCode::conflict;
  if (act.by.empty() || review->claimed_by != act.by) return ErrorCode::conflict;
  touch(review->job);
  end_claim(*review);
  return {};
}

/// Those who have it hand it over, and operators.
Model::Refusal Model::carry_out(const AssignReview& act) {
  ModelReview* review = find(act.review);
  if (review == nullptr) return ErrorCode::not_found;
  const bool has_it = !review->assigned.empty() && is_assigned(*review, actor_.name);
  const bool is_operator = may(actor_, Role::operate, false);
  if (!is_operator && (!has_it || act.to.empty())) return ErrorCode::forbidden;
  if (!is_open(*review)) return ErrorCode::conflict;
  if (!is_operator && is_claimed_by_other(*review, act.by, now_)) return ErrorCode::conflict;
  const std::set<std::string> names(act.to.begin(), act.to.end());
  bool has_group = false;
  for (const std::string& name : act.to) {
    const bool is_group = name.starts_with(group_mark);
    has_group = has_group || is_group;
    if (!is_name(is_group ? name.substr(group_mark.size()) : name)) return ErrorCode::invalid;
  }
  const bool are_too_few =
      !names.empty() && !has_group && names.size() < rules_of(*review).approvals;
  if (names.size() < act.to.size() || are_too_few) return ErrorCode::invalid;
  touch(review->job);
  review->assigned = act.to;
  if (!review->claimed_by.empty() && !is_assigned(*review, review->claimed_by)) end_claim(*review);
  return {};
}

/// The answers whose time has come, the earliest first. A sweep with a limit may not reach all.
std::int64_t Model::answers_due(const Swept& done) {
  std::vector<ModelReview*> due;
  for (ModelReview& review : reviews_) {
    if (review.status != ReviewStatus::answered || review.answer->effective_at > now_) continue;
    due.push_back(&review);
  }
  std::ranges::sort(due, {}, [](const ModelReview* one) {
    return std::pair(one->answer->effective_at, one->id);
  });
  std::int64_t answered = 0;
  for (ModelReview* one : due) {
    if (one->status != ReviewStatus::answered) continue;  // its review is gone
    const Result<Review> row = rows_.review(one->id);
    if (done.more && row && row->status == ReviewStatus::answered) continue;
    ++answered;
    answer_falls_due(*one);
  }
  return answered;
}

void Model::answer_falls_due(ModelReview& review) {
  const Answer answer = *review.answer;
  const std::optional<CancelCause> cancelled = touch(review.job).cancelled;
  if (cancelled && !is_limit(*cancelled)) {
    supersede(review.task);
  } else if (cancelled) {
    reopen(review);  // the job may be revived
  } else if (answer.outcome == ReviewOutcome::request_changes &&
             may_rerun(changes_target(*find(review.task)))) {
    reopen(review);  // the answer is no longer valid
  } else {
    make_effective(review, answer);
  }
}

void Model::reopen(ModelReview& review) {
  for (ModelVote& vote : review.votes) {
    if (vote.fate != AnswerFate::counts || vote.answer != *review.answer) continue;
    vote.fate = AnswerFate::voided;
    vote.ended_at = now_;
  }
  review.status = ReviewStatus::open;
  review.answer.reset();
  show_proposal(review);
}

std::int64_t Model::notices_due(const Swept& done) {
  const auto is_due = [&](const ModelReview& review) {
    return is_open(review) && review.notice_at != no_time && review.notice_at <= now_;
  };
  std::vector<ModelReview*> due;
  for (ModelReview& review : reviews_) {
    if (is_due(review)) due.push_back(&review);
  }
  std::ranges::sort(due, {},
                    [](const ModelReview* one) { return std::pair(one->notice_at, one->id); });
  std::int64_t noticed = 0;
  for (ModelReview* one : due) {
    if (!is_due(*one)) continue;  // the rejection of another ended its item
    const Result<Review> row = rows_.review(one->id);
    const bool is_unchanged = row && row->notice_at == one->notice_at;
    if (done.more && is_unchanged) continue;
    ++noticed;
    notice_falls_due(*one);
  }
  return noticed;
}

void Model::notice_falls_due(ModelReview& review) {
  const ModelJob& job = touch(review.job);
  if (job.cancelled) {
    review.notice_at = is_limit(*job.cancelled) ? now_ + 1h : no_time;
    return;
  }
  if (now_ < review.due_at) {
    review.notice_at = review.due_at;
    return;
  }
  review.notice_at = no_time;
  const ReviewRules& rules = rules_of(review);
  if (rules.overdue == OnOverdue::reject) return reject_overdue(review);
  if (rules.overdue == OnOverdue::remind || review.assigned.empty()) return;
  const std::size_t before = review.assigned.size();
  for (const std::string& name : rules.escalate_to) {
    if (std::ranges::count(review.assigned, name) == 0) review.assigned.push_back(name);
  }
  if (review.assigned.size() == before) return;
  expect_audit({.at = now_,
                .actor = {.name = "overdue", .kind = ActorKind::engine},
                .act = "review.escalate",
                .job = review.job,
                .target = "review " + std::to_string(review.id.value())});
}

void Model::reject_overdue(ModelReview& review) {
  const std::string name = "review " + std::to_string(review.id.value());
  const Answer rejection{.outcome = ReviewOutcome::reject,
                         .reviewer = "overdue",
                         .note = name + " was not decided by its due time"};
  review.votes.push_back({.answer = rejection, .by_kind = ActorKind::engine, .given_at = now_});
  expect_audit({.at = now_,
                .actor = {.name = "overdue", .kind = ActorKind::engine},
                .act = "review.answer",
                .job = review.job,
                .target = name,
                .reason = rejection.note});
  make_effective(review, rejection);
}

}  // namespace pawl::simulation
