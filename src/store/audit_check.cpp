#include <optional>
#include <string>
#include <utility>

#include "pawl/store/audit.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl {

namespace {

constexpr std::size_t faults_max = 100;
constexpr std::uint32_t page = 500;

std::string named(std::int64_t number) { return "entry " + std::to_string(number); }

/// Follows the chain from its beginning.
class ChainReading {
 public:
  explicit ChainReading(std::string_view expected_head) : expected_head_(expected_head) {}

  void see(const AuditEntry& entry) {
    ++check_.entries;
    if (entry.number > newest_ + 1) {
      const std::string missing = newest_ + 2 == entry.number
                                      ? named(newest_ + 1) + " is"
                                      : "entries " + std::to_string(newest_ + 1) + " to " +
                                            std::to_string(entry.number - 1) + " are";
      add(missing + " missing from the audit trail");
    } else if (audit_digest(entry, check_.head) != entry.digest) {
      // After a gap nobody knows what should come before.
      add(named(entry.number) + " of the audit trail is not as it was written: its digest is not " +
          "that of its content and the entry before it");
    }
    newest_ = entry.number;
    check_.head = entry.digest;
    has_expected_ = has_expected_ || entry.digest == expected_head_;
  }

  AuditCheck finish() {
    if (!expected_head_.empty() && !has_expected_) {
      add("no entry of the audit trail has the digest " + std::string(expected_head_) +
          ": its end was removed, or all of it was replaced");
    }
    return std::move(check_);
  }

 private:
  void add(std::string fault) {
    if (check_.faults.size() < faults_max) check_.faults.push_back(std::move(fault));
  }

  std::string_view expected_head_;
  AuditCheck check_;
  std::int64_t newest_ = 0;
  bool has_expected_ = false;
};

}  // namespace

Result<AuditCheck> verify_audit(Records& records, std::string_view expected_head) {
  ChainReading chain(expected_head);
  const Status read = each_row(records, AuditFilter{.limit = page},
                               [&](const AuditEntry& entry) { chain.see(entry); });
  if (!read) return std::unexpected(read.error());
  return chain.finish();
}

}  // namespace pawl
