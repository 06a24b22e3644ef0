/// Jobs, and what each of them is about.

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "actions/running_now.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/cursor.hpp"
#include "service/api/job_handlers.hpp"
#include "service/api/record_lookup.hpp"
#include "service/live/stage_figures.hpp"
#include "views/graph.hpp"
#include "views/jobs.hpp"

namespace pawl::service {
namespace {

/// A page ends after so many jobs that were looked at, whether they were wanted or not.
constexpr std::uint32_t looked_at_max = 5'000;
constexpr std::uint32_t page_size = 200;

/// Jobs, newest first.
class Jobs {
 public:
  Jobs(Records& records, JobFilter filter, std::optional<JobState> state)
      : records_(records), filter_(std::move(filter)), state_(state) {}

  [[nodiscard]] Result<Page> page(const std::string& after, std::uint32_t limit) const {
    const Result<std::int64_t> last = number_of_cursor(after);
    if (!last) return std::unexpected(last.error());
    JobFilter filter = filter_;
    filter.before = JobId{*last};
    filter.limit = page_size;
    PageRows rows(limit);
    std::map<std::string, Workflow> workflows;
    for (std::uint32_t looked_at = 0;;) {
      const Result<std::vector<Job>> jobs = records_.jobs(filter);
      if (!jobs) return std::unexpected(jobs.error());
      for (const Job& job : *jobs) {
        if (rows.is_full() || looked_at == looked_at_max) {
          return std::move(rows).page(std::to_string(filter.before.value()));
        }
        ++looked_at;
        filter.before = job.id;
        if (state_ && state_of(job) != *state_) continue;
        Result<Json> row = document_of(job, workflows);
        if (!row) return std::unexpected(row.error());
        rows.add(std::move(*row));
      }
      if (jobs->size() < filter.limit) return std::move(rows).page(std::nullopt);
    }
  }

 private:
  [[nodiscard]] Result<Json> document_of(const Job& job,
                                         std::map<std::string, Workflow>& workflows) const {
    auto workflow = workflows.find(job.workflow_hash);
    if (workflow == workflows.end()) {
      Result<Workflow> read = records_.workflow(job.workflow_hash);
      if (!read) return std::unexpected(read.error());
      workflow = workflows.emplace(job.workflow_hash, std::move(*read)).first;
    }
    return job_document(job, workflow->second);
  }

  Records& records_;
  JobFilter filter_;
  std::optional<JobState> state_;
};

}  // namespace

Result<Reply> list_jobs(Call& call) {
  JobFilter filter{.workflow_name = call.query.text("workflow"), .before = {}};
  if (call.query.has("ended")) filter.ended = call.query.flag("ended");
  const std::optional<JobState> state = from_name<JobState>(call.query.text("state"));
  // A job can be in any other state before its last attempt has ended.
  const bool is_going_on = state == JobState::running || state == JobState::paused;
  if (is_going_on && !filter.ended) filter.ended = false;
  const Jobs jobs(call.records(), std::move(filter), state);
  List list;
  list.page = [jobs](const std::string& after, std::uint32_t limit) {
    return jobs.page(after, limit);
  };
  return list;
}

Result<Reply> show_job(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  const actions::LiveAttempts live(call.backend.daemon.run_directory,
                                   call.backend.daemon.trusts_owner);
  return Document{
      views::with_live(job_document(whole->job, whole->workflow),
                       actions::running_now(live, call.records(), whole->job, whole->workflow))};
}

Result<Reply> show_graph_of_job(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  return Document{views::graph_document(whole->workflow, &whole->job)};
}

Result<Reply> show_stages_of_job(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  return Document{call.backend.figures.document_of(whole->job, whole->workflow)};
}

Result<Reply> show_commands_of_job(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  return Document{views::commands_document(whole->job, whole->workflow)};
}

}  // namespace pawl::service
