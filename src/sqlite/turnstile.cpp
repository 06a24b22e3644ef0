#include "sqlite/turnstile.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sqlite/faults.hpp"
#include "sqlite/paths.hpp"

namespace pawl::sqlite {

Turnstile::Turnstile(const std::filesystem::path& database, files::LockPatience patience)
    : patience_(std::move(patience)),
      next_(beside(database, ".next")),
      writer_(beside(database, ".writer")) {}

Turnstile::Turn Turnstile::enter() {
  const auto began = std::chrono::steady_clock::now();
  if (const files::LockWait how = next_.lock(patience_); how != files::LockWait::taken)
    give_up(next_, how);
  try {
    const Duration waited =
        std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - began);
    const files::LockPatience rest{
        .timeout = std::max(patience_.timeout - waited, Duration::zero()),
        .is_interrupted = patience_.is_interrupted};
    if (const files::LockWait how = writer_.lock(rest); how != files::LockWait::taken)
      give_up(writer_, how);
  } catch (...) {
    next_.unlock();
    throw;
  }
  next_.unlock();
  return Turn(writer_);
}

/// The holder of `next` waits for the writer, unless it keeps `next` for good.
void Turnstile::give_up(const LockFile& lock, files::LockWait how) const {
  std::string holders = files::lock_holders(lock.path());
  if (&lock == &next_) {
    const std::string writers = files::lock_holders(writer_.path());
    if (!writers.empty()) {
      holders = (holders.empty() ? "a process that waits" : holders + ", waiting itself") +
                " for '" + writer_.path().string() + "', held by " + writers;
    }
  }
  throw Fault(files::lock_error(lock.path(), how, patience_, holders));
}

}  // namespace pawl::sqlite
