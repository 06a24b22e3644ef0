#include "files/file_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace pawl::files {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto ask_every = std::chrono::milliseconds(25);
constexpr Duration longest_timeout =
    std::chrono::years(1);  // more would overflow the clock's time_point

std::unexpected<Error> cannot_lock(const fs::path& path, int error) {
  return fail(error == ENOMEM || error == ENOLCK || error == EAGAIN ? ErrorCode::unavailable
                                                                    : ErrorCode::refused,
              "cannot lock '" + path.string() + "': " + std::generic_category().message(error));
}

/// 0, or what the system says.
int lock_with(int file, int operation) {
  while (::flock(file, operation) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// A wait that its caller can leave. Nobody then holds the lock: its thread gives it back.
struct Waiting {
  explicit Waiting(Descriptor opened) : file(std::move(opened)) {}

  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;  ///< guarded by mutex
  bool is_left = false;    ///< guarded by mutex
  int error = 0;           ///< guarded by mutex
  Descriptor file;         ///< the thread's until it has ended
};

void block(const std::shared_ptr<Waiting>& waiting) {
  const int error = lock_with(waiting->file.get(), LOCK_EX);
  const std::lock_guard guard(waiting->mutex);
  waiting->error = error;
  waiting->has_ended = true;
  if (waiting->is_left) waiting->file = Descriptor();
  waiting->ended.notify_one();
}

/// Waits that were left and still go on. The next caller takes one over, so that a lock which stays
/// taken costs one thread for each caller and not one for each try.
class LeftWaits {
 public:
  void add(const fs::path& path, std::shared_ptr<Waiting> waiting) {
    const std::lock_guard guard(mutex_);
    waits_[path].push_back(std::move(waiting));
  }
  /// Null: there is none.
  std::shared_ptr<Waiting> take(const fs::path& path) {
    const std::lock_guard guard(mutex_);
    auto& waits = waits_[path];
    while (!waits.empty()) {
      std::shared_ptr<Waiting> one = std::move(waits.back());
      waits.pop_back();
      const std::lock_guard wait(one->mutex);
      if (one->has_ended) continue;
      one->is_left = false;
      return one;
    }
    return nullptr;
  }

 private:
  std::mutex mutex_;
  std::map<fs::path, std::vector<std::shared_ptr<Waiting>>> waits_;  ///< guarded by mutex_
};

LeftWaits& left_waits() {
  static LeftWaits waits;
  return waits;
}

/// A wait in the kernel's queue, on an opening of its own.
Result<std::shared_ptr<Waiting>> begin_wait(const fs::path& path) {
  if (std::shared_ptr<Waiting> left = left_waits().take(path)) return left;
  Descriptor other(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!other.is_open()) return cannot_lock(path, errno);
  auto waiting = std::make_shared<Waiting>(std::move(other));
  try {
    std::thread([waiting] { block(waiting); }).detach();
  } catch (const std::system_error& failed) {
    return cannot_lock(path, failed.code().value());
  }
  return waiting;
}

std::string program_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  // It is the process itself that says what it is called.
  std::erase_if(name, [](unsigned char letter) { return letter < ' ' || letter > '~'; });
  return name;
}

/// Whether the process has the file open; false also where we may not look.
bool has_open(pid_t process, const struct stat& wanted) {
  std::error_code error;
  const fs::path folder = "/proc/" + std::to_string(process) + "/fd";
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat found{};
    if (::stat(entry->path().c_str(), &found) == 0 && found.st_ino == wanted.st_ino &&
        found.st_dev == wanted.st_dev) {
      return true;
    }
  }
  return false;
}

/// "1: FLOCK  ADVISORY  WRITE 4242 08:01:131077 0 EOF": device and file stand in the sixth field. A
/// line with "->" waits. Some file systems show another device here than stat(2) does.
std::set<pid_t> processes_with_lock(const struct stat& wanted) {
  std::ifstream locks("/proc/locks");
  std::set<pid_t> found;
  for (std::string line; std::getline(locks, line);) {
    std::istringstream fields(line);
    std::string number, kind, manner, access, file;
    pid_t process = 0;
    if (!(fields >> number >> kind >> manner >> access >> process >> file)) continue;
    const std::size_t colon = file.rfind(':');
    if (colon == std::string::npos || process <= 0) continue;
    if (file.substr(colon + 1) != std::to_string(wanted.st_ino)) continue;
    // Everybody who has a database open holds a shared lock of the other kind.
    if (kind != "FLOCK" && access != "WRITE") continue;
    unsigned major_number = 0;
    unsigned minor_number = 0;
    char between = 0;
    std::istringstream device(file.substr(0, colon));
    device >> std::hex >> major_number >> between >> minor_number;
    const bool is_same_device = device && makedev(major_number, minor_number) == wanted.st_dev;
    if (is_same_device || has_open(process, wanted)) found.insert(process);
  }
  return found;
}

}  // namespace

Result<LockWait> take_lock(const fs::path& path, Descriptor& file, const LockPatience& patience) {
  int error = lock_with(file.get(), LOCK_EX | LOCK_NB);
  if (error == 0) return LockWait::taken;
  if (error != EWOULDBLOCK) return cannot_lock(path, error);

  const Result<std::shared_ptr<Waiting>> begun = begin_wait(path);
  if (!begun) return std::unexpected(begun.error());
  const std::shared_ptr<Waiting>& waiting = *begun;
  const Clock::time_point until = Clock::now() + std::min(patience.timeout, longest_timeout);
  std::unique_lock guard(waiting->mutex);
  for (;;) {
    const Clock::time_point next =
        patience.is_interrupted ? std::min(until, Clock::now() + ask_every) : until;
    if (waiting->ended.wait_until(guard, next, [&] { return waiting->has_ended; })) break;
    const bool is_over = Clock::now() >= until;
    if (!is_over && !(patience.is_interrupted && patience.is_interrupted())) continue;
    waiting->is_left = true;
    guard.unlock();
    left_waits().add(path, waiting);
    return is_over ? LockWait::timed_out : LockWait::interrupted;
  }
  if (waiting->error != 0) return cannot_lock(path, waiting->error);
  file = std::move(waiting->file);
  return LockWait::taken;
}

std::string lock_holders(const fs::path& path) {
  struct stat wanted{};
  if (::stat(path.c_str(), &wanted) != 0) return {};
  std::string text;
  for (const pid_t process : processes_with_lock(wanted)) {
    if (!text.empty()) text += ", ";
    if (process == ::getpid()) {
      text += "this process itself";
      continue;
    }
    const std::string program = program_of(process);
    text += "process " + std::to_string(process) +
            (program.empty() ? " (gone; one that it started may hold it)" : " (" + program + ")");
  }
  return text;
}

Error lock_error(const fs::path& path, LockWait how, const LockPatience& patience,
                 const std::string& holders) {
  const std::string holder = holders.empty() ? "a process that cannot be seen from here" : holders;
  if (how == LockWait::interrupted) {
    return {
        ErrorCode::unavailable,
        "stopped while waiting for the lock '" + path.string() + "', which is held by " + holder,
        "nothing was changed"};
  }
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(patience.timeout).count();
  return {ErrorCode::unavailable,
          "the lock '" + path.string() + "' was not free for " + std::to_string(milliseconds) +
              " ms: it is held by " + holder,
          "let that process finish, or end it; nothing was changed"};
}

}  // namespace pawl::files
