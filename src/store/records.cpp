#include "pawl/store/records.hpp"

#include <algorithm>

namespace pawl {

Status Records::payload_pieces(std::string_view sha256,
                               const std::function<Status(std::string_view piece)>& take) {
  const Result<std::string> bytes = payload(sha256);
  if (!bytes) return std::unexpected(bytes.error());
  return take(*bytes);
}

Result<std::int64_t> Records::payload_size(std::string_view sha256) {
  const Result<std::string> bytes = payload(sha256);
  if (!bytes) return std::unexpected(bytes.error());
  return static_cast<std::int64_t>(bytes->size());
}

Result<std::string> Records::payload_range(std::string_view sha256, std::int64_t from,
                                           std::size_t bytes_max) {
  Result<std::string> bytes = payload(sha256);
  if (!bytes) return bytes;
  const auto begin = std::min(static_cast<std::size_t>(from), bytes->size());
  return bytes->substr(begin, bytes_max);
}

Result<std::vector<std::string>> Records::damage(bool /*thorough*/) {
  return std::vector<std::string>();
}

Result<std::vector<PoolUse>> Records::pools() {
  return fail(ErrorCode::refused, "the counters of pools cannot be told from here");
}

Result<Timestamp> Records::opening_before(const std::string& /*pool*/, std::uint32_t /*count*/) {
  return fail(ErrorCode::refused, "the starts that rates count cannot be told from here");
}

Result<Job> Store::act(const Act& act) {
  return this->act(act, Actor{.name = std::string(doer_of(act))});
}

Status Store::note_limits(WorkerId /*worker*/, const WorkerLimits& /*limits*/) {
  return fail(ErrorCode::refused, "this store does not record the limits of workers");
}

}  // namespace pawl
