#pragma once

/// The queue of the writers of one database: lock `next`, lock `writer`, unlock `next`.
///
/// SQLite's own waiting is a lottery in which a second process may lose for seconds. Here the
/// holder of `next` is the next to write, and the kernel hands over both locks in order of arrival.
///
/// If the turn does not come in time, the error names the holder of the lock.
///
/// Threads: one turn at a time; the owner's mutex ensures that.

#include <filesystem>

#include "sqlite/lock_file.hpp"

namespace pawl::sqlite {

class Turnstile {
 public:
  /// Creates `<database>.next` and `<database>.writer` if they are missing.
  explicit Turnstile(const std::filesystem::path& database, files::LockPatience patience = {});

  /// A turn to write; it ends with this object.
  class Turn {
   public:
    explicit Turn(LockFile& writer) : writer_(&writer) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { writer_->unlock(); }

   private:
    LockFile* writer_;
  };

  /// Waits for its turn. Throws a `Fault` with `unavailable` if that takes too long.
  [[nodiscard]] Turn enter();

 private:
  [[noreturn]] void give_up(const LockFile& lock, files::LockWait how) const;

  files::LockPatience patience_;
  LockFile next_;
  LockFile writer_;
};

}  // namespace pawl::sqlite
