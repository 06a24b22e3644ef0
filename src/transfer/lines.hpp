#pragma once

/// The lines of an export: one JSON object with one member, whose name says what it is.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "codec/signature.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/arrival.hpp"
#include "pawl/transfer/transfer.hpp"

namespace pawl::transfer {

/// The largest piece of a payload on one line, in bytes.
inline constexpr std::size_t payload_piece_max = std::size_t{1} << 20U;

struct Header {
  std::int64_t format = export_format;
  std::string pawl;  ///< the version that wrote it
  Timestamp at;
  std::string export_id;
  bool is_signed = false;  ///< a signature follows the last line
  friend bool operator==(const Header&, const Header&) = default;
};
/// A piece of a payload; the pieces of one follow each other.
struct PayloadPiece {
  std::string sha256;
  std::int64_t size = 0;  ///< of the whole
  std::int64_t offset = 0;
  std::string bytes;
};
/// A job that adopted items came from.
struct OriginalJob {
  std::vector<std::int64_t> shifts;  ///< see `Moved`
};
/// From here on: what time moves by itself.
struct DueFollows {};
struct LastLine {
  MovedCounts moved;
  std::string sha256;
};
struct MovedAttempt {
  Attempt attempt;
  bool is_original = false;
};
using Line = std::variant<Header, Workflow, Job, OriginalJob, PayloadPiece, MovedAttempt,
                          ArrivingTask, ArrivingReview, ArrivingItem, ArrivingEvents, ArrivingAudit,
                          DueFollows, LastLine, codec::Signature>;

/// Each ends in a newline.
[[nodiscard]] std::string line_of(const Header& value);
[[nodiscard]] std::string line_of(const Workflow& value);
[[nodiscard]] std::string line_of(const Job& value);
[[nodiscard]] std::string line_of(const OriginalJob& value);
[[nodiscard]] std::string line_of(const PayloadPiece& value);
[[nodiscard]] std::string line_of(const MovedAttempt& value);
[[nodiscard]] std::string line_of(const ArrivingTask& value);
[[nodiscard]] std::string line_of(const ArrivingReview& value);
[[nodiscard]] std::string line_of(const ArrivingItem& value);
[[nodiscard]] std::string line_of(const ArrivingEvents& value);
[[nodiscard]] std::string line_of(const ArrivingAudit& value);
[[nodiscard]] std::string line_of(const DueFollows& value);
[[nodiscard]] std::string line_of(const LastLine& value);
[[nodiscard]] std::string line_of(const codec::Signature& value);

/// `invalid` for anything that `line_of` does not write; the caller knows the line's number.
[[nodiscard]] Result<Line> read_line(std::string_view text);

/// Whether the text begins as the last line does, so that it is no part of what its digest is over.
[[nodiscard]] bool is_last_line(std::string_view text);

}  // namespace pawl::transfer
