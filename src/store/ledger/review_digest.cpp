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

std::string review_digest_with_edits(const std::string& digest, const Json& edits) {
  return "sha256:" + sha256_hex(digest + "\nedits:" + sha256_hex(edits.text()));
}

}  // namespace pawl::store
