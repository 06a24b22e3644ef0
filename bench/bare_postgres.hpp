#pragma once

/// The rows that the engine writes for a chain of stages, written to PostgreSQL by a bare loop: the
/// same tables, columns, values, indexes and keys, as arrays in prepared statements with pinned
/// plans, and a transaction sent as a whole. The fence of every task, the job's generation and the
/// worker are checked in the statements that write them. The job's counters, the worker's batch,
/// the writer and the journal with its numbers and zones are maintained. Nothing is decided that
/// the rows do not need.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/bulk_rows.hpp"
#include "bench/postgres_server.hpp"

namespace pawl::bench {

class BarePostgres {
 public:
  /// Gives the Ready tasks of a schema the expected version. Call it before the measurement.
  static void make_versions_alike(const Schema& schema);

  /// The schema was created by a store. It has one job of the chain whose first tasks are Ready,
  /// and one worker.
  BarePostgres(const Schema& schema, Constants constants);

  /// Opens up to `max` Ready tasks, oldest first, in a transaction. Returns their ordinals.
  std::vector<std::int64_t> claim(std::int64_t max);
  /// Closes the attempt of this stage, and opens the next stage if there is one.
  void close(std::int64_t ordinal, std::int64_t stage);
  /// Runs the transaction for what was closed; durable when this returns.
  void commit();

 private:
  void begin();
  void note(std::int64_t ordinal);
  void end_journal_row();
  void post_journal();
  void post_job();

  PostgresSession session_;
  std::int64_t job_;
  std::int64_t worker_;
  std::int64_t lane_;
  std::int64_t writer_;
  std::int64_t last_ordinal_;
  BulkRows opened_;
  BulkRows closed_;
  BulkRows fresh_;
  BulkRows attempts_;
  BulkRows settled_;
  BulkRows journal_;

  std::int64_t batch_ = 0;
  std::int64_t now_ = 0;
  std::int64_t all_closed_ = 0;
  std::int64_t all_settled_ = 0;
  std::int64_t item_lo_ = 0;  ///< of the journal row; 0: none yet
  std::int64_t item_hi_ = 0;
  std::string text_;
};

}  // namespace pawl::bench
