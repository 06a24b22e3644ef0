#include "store/verify/payloads.hpp"

#include <algorithm>
#include <iterator>

#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/results.hpp"

namespace pawl::store {

namespace {

constexpr std::size_t remembered_max = 100'000;

/// A fault of the payload itself, as against one of the way to it.
bool is_its_own(const Error& error) {
  return error.code == ErrorCode::not_found || error.code == ErrorCode::corrupt ||
         error.code == ErrorCode::invalid;
}

}  // namespace

Status PayloadCheck::check(const Attempt& attempt, Findings& findings) {
  if (options_.payloads == VerifyOptions::Payloads::ignored) return {};
  const std::int64_t size = is_payload_reference(attempt.output)
                                ? field(attempt.output, "size").integer().value_or(-1)
                                : -1;
  return check_named(payloads_named_in(attempt), size,
                     say("attempt ", attempt.number, " of task ", attempt.task.value()), findings);
}

Status PayloadCheck::check(const Review& review, std::span<const GivenAnswer> given,
                           Findings& findings) {
  if (options_.payloads == VerifyOptions::Payloads::ignored) return {};
  const auto check_edits = [&](const Answer& answer) -> Status {
    if (!answer.edits) return {};
    return check_named(files_named_in(answer.edits->text()), -1, say("review ", review.id.value()),
                       findings);
  };
  if (review.answer) {
    if (Status checked = check_edits(*review.answer); !checked) return checked;
  }
  for (const GivenAnswer& one : given) {
    // Most are the answer of the review itself.
    if (one.answer == review.answer) continue;
    if (Status checked = check_edits(one.answer); !checked) return checked;
  }
  return {};
}

Status PayloadCheck::check_named(const std::vector<PayloadName>& names, std::int64_t output_size,
                                 const std::string& by, Findings& findings) {
  for (const PayloadName& name : names) {
    if (!name.is_certain) continue;
    const std::int64_t size = name.is_output ? output_size : -1;
    if (Status checked = check_one(name.sha256, size, name.is_output, by, findings); !checked) {
      return checked;
    }
  }
  return {};
}

Status PayloadCheck::check_one(const std::string& sha256, std::int64_t size, bool is_output,
                               const std::string& by, Findings& findings) {
  if (good_.contains(sha256)) return {};
  const auto bad = [&](std::string_view what) {
    findings.add("I13", say(by, " names the payload ", sha256, ", ", what));
    return Status();
  };
  if (!is_sha256_hex(sha256)) return bad("which is no digest");

  std::int64_t found = 0;
  std::vector<PayloadName> inside;
  if (options_.payloads == VerifyOptions::Payloads::read) {
    Sha256 digest;
    std::string seen;  // the end of the piece before, and this one
    const Status read = records_.payload_pieces(sha256, [&](std::string_view piece) -> Status {
      found += static_cast<std::int64_t>(piece.size());
      digest.update(piece);
      if (is_output) {
        seen.erase(0, seen.size() - std::min(seen.size(), payload_name_max));
        seen += piece;
        std::ranges::move(files_named_in(seen), std::back_inserter(inside));
      }
      return {};
    });
    bytes_ += found;
    if (!read && !is_its_own(read.error())) return read;
    if (!read && read.error().code == ErrorCode::not_found) return bad("which is not there");
    if (!read) return bad("and " + read.error().message);
    if (digest.finish_hex() != sha256) return bad("whose bytes are others");
  } else {
    const Result<std::int64_t> there = records_.payload_size(sha256);
    if (!there && !is_its_own(there.error())) return std::unexpected(there.error());
    if (!there) return bad("which is not there");
    found = *there;
  }
  if (size >= 0 && found != size) {
    return bad(say("with ", size, " bytes, where ", found, " are there"));
  }
  ++payloads_;
  if (good_.size() >= remembered_max) good_.clear();
  good_.insert(sha256);
  for (const PayloadName& name : inside) {
    if (Status checked = check_one(name.sha256, -1, false, by, findings); !checked) return checked;
  }
  return {};
}

}  // namespace pawl::store
