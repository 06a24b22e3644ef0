#include "store/ledger/act_details.hpp"

#include "codec/values.hpp"
#include "core/joined.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "store/ledger/subject.hpp"

namespace pawl::store {

namespace {

std::string quoted(const std::string& name) { return "'" + name + "'"; }

/// A record that is not there has no details: the act is refused and leaves no entry.
class Details {
 public:
  explicit Details(Rows& rows) : rows_(rows) {}

  std::string operator()(const PauseStage& act) const { return stage_of_job(act.job, act.stage); }
  std::string operator()(const ResumeStage& act) const { return stage_of_job(act.job, act.stage); }
  std::string operator()(const ReviveJob& act) const {
    return act.tolerate_failures ? "tolerance " + text_of_value(*act.tolerate_failures)
                                 : std::string();
  }
  std::string operator()(const SetBudget& act) const {
    return "budget " + text_of_value(act.budget);
  }
  std::string operator()(const CancelItem& act) const { return item(act.item); }
  std::string operator()(const PurgeItem& act) const { return item(act.item); }
  std::string operator()(const Rerun& act) const { return task(act.task); }
  std::string operator()(const SkipTask& act) const { return task(act.task); }
  std::string operator()(const DiscardDeadLetter& act) const { return task(act.task); }
  std::string operator()(const AnswerReview& act) const {
    std::string text(name_of(act.answer.outcome));
    if (act.answer.attempt) text += " of attempt " + std::to_string(*act.answer.attempt);
    if (act.answer.effective_at != no_time) text += ", from " + rfc3339(act.answer.effective_at);
    return text;
  }
  std::string operator()(const ClaimReview& act) const {
    const std::optional<Review> review = rows_.review(act.review);
    std::string text = "until " + rfc3339(act.until);
    const bool is_taken = act.steal && review && !review->claimed_by.empty();
    if (is_taken && review->claimed_by != act.by) text += ", taken over from " + review->claimed_by;
    return text;
  }
  std::string operator()(const AssignReview& act) const {
    return "to " + (act.to.empty() ? std::string("everybody") : joined(act.to));
  }
  std::string operator()(const auto&) const { return {}; }

 private:
  template <class Value>
  static std::string text_of_value(const Value& value) {
    std::string text;
    codec::append_json(text, value);
    return text;
  }
  [[nodiscard]] std::string stage_of_job(JobId id, StageIndex stage) const {
    const Job* job = rows_.job(id);
    if (job == nullptr) return {};
    const Workflow& workflow = rows_.workflow(job->workflow_hash);
    if (static_cast<std::size_t>(stage) >= workflow.stage_count()) return {};
    return "stage " + quoted(workflow.stage(stage).name);
  }
  [[nodiscard]] std::string item(ItemId id) const {
    return rows_.progress(id) ? "item " + quoted(rows_.brief(id).key) : std::string();
  }
  [[nodiscard]] std::string task(TaskId id) const {
    const std::optional<Task> found = rows_.task(id);
    if (!found) return {};
    std::string text = found->item ? item(found->item) + ", " : std::string();
    text += stage_of_job(found->job, found->stage());
    return found->child ? text + ", child " + quoted(found->child->key) : text;
  }

  Rows& rows_;
};

}  // namespace

std::string details_of(Rows& rows, const Act& act) { return std::visit(Details(rows), act); }

}  // namespace pawl::store
