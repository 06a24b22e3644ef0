#include "views/stage_items.hpp"

#include <array>
#include <utility>
#include <vector>

namespace pawl::views {
namespace {

constexpr std::array states{
    StateKind::ready,    StateKind::running, StateKind::retry_scheduled, StateKind::awaiting_review,
    StateKind::expanded, StateKind::failed,  StateKind::cancelled};
constexpr std::uint32_t page_size = 200;

/// The tasks of items in one state, without fan-out children, read page by page.
class Tasks {
 public:
  Tasks(Records& records, TaskFilter filter) : records_(records), filter_(std::move(filter)) {}

  /// The first task after this one; null at the end.
  Result<const Task*> first_after(TaskId last) {
    for (;;) {
      for (; at_ < page_.size(); ++at_) {
        if (!page_[at_].child && last < page_[at_].id) return &page_[at_];
      }
      if (is_last_) return nullptr;
      Result<std::vector<Task>> page = records_.tasks(filter_);
      if (!page) return std::unexpected(std::move(page.error()));
      page_ = std::move(*page);
      at_ = 0;
      is_last_ = page_.size() < filter_.limit;
      if (!page_.empty()) filter_.after = page_.back().id;
    }
  }

 private:
  Records& records_;
  TaskFilter filter_;
  std::vector<Task> page_;
  std::size_t at_ = 0;
  bool is_last_ = false;
};

}  // namespace

Status each_item_at(Records& records, JobId job, StageIndex stage, ItemId after,
                    const std::function<Result<bool>(const Item&)>& see) {
  std::vector<Tasks> lists;
  for (const StateKind state : states) {
    lists.emplace_back(records, TaskFilter{.job = job,
                                           .stage = stage,
                                           .state = state,
                                           .after = after ? task_id(after, stage) : TaskId{},
                                           .limit = page_size});
  }
  for (TaskId last;;) {
    const Task* next = nullptr;
    for (Tasks& list : lists) {
      // A task that changes meanwhile may be in two of the lists.
      const Result<const Task*> first = list.first_after(last);
      if (!first) return std::unexpected(first.error());
      if (*first != nullptr && (next == nullptr || (*first)->id < next->id)) next = *first;
    }
    if (next == nullptr) return {};
    last = next->id;
    const Result<Item> item = records.item(next->item);
    if (!item) return std::unexpected(item.error());
    const Result<bool> goes_on = see(*item);
    if (!goes_on) return std::unexpected(goes_on.error());
    if (!*goes_on) return {};
  }
}

std::int64_t items_at(const Job& job, StageIndex stage) {
  std::int64_t count = 0;
  for (const StateKind state : states) count += job.stages[at(stage)][state];
  return count;
}

}  // namespace pawl::views
