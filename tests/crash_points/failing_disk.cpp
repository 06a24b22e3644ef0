/// A disk that fails on request. It is loaded before the C library (LD_PRELOAD), between the
/// unmodified program and the calls that change files. It numbers the changes that one process
/// makes to the files of one store, records each, and makes one of them fail.
///
/// Variables, read once and removed from the environment, so that commands of the program run
/// without it:
///   LD_PRELOAD        this library, and libraries that must come before it
///   PAWL_DISK_FOLDER  the folder of the store's files
///   PAWL_DISK_RECORD  where to record the changes; disk_record.py reads it
///   PAWL_DISK_BYTES   also records the bytes of each write, if set
///   PAWL_DISK_FAULT   the fault: one of the names in `faults`
///   PAWL_DISK_AT      the first operation that may fail, from 1
///   PAWL_DISK_TIMES   how many operations fail; 0: all that follow
///
/// Syncs are reported as done but not executed: the power is never really cut, and disks are slow.
/// It misses writes through mapped memory and calls that no store makes. sweep_test.py replays the
/// record and compares it with the files, so neither goes unnoticed.

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

enum class Change { name, growth, bytes, sync };
enum class Fault {
  none,
  kill_before,
  kill_after,
  short_write,  ///< half of the bytes, then SIGKILL
  short_count,  ///< half of the bytes, as write(2) may
  sync_error,
  io_error,
  disk_full,
};

constexpr struct {
  std::string_view name;
  Fault fault;
} faults[] = {
    {"none", Fault::none},
    {"kill_before", Fault::kill_before},
    {"kill_after", Fault::kill_after},
    {"short_write", Fault::short_write},
    {"short_count", Fault::short_count},
    {"sync_error", Fault::sync_error},
    {"io_error", Fault::io_error},
    {"disk_full", Fault::disk_full},
};

/// The next function of this name in the library order.
template <class Function>
Function* below(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

[[noreturn]] void give_up(const char* why) {
  (void)!::syscall(SYS_write, STDERR_FILENO, why, std::strlen(why));
  (void)!::syscall(SYS_write, STDERR_FILENO, "\n", 1);
  ::_exit(99);
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

std::string taken(const char* name) {
  const char* const value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  ::unsetenv(name);
  return text;
}

class Disk {
 public:
  Disk() {
    ::unsetenv("LD_PRELOAD");
    folder_ = taken("PAWL_DISK_FOLDER");
    const std::string record = taken("PAWL_DISK_RECORD");
    with_bytes_ = !taken("PAWL_DISK_BYTES").empty();
    const std::string fault = taken("PAWL_DISK_FAULT");
    at_ = std::atol(taken("PAWL_DISK_AT").c_str());
    times_ = std::atol(taken("PAWL_DISK_TIMES").c_str());
    for (const auto& known : faults) {
      if (known.name == fault) fault_ = known.fault;
    }
    if (folder_.empty() || record.empty() || (fault_ == Fault::none && fault != "none")) {
      give_up(
          "failing_disk: PAWL_DISK_FOLDER, PAWL_DISK_RECORD or PAWL_DISK_FAULT is missing or "
          "unknown");
    }
    const long low = ::syscall(SYS_openat, AT_FDCWD, record.c_str(),
                               O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    // Far from the numbers that the program gets, so that those are the same as without this
    // library.
    record_ = static_cast<int>(::syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, 500));
    ::syscall(SYS_close, low);
    if (record_ < 0) give_up("failing_disk: cannot write the record");
  }
  ~Disk() { note("end\n"); }

  std::recursive_mutex mutex;  ///< one operation at a time; guards everything below

  // Which files belong to the store?

  [[nodiscard]] std::string absolute(const char* path) const {
    std::error_code ignored;
    return std::filesystem::absolute(path, ignored).lexically_normal().string();
  }
  [[nodiscard]] bool is_ours(const std::string& path) const {
    if (path == folder_) return true;
    if (!path.starts_with(folder_ + "/")) return false;
    // The index of the log is rebuilt by the first process that opens it; `run` has the scratch
    // files of commands.
    return !path.ends_with("-shm") && !path.starts_with(folder_ + "/run");
  }
  [[nodiscard]] bool holds_ours(const std::string& path) const {
    return path == std::filesystem::path(folder_).parent_path();
  }

  void opened(int file, const std::string& path) {
    handles_[file] = ++handles_made_;
    note("open\t" + std::to_string(handles_made_) + "\t" + path + "\n");
  }
  void closed(int file) { handles_.erase(file); }
  /// 0: not a file of the store.
  [[nodiscard]] long handle_of(int file) const {
    const auto found = handles_.find(file);
    return found == handles_.end() ? 0 : found->second;
  }

  // The operations

  struct Answer {
    int error = 0;      ///< 0: the operation is executed
    bool half = false;  ///< only half of the bytes
    bool dies = false;  ///< after the operation
  };
  /// Begins the next operation. `what` is for people.
  Answer begin(Change change, const std::string& what) {
    ++count_;
    note("operation\t" + std::to_string(count_) + "\t" + what + "\n");
    if (fault_ == Fault::none || count_ < at_ || (times_ > 0 && failed_ >= times_)) return {};
    const bool is_write = change == Change::bytes || change == Change::growth;
    switch (fault_) {
      case Fault::none:
        return {};
      case Fault::kill_before:
        failing();
        die();
      case Fault::kill_after:
        failing();
        return {.dies = true};
      case Fault::short_write:
        return is_write ? (failing(), Answer{.half = true, .dies = true}) : Answer{};
      case Fault::short_count:
        return is_write ? (failing(), Answer{.half = true}) : Answer{};
      case Fault::sync_error:
        return change == Change::sync ? (failing(), Answer{.error = EIO}) : Answer{};
      case Fault::io_error:
        return is_write ? (failing(), Answer{.error = EIO}) : Answer{};
      case Fault::disk_full: {
        const bool needs_space = change == Change::growth || change == Change::name;
        return needs_space ? (failing(), Answer{.error = ENOSPC}) : Answer{};
      }
    }
    return {};
  }

  void note(std::string_view text) const {
    while (!text.empty()) {
      const long written = ::syscall(SYS_write, record_, text.data(), text.size());
      if (written <= 0) give_up("failing_disk: cannot write the record");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void note_write(long handle, off_t offset, const void* bytes, std::size_t size) const {
    std::string line = (with_bytes_ ? "write\t" : "wrote\t") + std::to_string(handle) + "\t" +
                       std::to_string(offset) + "\t" + std::to_string(size) + "\n";
    if (with_bytes_) line.append(static_cast<const char*>(bytes), size) += '\n';
    note(line);
  }
  void note_said(const void* text, std::size_t size) const {
    std::string line = "said\t" + std::to_string(size) + "\n";
    line.append(static_cast<const char*>(text), size) += '\n';
    note(line);
  }

 private:
  void failing() {
    ++failed_;
    note("fault\t" + std::to_string(count_) + "\n");
  }

  std::string folder_;
  bool with_bytes_ = false;
  Fault fault_ = Fault::none;
  long at_ = 0;
  long times_ = 0;
  int record_ = -1;

  long count_ = 0;
  long failed_ = 0;
  std::map<int, long> handles_;  ///< by descriptor
  long handles_made_ = 0;
};

Disk& disk() {
  static Disk one;
  return one;
}

/// Runs before the program's own constructors, so that they do not see our variables.
[[gnu::constructor]] void begin() { (void)disk(); }

using Guard = std::lock_guard<std::recursive_mutex>;

/// An operation on names: `act` executes it and returns what the C library returns; it is recorded
/// as `line`.
template <class Act>
int carry_out(Change change, const std::string& what, const std::string& line, Act act) {
  const Disk::Answer answer = disk().begin(change, what);
  if (answer.error != 0) {
    errno = answer.error;
    return -1;
  }
  const int done = act();
  if (done == 0) disk().note(line);
  if (answer.dies) die();
  return done;
}

template <class Act>
int open_with(const char* given, int flags, Act act) {
  const Guard guard(disk().mutex);
  const std::string path = disk().absolute(given);
  const bool is_parent = disk().holds_ours(path);
  if (!is_parent && !disk().is_ours(path)) return act();
  struct stat found{};
  const bool is_new = (flags & O_CREAT) != 0 && ::stat(path.c_str(), &found) != 0;
  Disk::Answer answer;
  if (is_new) answer = disk().begin(Change::name, "create " + path);
  if (answer.error != 0) {
    errno = answer.error;
    return -1;
  }
  const int file = act();
  if (file >= 0) {
    if (is_new) disk().note("create\t" + path + "\n");
    disk().opened(file, path);
  }
  if (answer.dies) die();
  return file;
}

/// `act` writes this many of the bytes.
template <class Act>
ssize_t write_with(int file, const void* bytes, std::size_t size, off_t offset, Act act) {
  const long handle = disk().handle_of(file);
  struct stat found{};
  const bool grows =
      ::fstat(file, &found) == 0 && offset + static_cast<off_t>(size) > found.st_size;
  const Disk::Answer answer =
      disk().begin(grows ? Change::growth : Change::bytes,
                   (grows ? "write and grow " : "write ") + std::to_string(handle) + " " +
                       std::to_string(offset) + " " + std::to_string(size));
  if (answer.error != 0) {
    errno = answer.error;
    return -1;
  }
  const ssize_t done = act(answer.half && size > 1 ? size / 2 : size);
  if (done > 0) disk().note_write(handle, offset, bytes, static_cast<std::size_t>(done));
  if (answer.dies) die();
  return done;
}

int sync_with(int file, int (*real)(int)) {
  const Guard guard(disk().mutex);
  const long handle = disk().handle_of(file);
  if (handle == 0) return real(file);
  const std::string number = std::to_string(handle);
  return carry_out(Change::sync, "sync " + number, "sync\t" + number + "\n", [] { return 0; });
}

template <class Act>
int name_with(const char* verb, const char* given, Change change, Act act) {
  const Guard guard(disk().mutex);
  const std::string path = disk().absolute(given);
  if (!disk().is_ours(path)) return act();
  return carry_out(change, std::string(verb) + " " + path, std::string(verb) + "\t" + path + "\n",
                   act);
}

}  // namespace

extern "C" {

// NOLINTBEGIN(cert-dcl50-cpp): their types are the C library's.

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  static auto* const real = below<int(const char*, int, ...)>("open");
  return open_with(path, flags, [&] { return real(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  static auto* const real = below<int(const char*, int, ...)>("open64");
  return open_with(path, flags, [&] { return real(path, flags, mode); });
}

int close(int file) {
  static auto* const real = below<int(int)>("close");
  const Guard guard(disk().mutex);
  disk().closed(file);
  return real(file);
}

ssize_t write(int file, const void* bytes, size_t size) {
  static auto* const real = below<ssize_t(int, const void*, size_t)>("write");
  std::unique_lock guard(disk().mutex);
  if (disk().handle_of(file) == 0) {
    // Printed text: from now on users may rely on it.
    if (file == STDOUT_FILENO || file == STDERR_FILENO) disk().note_said(bytes, size);
    guard.unlock();  // a pipe may block us
    return real(file, bytes, size);
  }
  const off_t offset = ::lseek(file, 0, SEEK_CUR);
  return write_with(file, bytes, size, offset,
                    [&](size_t part) { return real(file, bytes, part); });
}

/// Answers to clients of the service: they may rely on them as on printed text.
ssize_t send(int socket, const void* bytes, size_t size, int flags) {
  static auto* const real = below<ssize_t(int, const void*, size_t, int)>("send");
  {
    const Guard guard(disk().mutex);
    disk().note_said(bytes, size);
  }
  return real(socket, bytes, size, flags);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static auto* const real = below<ssize_t(int, const msghdr*, int)>("sendmsg");
  {
    const Guard guard(disk().mutex);
    for (std::size_t part = 0; part < message->msg_iovlen; ++part) {
      disk().note_said(message->msg_iov[part].iov_base, message->msg_iov[part].iov_len);
    }
  }
  return real(socket, message, flags);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  static auto* const real = below<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  const Guard guard(disk().mutex);
  if (disk().handle_of(file) == 0) return real(file, bytes, size, offset);
  return write_with(file, bytes, size, offset,
                    [&](size_t part) { return real(file, bytes, part, offset); });
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  return pwrite64(file, bytes, size, offset);
}

int ftruncate64(int file, off64_t size) {
  static auto* const real = below<int(int, off64_t)>("ftruncate64");
  const Guard guard(disk().mutex);
  const long handle = disk().handle_of(file);
  if (handle == 0) return real(file, size);
  const std::string place = std::to_string(handle) + "\t" + std::to_string(size);
  return carry_out(Change::bytes, "truncate " + place, "truncate\t" + place + "\n",
                   [&] { return real(file, size); });
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

int fsync(int file) {
  static auto* const real = below<int(int)>("fsync");
  return sync_with(file, real);
}

int fdatasync(int file) {
  static auto* const real = below<int(int)>("fdatasync");
  return sync_with(file, real);
}

int mkdir(const char* path, mode_t mode) {
  static auto* const real = below<int(const char*, mode_t)>("mkdir");
  struct stat found{};
  if (::stat(path, &found) == 0) return real(path, mode);  // changes nothing
  return name_with("mkdir", path, Change::name, [&] { return real(path, mode); });
}

int unlink(const char* path) {
  static auto* const real = below<int(const char*)>("unlink");
  struct stat found{};
  if (::lstat(path, &found) != 0) return real(path);  // changes nothing
  return name_with("unlink", path, Change::bytes, [&] { return real(path); });
}

int remove(const char* path) {
  static auto* const real = below<int(const char*)>("remove");
  struct stat found{};
  if (::lstat(path, &found) != 0) return real(path);  // changes nothing
  return name_with("unlink", path, Change::bytes, [&] { return real(path); });
}

int rename(const char* from, const char* to) {
  static auto* const real = below<int(const char*, const char*)>("rename");
  const Guard guard(disk().mutex);
  const std::string old_path = disk().absolute(from);
  const std::string new_path = disk().absolute(to);
  if (!disk().is_ours(old_path)) return real(from, to);
  return carry_out(Change::name, "rename " + new_path,
                   "rename\t" + old_path + "\t" + new_path + "\n", [&] { return real(from, to); });
}

/// How the program starts commands. Threads use another call.
int clone(int (*begin)(void*), void* stack, int flags, void* argument, ...) {
  va_list more;
  va_start(more, argument);
  void* const parent = va_arg(more, void*);
  void* const local = va_arg(more, void*);
  void* const child = va_arg(more, void*);
  va_end(more);
  static auto* const real = below<int(int (*)(void*), void*, int, void*, ...)>("clone");
  {
    const Guard guard(disk().mutex);
    disk().note("started\n");
  }
  return real(begin, stack, flags, argument, parent, local, child);
}

// NOLINTEND(cert-dcl50-cpp)

}  // extern "C"
