#pragma once

/// How the command line names jobs, items and stages: KEY (of the newest job that has it), JOB/KEY,
/// KEY/STAGE, JOB/KEY/STAGE; JOB/STAGE for a stage that runs once per job.
///
/// Keys may hold slashes, so a text can be read in several ways. The first that is there wins: the
/// whole text as a key; then as KEY/STAGE, with the longest stage; then as JOB/…. A job or a stage
/// given apart (`--job`, `--stage`) settles it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl::cli {

struct AddressText {
  std::string text;
  std::optional<std::int64_t> job = std::nullopt;  ///< from --job
  std::string stage = {};                          ///< from --stage
};

/// What was meant.
struct Address {
  Job job;
  Workflow workflow;
  std::optional<Item> item;  ///< none: a stage that runs once per job
  std::optional<StageIndex> stage;
};

/// `not_found` comes with the nearest key of the newest job.
[[nodiscard]] Result<Address> resolve(Records& records, const AddressText& text);

/// The text that resolves to this: "41/doc-0419/convert".
[[nodiscard]] std::string address_of(JobId job, const std::string& item_key,
                                     const std::string& stage = {});

/// The tasks meant: of the stage named, else of every stage, without children, those that are
/// stored. An item taken over from an earlier job answers with the tasks of the original.
[[nodiscard]] Result<std::vector<Task>> tasks_at(Records& records, const Address& address);

/// The newest job; `not_found` says how to make one.
[[nodiscard]] Result<Job> newest_job(Records& records);
[[nodiscard]] Result<Job> job_or_newest(Records& records, const std::optional<std::int64_t>& job);

/// `not_found` where a job is named that is not there.
[[nodiscard]] Status require_job(Records& records, const std::optional<std::int64_t>& job);

/// A job with the definition it is pinned to.
struct PinnedJob {
  Job job;
  Workflow workflow;
};
/// The job of this number, else the newest.
[[nodiscard]] Result<PinnedJob> pinned_job(Records& records,
                                           const std::optional<std::int64_t>& job);

}  // namespace pawl::cli
