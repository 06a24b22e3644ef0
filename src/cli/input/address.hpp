#pragma once

/// How the command line names jobs, items and stages: KEY (of the newest job that has it), JOB/KEY,
/// KEY/STAGE, JOB/KEY/STAGE; JOB/STAGE for a job-wide stage. STAGE[CHILD] means one fan-out child
/// of the stage, and STAGE[] the stage without its children.
///
/// Parts are written by `id_part`: a printed address is one line with one meaning. Keys may contain
/// slashes, so a typed address can have several readings. The first one that exists wins:
///
/// 1. JOB/…, if the text begins with the number of a job: KEY/STAGE[CHILD]; then KEY/STAGE, with
/// the
///    stage after the last slash; then a job-wide stage; then a key;
/// 2. the whole text as a key;
/// 3. KEY/STAGE in the newest job that has both; then KEY/STAGE[CHILD] in the newest that has it.
///
/// A slash written as "\/" belongs to the key. `--job` and `--stage` also make the address
/// unambiguous.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.hpp"
#include "pawl/store/records.hpp"
#include "views/address.hpp"

namespace pawl::cli {

struct AddressText {
  std::string text;                                ///< with escapes
  std::optional<std::int64_t> job = std::nullopt;  ///< from --job
  std::string stage = {};                          ///< from --stage
};

using views::Address;
using views::address_of;

/// `not_found` suggests the nearest key of the newest job, or the nearest child of the stage.
/// `invalid` if an escape is malformed.
[[nodiscard]] Result<Address> resolve(Records& records, const AddressText& text);

/// The id of a child, split into "41/doc-0419/convert" and "page 3". None if the text does not end
/// in a child.
struct ChildText {
  std::string parent;  ///< with escapes
  std::string child;
};
[[nodiscard]] std::optional<ChildText> read_child(std::string_view text);

/// The text as a job number; none if it is not a positive number.
[[nodiscard]] std::optional<JobId> job_number(std::string_view text);

/// The newest job. `not_found` says how to start one.
[[nodiscard]] Result<Job> newest_job(Records& records);
[[nodiscard]] Result<Job> job_or_newest(Records& records, const std::optional<std::int64_t>& job);

/// `not_found` if the job is given and does not exist.
[[nodiscard]] Status require_job(Records& records, const std::optional<std::int64_t>& job);

/// A job with its store and its pinned workflow.
struct PinnedJob {
  std::shared_ptr<Store> store;
  Job job;
  Workflow workflow;
};
/// The job of the session's store with this number, else the newest.
[[nodiscard]] Result<PinnedJob> pinned_job(Session& session,
                                           const std::optional<std::int64_t>& job);

}  // namespace pawl::cli
