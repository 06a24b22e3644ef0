#pragma once

/// A disk that fails on request: SQLite's own file layer with a fault in front of it. Databases
/// that are opened while an object of it exists go through it.

#include <atomic>
#include <cstring>
#include <new>
#include <string_view>

#include <sqlite3.h>

namespace pawl::sqlite {

class FaultyDisk {
 public:
  FaultyDisk() {
    real_ = sqlite3_vfs_find(nullptr);
    vfs_ = *real_;
    vfs_.zName = "pawl_faulty_disk";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = &FaultyDisk::open;
    sqlite3_vfs_register(&vfs_, 1);
  }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;
  ~FaultyDisk() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
    syncs_to_fail = 0;
  }

  /// How many of the next syncs of a write-ahead log fail, after the bytes were written.
  static inline std::atomic<int> syncs_to_fail = 0;

 private:
  struct File {
    sqlite3_file base;
    bool is_log;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };
  static File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
  static sqlite3_file* real_of(sqlite3_file* file) { return of(file).real(); }
  static const sqlite3_io_methods& below(sqlite3_file* file) { return *real_of(file)->pMethods; }

  static int sync(sqlite3_file* file, int flags) {
    if (of(file).is_log && syncs_to_fail > 0) {
      --syncs_to_fail;
      return SQLITE_IOERR_FSYNC;
    }
    return below(file).xSync(real_of(file), flags);
  }

  static int open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* out) {
    File& mine = of(file);
    mine.is_log = (flags & SQLITE_OPEN_WAL) != 0;
    mine.base.pMethods = nullptr;
    const int code = real_->xOpen(real_, name, mine.real(), flags, out);
    if (mine.real()->pMethods != nullptr) mine.base.pMethods = &methods_;
    return code;
  }

  static inline sqlite3_vfs* real_ = nullptr;
  static inline const sqlite3_io_methods methods_ = {
      .iVersion = 2,
      .xClose = [](sqlite3_file* f) { return below(f).xClose(real_of(f)); },
      .xRead = [](sqlite3_file* f, void* to, int n,
                  sqlite3_int64 at) { return below(f).xRead(real_of(f), to, n, at); },
      .xWrite = [](sqlite3_file* f, const void* from, int n,
                   sqlite3_int64 at) { return below(f).xWrite(real_of(f), from, n, at); },
      .xTruncate = [](sqlite3_file* f,
                      sqlite3_int64 n) { return below(f).xTruncate(real_of(f), n); },
      .xSync = &FaultyDisk::sync,
      .xFileSize = [](sqlite3_file* f,
                      sqlite3_int64* n) { return below(f).xFileSize(real_of(f), n); },
      .xLock = [](sqlite3_file* f, int level) { return below(f).xLock(real_of(f), level); },
      .xUnlock = [](sqlite3_file* f, int level) { return below(f).xUnlock(real_of(f), level); },
      .xCheckReservedLock = [](sqlite3_file* f,
                               int* out) { return below(f).xCheckReservedLock(real_of(f), out); },
      .xFileControl = [](sqlite3_file* f, int what,
                         void* arg) { return below(f).xFileControl(real_of(f), what, arg); },
      .xSectorSize = [](sqlite3_file* f) { return below(f).xSectorSize(real_of(f)); },
      .xDeviceCharacteristics =
          [](sqlite3_file* f) { return below(f).xDeviceCharacteristics(real_of(f)); },
      .xShmMap =
          [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
            return below(f).xShmMap(real_of(f), page, size, extend, out);
          },
      .xShmLock = [](sqlite3_file* f, int at, int n,
                     int flags) { return below(f).xShmLock(real_of(f), at, n, flags); },
      .xShmBarrier = [](sqlite3_file* f) { below(f).xShmBarrier(real_of(f)); },
      .xShmUnmap = [](sqlite3_file* f,
                      int remove) { return below(f).xShmUnmap(real_of(f), remove); },
      .xFetch = nullptr,
      .xUnfetch = nullptr,
  };

  sqlite3_vfs vfs_{};
};

}  // namespace pawl::sqlite
