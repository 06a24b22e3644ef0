#include "service/live/store_figures.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "pawl/codec/names.hpp"
#include "service/live/ready_since.hpp"
#include "views/workers.hpp"

namespace pawl::service {
namespace {

constexpr std::uint32_t page_size = 500;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

void write_one(MetricText& text, std::string_view name, std::string_view help, double value) {
  text.begin(name, MetricKind::gauge, help);
  text.add(value);
}

Status write_people_work(MetricText& text, Records& records, Timestamp now) {
  const Result<Tally> open = records.count(InboxFilter{});
  if (!open) return std::unexpected(open.error());
  const Result<Tally> overdue = records.count(InboxFilter{.overdue_at = now});
  if (!overdue) return std::unexpected(overdue.error());
  const TaskFilter failed{.state = StateKind::failed, .discarded = false};
  const Result<Tally> letters = records.count(failed);
  if (!letters) return std::unexpected(letters.error());
  write_one(text, "pawl_reviews_open", "Reviews that wait for people, counted up to 1000.",
            static_cast<double>(open->count));
  write_one(text, "pawl_reviews_overdue", "Reviews past their due time, counted up to 1000.",
            static_cast<double>(overdue->count));
  write_one(text, "pawl_dead_letters",
            "Failed tasks that nobody has retried or discarded, counted up to 1000.",
            static_cast<double>(letters->count));
  return {};
}

Status write_workers(MetricText& text, Records& records, Timestamp now,
                     const std::function<bool(WorkerId)>& is_dead) {
  const Result<std::vector<WorkerRecord>> workers = records.workers();
  if (!workers) return std::unexpected(workers.error());
  std::map<std::string_view, std::int64_t> by_state{{"alive", 0}, {"lost", 0}};
  for (const WorkerRecord& worker : *workers) {
    if (!worker.retired) ++by_state[views::state_of_worker(worker, now, is_dead)];
  }
  text.begin("pawl_workers", MetricKind::gauge, "Workers that have not signed off, by state.");
  for (const auto& [state, count] : by_state) {
    text.add({{"state", state}}, static_cast<double>(count));
  }
  return {};
}

}  // namespace

void StoreFigures::write(MetricText& text, Store& store,
                         const std::function<bool(WorkerId)>& is_dead) {
  const auto began = std::chrono::steady_clock::now();
  const bool is_up = store.records().last_event().has_value();
  const auto took = std::chrono::steady_clock::now() - began;
  write_one(text, "pawl_store_up", "Whether the store answers.", is_up ? 1 : 0);
  if (!is_up) return;
  write_one(text, "pawl_store_read_seconds", "How long a small read of the store took just now.",
            std::chrono::duration<double>(took).count());
  // An error ends the text early; the next reading says that the store is down.
  (void)write_all(text, store, is_dead);
}

Status StoreFigures::write_all(MetricText& text, Store& store,
                               const std::function<bool(WorkerId)>& is_dead) {
  Records& records = store.records();
  Result<Jobs> jobs = read_jobs(records);
  if (!jobs) return std::unexpected(jobs.error());
  LeftOut left_out{{"jobs", jobs->has_more ? 1 : 0}, {"stages", jobs->stages_left_out}};
  text.begin("pawl_jobs", MetricKind::gauge, "Jobs that have not ended, by state.");
  for (const auto& [state, count] : jobs->by_state) {
    text.add({{"state", name_of(state)}}, static_cast<double>(count));
  }
  text.begin(
      "pawl_tasks", MetricKind::gauge,
      "Tasks on record of the jobs that have not ended, by state; fan-out children included.");
  for (const auto& [names, counts] : jobs->tasks) {
    for (std::size_t kind = 0; kind < state_kinds; ++kind) {
      text.add({{"workflow", names.workflow},
                {"stage", names.stage},
                {"state", name_of(static_cast<StateKind>(kind))}},
               static_cast<double>(counts.by_kind[kind]));
    }
  }
  if (const Status done = write_queues(text, store, *jobs, left_out); !done) return done;
  if (const Status done = write_people_work(text, records, store.now()); !done) return done;
  if (const Status done = write_workers(text, records, store.now(), is_dead); !done) return done;
  if (const Status done = write_pools(text, records, *jobs, left_out); !done) return done;
  text.begin("pawl_metrics_left_out", MetricKind::gauge,
             "How many things have no series of their own because there are too many; at least.");
  for (const auto& [what, count] : left_out) {
    text.add({{"what", what}}, static_cast<double>(count));
  }
  return {};
}

Result<StoreFigures::Jobs> StoreFigures::read_jobs(Records& records) {
  Jobs jobs;
  jobs.by_state = {{JobState::running, 0}, {JobState::paused, 0}};
  JobFilter unended{.ended = false, .workflow_name = {}, .before = {}, .limit = page_size};
  for (bool is_last = false; !is_last;) {
    const Result<std::vector<Job>> page = records.jobs(unended);
    if (!page) return std::unexpected(page.error());
    for (const Job& job : *page) {
      if (jobs.all.size() >= jobs_max) {
        jobs.has_more = true;
        return jobs;
      }
      ++jobs.by_state[state_of(job)];
      if (const Status added = add_stages(records, job, jobs); !added) {
        return std::unexpected(added.error());
      }
      jobs.all.emplace(job.id, job);
    }
    is_last = page->size() < page_size;
    if (!is_last) unended.before = page->back().id;
  }
  return jobs;
}

Status StoreFigures::add_stages(Records& records, const Job& job, Jobs& jobs) {
  const Result<std::shared_ptr<const Workflow>> workflow = workflow_of(records, job.workflow_hash);
  if (!workflow) return std::unexpected(workflow.error());
  for (std::size_t i = 0; i < (*workflow)->stage_count(); ++i) {
    const auto index = static_cast<StageIndex>(i);
    const Limits& limits = (*workflow)->plan(index).limits;
    if (!limits.pool.empty()) {
      Pool& pool = jobs.pools[limits.pool];
      const bool is_tighter = pool.parallel == 0 || limits.parallel < pool.parallel;
      if (limits.parallel > 0 && is_tighter) pool.parallel = limits.parallel;
    }
    StageNames names{.workflow = job.workflow_name, .stage = (*workflow)->stage(index).name};
    const bool has_room = jobs.tasks.size() < stages_max || jobs.tasks.contains(names);
    if (!has_room) {
      ++jobs.stages_left_out;
      continue;
    }
    StateCounts& sum = jobs.tasks[std::move(names)];
    for (std::size_t kind = 0; kind < state_kinds; ++kind) {
      sum.by_kind[kind] += job.stages[i].by_kind[kind] + job.children[i].by_kind[kind];
    }
  }
  return {};
}

Status StoreFigures::write_queues(MetricText& text, Store& store, const Jobs& jobs,
                                  LeftOut& left_out) {
  const Result<std::vector<LaneHead>> heads = store.ready_lanes();
  if (!heads) return std::unexpected(heads.error());
  std::map<StageNames, LaneHead> queues;
  for (const LaneHead& head : *heads) {
    const auto job = jobs.all.find(head.job);
    if (job == jobs.all.end()) continue;
    const Result<StageNames> names = names_of(store.records(), job->second, head.stage);
    if (!names) return std::unexpected(names.error());
    const auto known = queues.find(*names);
    if (known == queues.end() || head.oldest < known->second.oldest) queues[*names] = head;
  }
  text.begin("pawl_queue_oldest_age_seconds", MetricKind::gauge,
             "How long the oldest item of a stage has waited for a worker.");
  std::size_t written = 0;
  for (const auto& [names, head] : queues) {
    if (++written > queues_max) break;
    const Job& job = jobs.all.at(head.job);
    const Result<std::shared_ptr<const Workflow>> workflow =
        workflow_of(store.records(), job.workflow_hash);
    if (!workflow) return std::unexpected(workflow.error());
    const Result<Timestamp> since =
        ready_since(store.records(), job, **workflow, task_id(head.oldest, head.stage));
    if (!since) continue;  // it is not waiting any more
    text.add({{"workflow", names.workflow}, {"stage", names.stage}},
             std::max(seconds(store.now() - *since), 0.0));
  }
  left_out["queues"] = queues.size() > queues_max ? queues.size() - queues_max : 0;
  return {};
}

Status StoreFigures::write_pools(MetricText& text, Records& records, Jobs& jobs,
                                 LeftOut& left_out) {
  // A store that cannot tell it has no pools.
  if (const Result<std::vector<PoolUse>> used = records.pools()) {
    for (const PoolUse& use : *used) jobs.pools[use.pool].open = use.open;
  }
  left_out["pools"] = jobs.pools.size() > pools_max ? jobs.pools.size() - pools_max : 0;
  while (jobs.pools.size() > pools_max) jobs.pools.erase(std::prev(jobs.pools.end()));
  text.begin("pawl_pool_slots_used", MetricKind::gauge,
             "Open attempts that hold a slot of a pool.");
  for (const auto& [name, pool] : jobs.pools) {
    text.add({{"pool", name}}, static_cast<double>(pool.open));
  }
  text.begin("pawl_pool_slots", MetricKind::gauge,
             "Slots of a pool: the strictest limit of the jobs that have not ended.");
  for (const auto& [name, pool] : jobs.pools) {
    if (pool.parallel > 0) text.add({{"pool", name}}, pool.parallel);
  }
  return {};
}

std::optional<StageNames> StoreFigures::find(Records& records, JobId id, StageIndex stage) {
  const auto unless_gone = [](const Error& error) {
    const bool is_gone = error.code == ErrorCode::not_found;
    return is_gone ? std::optional(StageNames{}) : std::nullopt;
  };
  const Result<Job> job = records.job(id);
  if (!job) return unless_gone(job.error());
  const Result<StageNames> names = names_of(records, *job, stage);
  return names ? std::optional(*names) : unless_gone(names.error());
}

Result<StageNames> StoreFigures::names_of(Records& records, const Job& job, StageIndex stage) {
  const Result<std::shared_ptr<const Workflow>> workflow = workflow_of(records, job.workflow_hash);
  if (!workflow) return std::unexpected(workflow.error());
  if (at(stage) >= (*workflow)->stage_count()) return StageNames{};
  return StageNames{.workflow = job.workflow_name, .stage = (*workflow)->stage(stage).name};
}

Result<std::shared_ptr<const Workflow>> StoreFigures::workflow_of(Records& records,
                                                                  const std::string& hash) {
  if (const auto* const known = workflows_.find(hash)) return *known;
  const Result<Workflow> workflow = records.workflow(hash);
  if (!workflow) return std::unexpected(workflow.error());
  return workflows_.add(hash, std::make_shared<const Workflow>(*workflow));
}

}  // namespace pawl::service
