#pragma once

/// The context of one attempt: reads from memory what this engine holds, from the store what it
/// does not.

#include <memory>
#include <string>
#include <utility>

#include "pawl/runtime/context.hpp"
#include "runtime/job_plan.hpp"

namespace pawl::runtime {

class TaskContext final : public Context {
 public:
  TaskContext(std::shared_ptr<const OpenAttempt> attempt, std::shared_ptr<Store> store,
              Timestamp deadline)
      : attempt_(std::move(attempt)), store_(std::move(store)), deadline_(deadline) {}

  [[nodiscard]] JobId job() const override { return attempt_->plan->id; }
  void set_action(Json action) override { attempt_->action.set(std::move(action)); }
  void set_waits_for_store(bool waits) override { attempt_->waits_for_store = waits; }
  [[nodiscard]] const Workflow& workflow() const override { return attempt_->plan->workflow; }
  [[nodiscard]] const std::string& stage_name() const override;
  [[nodiscard]] const Task& task() const override { return attempt_->task; }
  [[nodiscard]] const std::string& item_key() const override { return attempt_->hold->key(); }
  [[nodiscard]] const std::string& category() const override { return attempt_->hold->category(); }
  [[nodiscard]] const Json& data() const override { return attempt_->hold->data(); }
  [[nodiscard]] const Json& job_params() const override { return attempt_->plan->params; }
  [[nodiscard]] const Json& job_labels() const override { return attempt_->plan->labels; }
  [[nodiscard]] const Json& stage_params() const override { return attempt_->stage().params; }
  [[nodiscard]] AttemptNumber attempt() const override { return attempt_->task.attempts; }
  [[nodiscard]] std::uint32_t max_attempts() const override;
  [[nodiscard]] Cause cause() const override { return attempt_->task.cause; }
  [[nodiscard]] const std::optional<Feedback>& feedback() const override {
    return attempt_->task.feedback;
  }
  [[nodiscard]] std::string idempotency_key() const override;
  [[nodiscard]] Timestamp deadline() const override { return deadline_; }
  [[nodiscard]] const ChildPart* child() const override;
  [[nodiscard]] Result<Upstream> upstream(std::string_view stage) override;
  [[nodiscard]] Result<std::vector<Attempt>> history() override;
  [[nodiscard]] Status for_each_item(const std::function<bool(const SettledItem&)>& visit) override;
  [[nodiscard]] Status for_each_child(const std::function<bool(const EndedChild&)>& visit) override;
  [[nodiscard]] Status for_each_child_of(
      std::string_view stage, const std::function<bool(const EndedChild&)>& visit) override;

 private:
  /// Remembers that the store did not answer.
  template <class Answer>
  [[nodiscard]] Answer noted(Answer answer) const;
  [[nodiscard]] Status check_is_upstream(StageIndex other) const;
  [[nodiscard]] Result<Upstream> read_upstream(std::string_view stage);
  [[nodiscard]] Status visit_children(TaskId parent,
                                      const std::function<bool(const EndedChild&)>& visit);

  std::shared_ptr<const OpenAttempt> attempt_;
  std::shared_ptr<Store> store_;
  Timestamp deadline_;
};

/// The inline limit: a larger output is kept as a payload file and named by its digest.
inline constexpr std::size_t inline_output_max = 64 * 1024;

}  // namespace pawl::runtime
