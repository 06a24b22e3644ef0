#include "bench/counting_vfs.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include <sqlite3.h>

#include "bench/measure.hpp"

namespace pawl::bench {

namespace {

struct Counters {
  std::atomic<std::int64_t> log_bytes = 0;
  std::atomic<std::int64_t> log_syncs = 0;
  std::atomic<std::int64_t> database_bytes = 0;
  std::atomic<std::int64_t> database_syncs = 0;
  std::atomic<std::int64_t> log_peak = 0;
};

Counters& counters_of(const std::string& database) {
  static std::mutex mutex;
  static std::map<std::string, Counters> all;
  const std::lock_guard lock(mutex);
  return all[database];
}

/// A file as SQLite sees it; the real one follows it in memory.
struct CountedFile {
  sqlite3_file base;
  Counters* counters;
  bool is_log;

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
CountedFile& counted(sqlite3_file* file) { return *reinterpret_cast<CountedFile*>(file); }

/// A method that only forwards its arguments.
template <auto Method>
struct HandOn;
template <class Answer, class... Arguments,
          Answer (*sqlite3_io_methods::*Method)(sqlite3_file*, Arguments...)>
struct HandOn<Method> {
  static Answer call(sqlite3_file* file, Arguments... arguments) {
    sqlite3_file* const real = counted(file).real();
    return (real->pMethods->*Method)(real, arguments...);
  }
};

int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  const CountedFile& seen = counted(file);
  if (seen.is_log) {
    seen.counters->log_bytes += size;
    const std::int64_t end = at + size;
    std::int64_t peak = seen.counters->log_peak;
    while (end > peak && !seen.counters->log_peak.compare_exchange_weak(peak, end)) {
    }
  } else {
    seen.counters->database_bytes += size;
  }
  return HandOn<&sqlite3_io_methods::xWrite>::call(file, bytes, size, at);
}

int sync(sqlite3_file* file, int flags) {
  const CountedFile& seen = counted(file);
  ++(seen.is_log ? seen.counters->log_syncs : seen.counters->database_syncs);
  return HandOn<&sqlite3_io_methods::xSync>::call(file, flags);
}

constexpr sqlite3_io_methods methods{
    .iVersion = 3,
    .xClose = HandOn<&sqlite3_io_methods::xClose>::call,
    .xRead = HandOn<&sqlite3_io_methods::xRead>::call,
    .xWrite = write,
    .xTruncate = HandOn<&sqlite3_io_methods::xTruncate>::call,
    .xSync = sync,
    .xFileSize = HandOn<&sqlite3_io_methods::xFileSize>::call,
    .xLock = HandOn<&sqlite3_io_methods::xLock>::call,
    .xUnlock = HandOn<&sqlite3_io_methods::xUnlock>::call,
    .xCheckReservedLock = HandOn<&sqlite3_io_methods::xCheckReservedLock>::call,
    .xFileControl = HandOn<&sqlite3_io_methods::xFileControl>::call,
    .xSectorSize = HandOn<&sqlite3_io_methods::xSectorSize>::call,
    .xDeviceCharacteristics = HandOn<&sqlite3_io_methods::xDeviceCharacteristics>::call,
    .xShmMap = HandOn<&sqlite3_io_methods::xShmMap>::call,
    .xShmLock = HandOn<&sqlite3_io_methods::xShmLock>::call,
    .xShmBarrier = HandOn<&sqlite3_io_methods::xShmBarrier>::call,
    .xShmUnmap = HandOn<&sqlite3_io_methods::xShmUnmap>::call,
    .xFetch = HandOn<&sqlite3_io_methods::xFetch>::call,
    .xUnfetch = HandOn<&sqlite3_io_methods::xUnfetch>::call};

sqlite3_vfs* below = nullptr;

int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  CountedFile& seen = counted(file);
  seen.base.pMethods = nullptr;
  const int code = below->xOpen(below, name, seen.real(), flags, out_flags);
  if (code != SQLITE_OK) return code;
  seen.is_log = (flags & SQLITE_OPEN_WAL) != 0;
  constexpr int of_a_database = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
  seen.counters = &counters_of((flags & of_a_database) != 0 ? sqlite3_filename_database(name) : "");
  seen.base.pMethods = &methods;
  return SQLITE_OK;
}

}  // namespace

Traffic operator-(const Traffic& after, const Traffic& before) {
  return {.log_bytes = after.log_bytes - before.log_bytes,
          .log_syncs = after.log_syncs - before.log_syncs,
          .database_bytes = after.database_bytes - before.database_bytes,
          .database_syncs = after.database_syncs - before.database_syncs};
}

void count_traffic() {
  static sqlite3_vfs vfs;
  below = sqlite3_vfs_find(nullptr);
  if (below == nullptr) give_up("SQLite has no file system");
  // Everything except opening is the same, so the data of the system's own functions is copied too.
  vfs = *below;
  vfs.zName = "counting";
  vfs.szOsFile = static_cast<int>(sizeof(CountedFile)) + below->szOsFile;
  vfs.xOpen = open;
  if (sqlite3_vfs_register(&vfs, 1) != SQLITE_OK) give_up("SQLite refused to be counted");
}

Traffic traffic_of(const std::filesystem::path& database) {
  const Counters& seen = counters_of(database.string());
  return {.log_bytes = seen.log_bytes,
          .log_syncs = seen.log_syncs,
          .database_bytes = seen.database_bytes,
          .database_syncs = seen.database_syncs};
}

std::int64_t log_peak(const std::filesystem::path& database) {
  return counters_of(database.string()).log_peak;
}

void restart_log_peak(const std::filesystem::path& database) {
  counters_of(database.string()).log_peak = 0;
}

}  // namespace pawl::bench
