#include "store/verify/answer_trail.hpp"

#include <charconv>
#include <string_view>

#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/audit.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl::store {

namespace {

/// The review of "review 12"; none: it is about something else.
ReviewId review_of(std::string_view target) {
  constexpr std::string_view start = "review ";
  if (!target.starts_with(start)) return {};
  target.remove_prefix(start.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), number);
  return error == std::errc() && end == target.data() + target.size() ? ReviewId{number}
                                                                      : ReviewId{};
}

}  // namespace

Status AnswerTrail::read(Records& records, const Job& job, std::uint32_t page, Findings& findings) {
  std::string submitter;
  const AuditFilter filter{.job = job.id, .limit = page};
  const Status read = each_row(records, filter, [&](const AuditEntry& entry) {
    if (entry.act == "job.submit") submitter = entry.actor.name;
    const bool is_withdrawal = entry.act == "review.undo";
    if (!is_withdrawal && entry.act != "review.answer") return true;
    const ReviewId review = entry.origin.empty() ? review_of(entry.target) : ReviewId{};
    entries_.emplace(Key{.what = is_withdrawal ? What::withdrawal : What::answer,
                         .at = entry.at,
                         .person = entry.actor.name},
                     review);
    return true;
  });
  if (!read) return read;
  // Older versions recorded no submitter, and no entry.
  if (submitter != job.submitted_by) {
    findings.add("I19", say("job ", job.id.value(), " was submitted by '", job.submitted_by,
                            "', and the audit trail says by '", submitter, "'"));
  }
  return {};
}

bool AnswerTrail::take(const Key& key, ReviewId review) {
  const auto [first, last] = entries_.equal_range(key);
  for (auto entry = first; entry != last; ++entry) {
    if (entry->second && entry->second != review) continue;
    entries_.erase(entry);
    return true;
  }
  return false;
}

void AnswerTrail::check(const Review& review, std::span<const GivenAnswer> given,
                        Findings& findings) {
  for (const GivenAnswer& one : given) {
    const std::string& person = one.answer.reviewer;
    if (!take({.what = What::answer, .at = one.given_at, .person = person}, review.id)) {
      findings.add("I19",
                   say("answer ", one.number, " of review ", review.id.value(), ", by '", person,
                       "' at ", rfc3339(one.given_at), ", has no entry in the audit trail"));
    }
    if (one.fate != AnswerFate::withdrawn) continue;
    if (!take({.what = What::withdrawal, .at = one.ended_at, .person = person}, review.id)) {
      findings.add("I19", say("that answer ", one.number, " of review ", review.id.value(),
                              " was withdrawn has no entry in the audit trail"));
    }
  }
}

Status AnswerTrail::finish(Records& records, Findings& findings) {
  for (const auto& [key, review] : entries_) {
    if (!review || key.what == What::withdrawal) continue;
    const Result<Review> row = records.review(review);
    if (!row && row.error().code == ErrorCode::not_found) continue;
    if (!row) return std::unexpected(row.error());
    findings.add("I19",
                 say("by the audit trail, '", key.person, "' answered review ", review.value(),
                     " at ", rfc3339(key.at), ", and the review has no such answer"));
  }
  return {};
}

}  // namespace pawl::store
