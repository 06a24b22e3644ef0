#pragma once

/// I13: what records refer to is there, and is what they refer to.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>

#include "store/payloads/payload_names.hpp"
#include "store/verify/checks.hpp"

namespace pawl::store {

/// Remembers up to a hundred thousand payloads that were found good, so that one that many records
/// share is read once; beyond that it forgets them all, which costs only time.
class PayloadCheck {
 public:
  /// Both must outlive it.
  PayloadCheck(Records& records, const VerifyOptions& options)
      : records_(records), options_(options) {}

  /// The attempt's output and artifacts. An error where the store cannot be read.
  [[nodiscard]] Status check(const Attempt& attempt, Findings& findings);
  /// The edits of its answers.
  [[nodiscard]] Status check(const Review& review, std::span<const GivenAnswer> given,
                             Findings& findings);

  [[nodiscard]] std::int64_t payloads() const { return payloads_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  /// `output_size` as the reference to a whole output has it; -1: it says none.
  [[nodiscard]] Status check_named(const std::vector<PayloadName>& names, std::int64_t output_size,
                                   const std::string& by, Findings& findings);
  /// `size` as the reference has it; -1: it says none. `inside`: what an output that is kept as a
  /// payload names itself.
  [[nodiscard]] Status check_one(const std::string& sha256, std::int64_t size, bool is_output,
                                 const std::string& by, Findings& findings);

  Records& records_;
  const VerifyOptions& options_;
  std::unordered_set<std::string> good_;
  std::int64_t payloads_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace pawl::store
