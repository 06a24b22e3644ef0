#pragma once

/// The rows that the engine writes for a chain of stages, written by a bare loop: the same tables,
/// columns, values, indexes and keys, the fence checked in the WHERE of the update, including the
/// job's counters, the worker's batch number and the journal. Nothing is decided, checked or
/// encoded that the rows do not need, and each statement names only the columns that change.

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/database.hpp"
#include "pawl/runtime/program.hpp"
#include "pawl/store/store.hpp"

namespace pawl::bench {

class BareRows {
 public:
  /// Lets the store create a database with one job of the program over `items` items whose first
  /// tasks are Ready, and one worker.
  BareRows(const std::filesystem::path& path, const Program& program, std::int64_t items);

  // Call these between `begin` and `commit`.
  void begin();
  /// Opens up to `max` Ready tasks, oldest first. Returns their ordinals.
  std::vector<std::int64_t> claim(std::int64_t max);
  /// Inserts an item with its first task, opened at once. Returns its ordinal.
  std::int64_t add_item(const NewItem& item);
  /// The same with its first task Ready.
  void add_waiting_item(const NewItem& item);
  /// Closes the attempt of this stage, and opens the next stage if there is one.
  void close(std::int64_t ordinal, std::int64_t stage);
  void commit();

  /// How many stages an item goes through.
  [[nodiscard]] std::int64_t stages() const { return stages_; }

 private:
  void journal();
  void count_and_mark();
  void number(std::int64_t value);
  std::int64_t insert_item(const NewItem& item);

  std::int64_t stages_;
  Database database_;
  std::int64_t job_;
  std::int64_t worker_;
  std::int64_t lane_;
  std::int64_t ordinal_;  ///< the next one
  Query begin_;
  Query commit_;
  Query select_ready_;
  Query select_item_;
  Query open_task_;
  Query close_task_;
  Query insert_task_;
  Query insert_ready_;
  Query insert_attempt_;
  Query insert_journal_;
  Query insert_item_;
  Query select_key_;
  Query settle_item_;
  Query update_job_;
  Query update_worker_;
  Query update_ordinal_;
  Query upsert_zone_;

  std::int64_t batch_ = 0;
  std::int64_t now_ = 0;
  std::int64_t closed_ = 0;
  std::int64_t settled_ = 0;
  std::int64_t item_lo_ = 0;  ///< of the transaction; 0: none yet
  std::int64_t item_hi_ = 0;
  std::int64_t zone_lo_ = 0;
  std::int64_t zone_hi_ = 0;
  bool logged_ = false;  ///< of the transaction
  bool closed_any_ = false;
  bool added_ = false;
  std::string text_;
};

}  // namespace pawl::bench
