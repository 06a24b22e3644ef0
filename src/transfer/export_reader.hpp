#pragma once

/// Reads an export line by line, and knows at the end whether it is whole.

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include "pawl/codec/digest.hpp"
#include "transfer/lines.hpp"

namespace pawl::transfer {

class ExportReader {
 public:
  /// From where `in` stands. It must outlive the reader.
  explicit ExportReader(std::istream& in) : in_(in) {}

  /// The next line; none after the last one, when counts and digest are those of what was read, and
  /// nothing follows but a signature of it. Errors name the line.
  [[nodiscard]] Result<std::optional<Line>> next();
  /// Passes over lines up to and with this one; their bytes count for the digest.
  [[nodiscard]] Status skip_to(std::int64_t line);

  /// Of the line that was read last, from 1.
  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(text_.size()); }
  [[nodiscard]] const MovedCounts& counts() const { return counts_; }
  // Known once the last line was read.
  /// The digest of every line but the last, as the last line has it.
  [[nodiscard]] const std::string& sha256() const { return sha256_; }
  /// A signature that is good, and the fingerprint of its key.
  [[nodiscard]] const std::optional<codec::Signature>& signature() const { return signature_; }
  [[nodiscard]] const std::string& signed_by() const { return signed_by_; }
  /// An error about the line that was read last.
  [[nodiscard]] std::unexpected<Error> fault(ErrorCode code, const std::string& message,
                                             std::string help = {}) const;

 private:
  [[nodiscard]] Result<bool> read_text();
  void count(const Line& line);
  [[nodiscard]] Status check_last(const LastLine& last);
  [[nodiscard]] Status check_signature_line(const std::string& last_line);

  std::istream& in_;
  std::string text_;
  std::int64_t number_ = 0;
  Sha256 digest_;
  MovedCounts counts_;
  std::string sha256_;
  std::optional<codec::Signature> signature_;
  std::string signed_by_;
  bool skipped_ = false;  ///< lines were passed over, so the counts are not known
};

}  // namespace pawl::transfer
