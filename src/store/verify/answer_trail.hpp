#pragma once

/// I19, held against the rows of a job: who submitted it, and every answer to its reviews, is in
/// the audit trail.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "pawl/store/records.hpp"
#include "store/verify/checks.hpp"

namespace pawl::store {

class AnswerTrail {
 public:
  /// Reads the entries about this job, and checks who submitted it.
  Status read(Records& records, const Job& job, std::uint32_t page, Findings& findings);
  /// Whether the answers to a review, and their withdrawals, have entries.
  void check(const Review& review, std::span<const GivenAnswer> given, Findings& findings);
  /// Whether entries are left of answers that are gone, although their review is there. The reviews
  /// of purged items are gone with their answers.
  Status finish(Records& records, Findings& findings);

 private:
  enum class What : std::uint8_t { answer, withdrawal };
  struct Key {
    What what = What::answer;
    Timestamp at;
    std::string person;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  bool take(const Key& key, ReviewId review);

  /// The review of each entry; none: the entry was imported and has the number of the other store.
  std::multimap<Key, ReviewId> entries_;
};

}  // namespace pawl::store
