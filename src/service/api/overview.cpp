#include "service/api/overview.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <vector>

#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/records.hpp"
#include "pawl/views/documents.hpp"
#include "service/live/live_events.hpp"
#include "views/jobs.hpp"
#include "views/open_reviews.hpp"
#include "views/workers.hpp"

namespace pawl::service {
namespace {

/// Of the jobs that have not ended, the newest are looked at.
constexpr std::uint32_t jobs_max = 500;
constexpr std::size_t attention_max = 50;
/// A job whose tasks wait for a worker for longer than this needs attention.
constexpr Duration patience = std::chrono::minutes(1);
constexpr std::size_t hits_max = 20;
constexpr std::uint32_t jobs_searched = 20;

/// Why a job needs a person, one word each.
std::vector<Json> reasons_of(const Job& job, Timestamp now) {
  std::vector<Json> reasons;
  const bool is_running = state_of(job) == JobState::running;
  if (!is_trusted(job.trust)) reasons.emplace_back("untrusted");
  if (state_of(job) == JobState::paused) reasons.emplace_back("paused");
  if (views::is_held_by_paused_stages(job)) reasons.emplace_back("stages_paused");
  if (job.near_budgets != 0) reasons.emplace_back("budget_near");
  const bool has_work = views::tasks_in(job, StateKind::ready) > 0 && job.attempts_open == 0;
  const Timestamp since = std::max(job.last_progress_at, job.submitted_at);
  const bool is_held = views::is_held_by_paused_stages(job) || !is_trusted(job.trust);
  if (is_running && has_work && !is_held && now - since > patience) {
    reasons.emplace_back("no_worker");
  }
  return reasons;
}

std::vector<Json> near_budgets(const Job& job) {
  std::vector<Json> names;
  for (const std::string& name : all_names<BudgetKind>()) {
    const auto kind = static_cast<unsigned>(*from_name<BudgetKind>(name));
    if ((job.near_budgets >> kind & 1U) != 0) names.emplace_back(name);
  }
  return names;
}

Json attention_document(const Job& job, const std::vector<Json>& reasons) {
  return Json::object(
      {{"job", job.id.value()},
       {"workflow", job.workflow_name},
       {"state", name_of(state_of(job))},
       {"reasons", Json::array(reasons)},
       {"paused", job.paused == PauseCause::none ? Json() : Json(name_of(job.paused))},
       {"near_budgets", Json::array(near_budgets(job))}});
}

Result<Json> jobs_document(Records& records, Timestamp now) {
  const auto jobs = records.jobs({.ended = false, .limit = jobs_max});
  if (!jobs) return std::unexpected(jobs.error());
  std::int64_t running = 0;
  std::vector<Json> attention;
  for (const Job& job : *jobs) {
    if (state_of(job) == JobState::running) ++running;
    const std::vector<Json> reasons = reasons_of(job, now);
    if (reasons.empty() || attention.size() == attention_max) continue;
    attention.push_back(attention_document(job, reasons));
  }
  return Json::object({{"running", running},
                       {"paused", std::ssize(*jobs) - running},
                       {"is_more", jobs->size() == jobs_max},
                       {"attention", Json::array(attention)}});
}

Result<Json> reviews_document(const Backend& backend, const Caller& caller) {
  Records& records = backend.store.records();
  const Timestamp now = backend.store.now();
  const auto reviewer = views::reviewer_of(backend.store, caller.actor);
  if (!reviewer) return std::unexpected(reviewer.error());
  const std::vector<std::string> mine = reviewer->addresses();
  const std::vector<std::pair<std::string, InboxFilter>> counted = {
      {"open", {}},
      {"mine", {.assigned_to = mine}},
      {"claimed", {.claimed_by = caller.actor.name}},
      {"overdue", {.overdue_at = now}},
      {"mine_overdue", {.assigned_to = mine, .overdue_at = now}}};
  std::vector<std::pair<std::string, Json>> members;
  for (const auto& [name, filter] : counted) {
    const Result<Tally> tally = records.count(filter);
    if (!tally) return std::unexpected(tally.error());
    members.emplace_back(name, tally_document(*tally));
  }
  return Json::object(members);
}

Result<Json> workers_document(const Backend& backend) {
  const Result<std::vector<WorkerRecord>> workers = backend.store.records().workers();
  if (!workers) return std::unexpected(workers.error());
  std::map<std::string_view, std::int64_t> by_state;
  for (const WorkerRecord& worker : *workers) {
    if (worker.retired) continue;
    ++by_state[views::state_of_worker(worker, backend.store.now(), backend.daemon.is_dead)];
  }
  return Json::object({{"alive", by_state["alive"]}, {"lost", by_state["lost"]}});
}

Json hit(std::string_view kind, std::int64_t id, const Job& job, const std::string& key,
         std::string_view state) {
  return Json::object({{"kind", kind},
                       {"id", id},
                       {"job", job.id.value()},
                       {"workflow", job.workflow_name},
                       {"key", key.empty() ? Json() : Json(key)},
                       {"state", state}});
}

/// Whether the record is there. An error other than `not_found` is returned.
template <class Record>
Result<bool> exists(const Result<Record>& record) {
  if (record) return true;
  if (record.error().code == ErrorCode::not_found) return false;
  return std::unexpected(record.error());
}

Status add_numbered(Records& records, std::int64_t number, std::vector<Json>& hits) {
  const Result<Job> job = records.job(JobId{number});
  const Result<bool> is_job = exists(job);
  if (!is_job) return std::unexpected(is_job.error());
  if (*is_job) hits.push_back(hit("job", number, *job, {}, name_of(state_of(*job))));
  const Result<Review> review = records.review(ReviewId{number});
  const Result<bool> is_review = exists(review);
  if (!is_review) return std::unexpected(is_review.error());
  if (!*is_review) return {};
  const Result<Job> of = records.job(review->job);
  if (!of) return std::unexpected(of.error());
  std::string key;
  if (review->item) {
    const Result<Item> item = records.item(review->item);
    const Result<bool> is_item = exists(item);
    if (!is_item) return std::unexpected(is_item.error());
    if (*is_item) key = item->key;
  }
  hits.push_back(hit("review", number, *of, key, name_of(review->status)));
  return {};
}

}  // namespace

Result<Json> overview_document(const Backend& backend, const Caller& caller) {
  Records& records = backend.store.records();
  const Timestamp now = backend.store.now();
  // First, so that a client which follows the events after it misses nothing.
  const Result<EventSeq> last_event = records.last_event();
  if (!last_event) return std::unexpected(last_event.error());
  Result<Json> reviews = reviews_document(backend, caller);
  if (!reviews) return reviews;
  const TaskFilter failed{.state = StateKind::failed, .discarded = false};
  const Result<Tally> letters = records.count(failed);
  if (!letters) return std::unexpected(letters.error());
  Result<Json> jobs = jobs_document(records, now);
  if (!jobs) return jobs;
  Result<Json> workers = workers_document(backend);
  if (!workers) return workers;
  return Json::object({{"at", rfc3339(now)},
                       {"last_event", *last_event},
                       {"reviews", *reviews},
                       {"dead_letters", tally_document(*letters)},
                       {"jobs", *jobs},
                       {"workers", *workers}});
}

Result<Json> search_document(Records& records, const std::string& text) {
  std::vector<Json> hits;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && number > 0) {
    if (const Status added = add_numbered(records, number, hits); !added) {
      return std::unexpected(added.error());
    }
  }
  const auto jobs = records.jobs({.limit = jobs_searched});
  if (!jobs) return std::unexpected(jobs.error());
  for (const Job& job : *jobs) {
    if (hits.size() >= hits_max) break;
    const auto left = static_cast<std::uint32_t>(hits_max - hits.size());
    const auto items = records.items({.job = job.id, .key_prefix = text, .limit = left});
    if (!items) return std::unexpected(items.error());
    for (const Item& item : *items) {
      hits.push_back(hit("item", item.id.value(), job, item.key, name_of(item.state)));
    }
  }
  return Json::object({{"hits", Json::array(hits)}});
}

}  // namespace pawl::service
