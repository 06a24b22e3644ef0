#include "store/ledger/review_digest.hpp"

#include "pawl/codec/digest.hpp"

namespace pawl::store {

std::string review_digest(std::span<const Attempt> shown, const Json& input) {
  std::string text;
  for (const Attempt& attempt : shown) {
    text += std::to_string(attempt.number) + ":" + sha256_hex(attempt.output.text()) + "\n";
  }
  text += "input:" + sha256_hex(input.text());
  return "sha256:" + sha256_hex(text);
}

std::string review_digest_with(const std::string& digest, const Review& review,
                               const ApprovedContent& proposed) {
  const bool is_other_attempt = proposed.attempt != review.attempt;
  if (!is_other_attempt && !proposed.edits) return digest;
  std::string text = digest;
  if (is_other_attempt) text += "\nattempt:" + std::to_string(proposed.attempt);
  if (proposed.edits) text += "\nedits:" + sha256_hex(proposed.edits->text());
  return "sha256:" + sha256_hex(text);
}

}  // namespace pawl::store
