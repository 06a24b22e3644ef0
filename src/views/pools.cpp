#include "views/pools.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/each_row.hpp"
#include "text/durations.hpp"
#include "text/numbers.hpp"

namespace pawl::views {
namespace {

constexpr std::uint32_t page_size = 500;
constexpr std::size_t named_max = 5;

/// The workflows of jobs, each read once.
class Workflows {
 public:
  explicit Workflows(Records& records) : records_(records) {}

  Result<const Workflow*> of(JobId id) {
    if (const auto known = by_job_.find(id); known != by_job_.end()) return &known->second;
    const Result<Job> job = records_.job(id);
    if (!job) return std::unexpected(job.error());
    Result<Workflow> workflow = records_.workflow(job->workflow_hash);
    if (!workflow) return std::unexpected(workflow.error());
    return &by_job_.emplace(id, std::move(*workflow)).first->second;
  }

 private:
  Records& records_;
  std::map<JobId, Workflow> by_job_;
};

using Visit = std::function<void(const Limits& limits, SlotHolder holder)>;

/// Visits every running attempt, with the limits of its stage.
Status each_running(Records& records, JobId job, const Visit& visit) {
  Workflows workflows(records);
  const TaskFilter running{.job = job, .state = StateKind::running, .limit = page_size};
  return each_row(records, running, [&](const Task& task) -> Status {
    const Result<const Workflow*> workflow = workflows.of(task.job);
    if (!workflow) return std::unexpected(workflow.error());
    const Result<Item> item = task.item ? records.item(task.item) : Result<Item>(Item{});
    if (!item) return std::unexpected(item.error());
    const auto& state = std::get<Running>(task.state);
    visit((*workflow)->plan(task.stage()).limits,
          {.job = task.job,
           .item = item->key,
           .stage = (*workflow)->stage(task.stage()).name,
           .child = task.child ? task.child->key : std::string(),
           .attempt = task.attempts,
           .worker = state.worker,
           .since = state.opened_at});
    return {};
  });
}

void tighten(Pool& pool, const Limits& limits) {
  if (limits.parallel > 0) {
    pool.parallel = pool.parallel == 0 ? limits.parallel : std::min(pool.parallel, limits.parallel);
  }
  // The lower of two rates allows fewer attempts in the same time.
  const auto is_lower = [](const Rate& a, const Rate& b) {
    return static_cast<double>(a.count) / static_cast<double>(a.per.count()) <
           static_cast<double>(b.count) / static_cast<double>(b.per.count());
  };
  if (limits.rate.is_set() && (!pool.rate.is_set() || is_lower(limits.rate, pool.rate))) {
    pool.rate = limits.rate;
  }
}

}  // namespace

Result<Timestamp> next_slot(Records& records, const std::string& pool, const Rate& rate,
                            Timestamp now) {
  if (!rate.is_set()) return no_time;
  const Result<Timestamp> newest = records.opening_before(pool, rate.count);
  if (!newest) return std::unexpected(newest.error());
  const Timestamp next = next_opening(rate, *newest, now);
  return next > now ? next : no_time;
}

Result<std::vector<SlotHolder>> holders_of_pool(Records& records, const std::string& pool) {
  std::vector<SlotHolder> holders;
  const Status read = each_running(records, JobId{}, [&](const Limits& limits, SlotHolder holder) {
    if (limits.parallel > 0 && limits.pool == pool) holders.push_back(std::move(holder));
  });
  if (!read) return std::unexpected(read.error());
  return holders;
}

Result<std::vector<SlotHolder>> holders_in_job(Records& records, JobId job) {
  std::vector<SlotHolder> holders;
  const Status read = each_running(records, job, [&](const Limits&, SlotHolder holder) {
    holders.push_back(std::move(holder));
  });
  if (!read) return std::unexpected(read.error());
  return holders;
}

Result<std::vector<Pool>> pools_of(Records& records, Timestamp now) {
  std::map<std::string, Pool> by_name;
  JobFilter unended{.ended = false, .workflow_name = {}, .before = {}, .limit = page_size};
  for (bool is_last = false; !is_last;) {
    const Result<std::vector<Job>> page = records.jobs(unended);
    if (!page) return std::unexpected(page.error());
    for (const Job& job : *page) {
      const Result<Workflow> workflow = records.workflow(job.workflow_hash);
      if (!workflow) return std::unexpected(workflow.error());
      for (std::size_t i = 0; i < workflow->stage_count(); ++i) {
        const Limits& limits = workflow->plan(static_cast<StageIndex>(i)).limits;
        if (!limits.pool.empty()) tighten(by_name[limits.pool], limits);
      }
    }
    is_last = page->size() < page_size;
    if (!is_last) unended.before = page->back().id;
  }
  const Status running =
      each_running(records, JobId{}, [&](const Limits& limits, SlotHolder holder) {
        if (limits.pool.empty()) return;
        tighten(by_name[limits.pool], limits);
        by_name[limits.pool].holders.push_back(std::move(holder));
      });
  if (!running) return std::unexpected(running.error());
  std::vector<Pool> pools;
  for (auto& [name, pool] : by_name) {
    pool.name = name;
    pool.open = static_cast<std::int64_t>(pool.holders.size());
    const Result<Timestamp> next = next_slot(records, name, pool.rate, now);
    if (!next) return std::unexpected(next.error());
    pool.next_slot = *next;
    pools.push_back(std::move(pool));
  }
  return pools;
}

std::string in_words(const Rate& rate) {
  return std::to_string(rate.count) + " per " + text::in_words(rate.per);
}

std::string in_words(const std::vector<SlotHolder>& holders) {
  std::string text;
  for (std::size_t i = 0; i < std::min(holders.size(), named_max); ++i) {
    const SlotHolder& holder = holders[i];
    text += (i == 0 ? "" : ", ") + (holder.item.empty() ? "" : holder.item + "/") + holder.stage +
            (holder.child.empty() ? "" : "[" + holder.child + "]") + " (worker " +
            std::to_string(holder.worker.value()) + ")";
  }
  if (holders.size() > named_max) {
    text += " and " + text::with_separators(static_cast<std::int64_t>(holders.size() - named_max)) +
            " more";
  }
  return text;
}

Json holder_document(const SlotHolder& holder) {
  return Json::object({{"job", holder.job.value()},
                       {"item", holder.item.empty() ? Json() : Json(holder.item)},
                       {"stage", holder.stage},
                       {"child", holder.child.empty() ? Json() : Json(holder.child)},
                       {"attempt_number", holder.attempt},
                       {"worker", holder.worker.value()},
                       {"since", rfc3339(holder.since)}});
}

Json pool_document(const Pool& pool) {
  std::vector<Json> holders;
  for (const SlotHolder& holder : pool.holders) holders.push_back(holder_document(holder));
  return Json::object(
      {{"pool", pool.name},
       {"open", pool.open},
       {"limit", pool.parallel == 0 ? Json() : Json(pool.parallel)},
       {"rate", !pool.rate.is_set()
                    ? Json()
                    : Json::object(
                          {{"attempts", pool.rate.count},
                           {"per_seconds", std::chrono::duration<double>(pool.rate.per).count()}})},
       {"next_slot_at", pool.next_slot == no_time ? Json() : Json(rfc3339(pool.next_slot))},
       {"holders", Json::array(holders)}});
}

}  // namespace pawl::views
