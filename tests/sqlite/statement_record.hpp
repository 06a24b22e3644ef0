#pragma once

/// Records every statement that any connection of this process runs, and its cost. The connections
/// are the store's own, so no statement is missed.

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include <sqlite3.h>

namespace pawl::sqlite {

/// Counted by SQLite in virtual machine steps, which repeat exactly.
struct ReadCost {
  std::int64_t steps = 0;
  std::int64_t longest = 0;  ///< of one transaction
  std::int64_t transactions = 0;
};

/// One at a time. Sees connections that are opened while it exists.
class StatementRecord {
 public:
  StatementRecord() {
    current = this;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&on_open));
  }
  StatementRecord(const StatementRecord&) = delete;
  StatementRecord& operator=(const StatementRecord&) = delete;
  ~StatementRecord() {
    sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&on_open));
    current = nullptr;
  }

  [[nodiscard]] std::set<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

  template <class Body>
  ReadCost cost_of(Body body) {
    {
      const std::lock_guard lock(mutex_);
      cost_ = {};
    }
    body();
    const std::lock_guard lock(mutex_);
    return cost_;
  }

 private:
  static int on_open(sqlite3* db, const char**, const void*) {
    return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, &on_end, nullptr);
  }
  static int on_end(unsigned, void*, void* statement, void*) {
    if (current != nullptr) current->note(static_cast<sqlite3_stmt*>(statement));
    return 0;
  }

  void note(sqlite3_stmt* statement) {
    const std::lock_guard lock(mutex_);
    const std::string text = sqlite3_sql(statement);
    texts_.insert(text);
    const std::int64_t steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    cost_.steps += steps;
    std::int64_t& open = open_[sqlite3_db_handle(statement)];
    if (text.starts_with("BEGIN")) {
      open = 0;
      ++cost_.transactions;
    }
    open += steps;
    cost_.longest = std::max(cost_.longest, open);
  }

  inline static StatementRecord* current = nullptr;

  mutable std::mutex mutex_;
  std::set<std::string> texts_;
  ReadCost cost_;
  std::map<sqlite3*, std::int64_t> open_;
};

}  // namespace pawl::sqlite
