#pragma once

/// How the command line names jobs, items and stages: KEY (of the newest job that has it), JOB/KEY,
/// KEY/STAGE, JOB/KEY/STAGE; JOB/STAGE for a stage that runs once per job.
///
/// Parts are written as `id_part` does: what is printed is one line, and is read as what it was
/// printed for. Keys may hold slashes, so other texts can be read in several ways. The first that
/// is there wins:
///
/// 1. JOB/…, where the text begins with the number of a job: KEY/STAGE, with the stage after the
///    last slash; then a stage that runs once per job; then a key;
/// 2. the whole text as a key;
/// 3. KEY/STAGE in the newest job that has both.
///
/// A slash that is written "\/" belongs to its key. A job or a stage given apart (`--job`,
/// `--stage`) settles it as well.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl::cli {

struct AddressText {
  std::string text;                                ///< with escapes
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

/// `not_found` comes with the nearest key of the newest job; `invalid` tells of a text whose
/// escapes are none.
[[nodiscard]] Result<Address> resolve(Records& records, const AddressText& text);

/// The texts that resolve to this and nothing else. An item, "41/doc-0419": where a part of the key
/// would be read as a stage of the workflow, it is written with an escape.
[[nodiscard]] std::string address_of(JobId job, const Workflow& workflow, std::string_view key);
/// A stage, "41/doc-0419/convert"; without a key one that runs once per job, "41/total". A child of
/// a fan-out, "41/doc-0419/convert[page 3]", is an id of dead letters alone.
[[nodiscard]] std::string address_of(JobId job, std::string_view key, std::string_view stage,
                                     std::string_view child = {});
/// Item or stage, whichever it is.
[[nodiscard]] std::string address_of(const Address& address);

/// An id of a child, taken apart: "41/doc-0419/convert" and "page 3"; none where the text does not
/// end like one.
struct ChildText {
  std::string parent;  ///< with escapes
  std::string child;
};
[[nodiscard]] std::optional<ChildText> read_child(std::string_view text);

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
