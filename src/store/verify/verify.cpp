#include "pawl/store/verify.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "pawl/store/arrival.hpp"
#include "store/verify/job.hpp"
#include "store/verify/pools.hpp"

namespace pawl {

using namespace store;

namespace {

class StoreReading {
 public:
  StoreReading(Records& records, const VerifyOptions& options)
      : records_(records),
        options_(options),
        log_(records, options, found_),
        payloads_(records, options) {}

  Result<Verification> run() {
    Status done = options_.job ? Status() : check_database();
    if (done) done = log_.catch_up();
    if (done) done = options_.job ? verify_one(options_.job) : verify_all();
    if (done && !options_.job) done = check_jobs_of_log();
    if (done && !options_.job) done = check_pools(records_, options_, log_, found_);
    if (done && !options_.job) done = check_audit();
    if (!done) done = tell_of_damage(done.error(), JobId{});
    if (!done) return std::unexpected(std::move(done.error()));
    found_.payloads = payloads_.payloads();
    found_.payload_bytes = payloads_.bytes();
    for (Violation& violation : found_.violations) name_place(violation);
    return std::move(found_);
  }

 private:
  Status check_database() {
    if (options_.database == VerifyOptions::Database::ignored) return {};
    const bool thorough = options_.database == VerifyOptions::Database::thorough;
    const Result<std::vector<std::string>> damage = records_.damage(thorough);
    if (!damage) return tell_of_damage(damage.error(), JobId{});
    Findings findings(found_);
    for (const std::string& one : *damage) findings.add("database", "its own check says: " + one);
    return {};
  }

  /// What cannot be read because it is damaged is a finding; every other error stays one. Nothing
  /// more is said of the job then, or of the store.
  Status tell_of_damage(const Error& error, JobId job) {
    if (error.code != ErrorCode::corrupt) return std::unexpected(error);
    Findings findings(found_);
    findings.about(job);
    findings.add("database", error.message + "; the rest was not judged");
    return {};
  }

  Status verify_one(JobId job) {
    jobs_.insert(job);
    const Status read = verify_job(records_, options_, job, log_, payloads_, found_);
    return read ? Status() : tell_of_damage(read.error(), job);
  }

  Status verify_all() {
    JobFilter filter{.limit = options_.page};
    while (true) {
      const Result<std::vector<Job>> page = records_.jobs(filter);
      if (!page) return std::unexpected(page.error());
      for (const Job& job : *page) {
        if (is_arriving(job)) {
          found_.arriving.push_back(job.id);
          continue;
        }
        if (Status read = verify_one(job.id); !read) return read;
      }
      if (page->size() < filter.limit) return {};
      filter.before = page->back().id;
    }
  }

  /// I1: the log tells of no job that is not there. One that came after the list was read is.
  Status check_jobs_of_log() {
    std::vector<JobId> unseen;
    log_.each_job([&](JobId job) {
      if (!jobs_.contains(job)) unseen.push_back(job);
    });
    std::ranges::sort(unseen);
    Findings findings(found_);
    for (const JobId id : unseen) {
      const Result<Job> job = records_.job(id);
      if (job) continue;
      if (job.error().code != ErrorCode::not_found) return std::unexpected(job.error());
      findings.about(id);
      findings.add("I1", say("the log mentions job ", id.value(), ", which is not there"));
    }
    return {};
  }

  /// I19.
  Status check_audit() {
    const Result<AuditCheck> checked = verify_audit(records_);
    if (!checked) return std::unexpected(checked.error());
    found_.audit_entries = checked->entries;
    Findings findings(found_);
    for (const std::string& fault : checked->faults) findings.add("I19", fault);
    return {};
  }

  /// What people call the place. A row that cannot be read has no name.
  void name_place(Violation& violation) {
    if (violation.task && !violation.item) {
      if (const Result<Task> task = records_.task(violation.task)) violation.item = task->item;
    }
    if (violation.item) {
      if (const Result<Item> item = records_.item(violation.item)) violation.item_key = item->key;
    }
    if (!violation.task || !violation.job) return;
    const Result<Job> job = records_.job(violation.job);
    if (!job) return;
    const Result<Workflow> workflow = records_.workflow(job->workflow_hash);
    const StageIndex stage = stage_of(violation.task);
    if (workflow && at(stage) < workflow->stage_count()) {
      violation.stage = workflow->stage(stage).name;
    }
  }

  Records& records_;
  const VerifyOptions& options_;
  Verification found_;
  LogReading log_;
  PayloadCheck payloads_;
  std::unordered_set<JobId> jobs_;  ///< whose rows were read
};

}  // namespace

Result<Verification> verify(Records& records, const VerifyOptions& options) {
  VerifyOptions checked = options;
  checked.page = std::max<std::uint32_t>(options.page, 1);
  return StoreReading(records, checked).run();
}

}  // namespace pawl
