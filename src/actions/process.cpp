#include "actions/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/command_lookup.hpp"
#include "actions/descriptor.hpp"
#include "actions/log_text.hpp"
#include "actions/process_table.hpp"
#include "pawl/core/result.hpp"

namespace pawl {

namespace {

using Clock = std::chrono::steady_clock;

/// How long what the leader left behind may keep the pipes open.
constexpr auto drain_max = std::chrono::milliseconds(500);
/// How long killed processes may take to be gone.
constexpr auto vanish_max = std::chrono::seconds(2);

/// With a number above those of the standard streams, so that wiring one does not cut another.
Descriptor above_standard(Descriptor found) {
  if (found.get() > STDERR_FILENO || !found.is_open()) return found;
  return Descriptor(::fcntl(found.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// The input as a file: nobody has to feed it, so a process that never reads it hinders nobody,
/// and one that ends early breaks no pipe.
Descriptor input_of(const std::string& text) {
  if (text.empty()) return above_standard(Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  const Descriptor file(::memfd_create("pawl-input", MFD_CLOEXEC));
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t now = ::write(file.get(), text.data() + written, text.size() - written);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return {};
    written += static_cast<std::size_t>(now);
  }
  // Opened anew, so that the process cannot write to it and reads from the start.
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  return above_standard(Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
}

struct Pipe {
  Descriptor ours;
  Descriptor theirs;
};
std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  Pipe made{Descriptor(ends[0]), Descriptor(ends[1])};
  made.theirs = above_standard(std::move(made.theirs));
  if (!made.theirs.is_open()) return std::nullopt;
  ::fcntl(made.ours.get(), F_SETFL, O_NONBLOCK);
  return made;
}

/// One stream of the process, read, masked, kept and shown.
class Stream {
 public:
  Stream(const ProcessSpec& spec, const std::filesystem::path& file, std::size_t capture_max)
      : mask_(spec.secrets),
        log_(spec.log_bytes_max),
        live_room_(spec.log_bytes_max),
        capture_max_(capture_max) {
    if (!file.empty()) {
      live_ = Descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    }
  }

  void open(Descriptor pipe) { pipe_ = std::move(pipe); }
  void close() { pipe_.reset(); }
  [[nodiscard]] bool is_open() const { return pipe_.is_open(); }
  [[nodiscard]] int descriptor() const { return pipe_.get(); }

  /// Reads what is there, and no more than a stretch of it, so that the other stream gets its turn.
  void read() {
    std::array<char, 65'536> buffer;  // NOLINT: read() fills it
    for (int turn = 0; turn < 16; ++turn) {
      const ssize_t got = ::read(pipe_.get(), buffer.data(), buffer.size());
      if (got > 0) {
        take({buffer.data(), static_cast<std::size_t>(got)});
      } else if (got < 0 && errno == EINTR) {
        continue;
      } else {
        if (got == 0 || errno != EAGAIN) close();
        return;
      }
    }
  }

  void finish(std::string& text, std::int64_t& bytes) {
    keep(mask_.finish());
    text = log_.text();
    bytes = log_.bytes();
  }
  void finish_capture(std::string& captured, bool& all) {
    captured = std::move(captured_);
    all = captured_all_;
  }

 private:
  void take(std::string_view piece) {
    if (capture_max_ > 0) {
      const std::size_t room = capture_max_ - captured_.size();
      captured_ += piece.substr(0, room);
      captured_all_ = captured_all_ && piece.size() <= room;
    }
    keep(mask_.feed(piece));
  }
  void keep(const std::string& masked) {
    log_.append(masked);
    if (!live_.is_open() || live_room_ == 0) return;
    const std::size_t now = std::min(masked.size(), live_room_);
    live_room_ -= now;
    // For whoever looks on: what cannot be written is not missed, the log itself is kept in memory.
    (void)!::write(live_.get(), masked.data(), now);
  }

  Mask mask_;
  LogText log_;
  Descriptor pipe_;
  Descriptor live_;
  std::size_t live_room_;
  std::size_t capture_max_;
  std::string captured_;
  bool captured_all_ = true;
};

/// Which streams of the child go where.
struct Wiring {
  int in = -1;
  int out = -1;
  int err = -1;
};

/// Starts the program; answers 0 or an errno.
int spawn(const ProcessSpec& spec, const std::string& program, const Wiring& wiring, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, wiring.in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, wiring.out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, wiring.err, STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  if (!spec.cwd.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, spec.cwd.c_str());

  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> argv;
  for (const std::string& argument : spec.argv) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> env;
  for (const std::string& variable : spec.env) env.push_back(const_cast<char*>(variable.c_str()));
  env.push_back(nullptr);

  const int error =
      ::posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), env.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

/// A running process group, from its start to the last of it.
class Group {
 public:
  Group(const ProcessSpec& spec, ProcessEnd& end)
      : spec_(spec),
        end_(end),
        out_(spec, spec.out_file, spec.capture_bytes_max),
        err_(spec, spec.err_file, 0) {}

  void run() {
    const Clock::time_point begun = Clock::now();
    if (start()) {
      watch();
      end_all();
    }
    out_.finish(end_.out, end_.out_bytes);
    err_.finish(end_.err, end_.err_bytes);
    out_.finish_capture(end_.captured, end_.captured_all);
    end_.took = std::chrono::duration_cast<Duration>(Clock::now() - begun);
  }

 private:
  bool refuse(const StartRefusal& why) {
    end_.how = ProcessEnd::How::not_started;
    end_.number = why.error;
    end_.fault = why.fault;
    end_.fault_text = why.text;
    return false;
  }

  bool start() {
    require(!spec_.argv.empty(), "a process has a command");
    const std::string& command = spec_.argv.front();
    const auto program = find_command(command, spec_.env, spec_.cwd);
    if (!program) return refuse(program.error());

    stop_event_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    const Descriptor in = input_of(spec_.input);
    std::optional<Pipe> out = make_pipe();
    std::optional<Pipe> err = make_pipe();
    if (!stop_event_.is_open() || !in.is_open() || !out || !err) {
      return refuse(start_refusal(errno, command));
    }
    const Wiring wiring{.in = in.get(),
                        .out = spec_.out_to >= 0 ? spec_.out_to : out->theirs.get(),
                        .err = err->theirs.get()};
    if (const int error = spawn(spec_, *program, wiring, leader_); error != 0) {
      return refuse(start_refusal(error, command));
    }
    // Nobody else waits for our children, so the number is the leader's until we let it go.
    leader_event_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, leader_, 0)));
    if (!leader_event_.is_open()) {
      const int error = errno;
      end_all();
      return refuse(start_refusal(error, command));
    }
    if (spec_.out_to < 0) out_.open(std::move(out->ours));
    err_.open(std::move(err->ours));
    if (spec_.started) spec_.started(leader_);
    return true;
  }

  void watch() {
    const std::stop_callback on_stop(spec_.stop, [this] {
      const std::uint64_t one = 1;
      (void)!::write(stop_event_.get(), &one, sizeof one);
    });
    while (!has_ended_ || is_worth_draining()) {
      wait_for_something();
      act_on_time();
    }
  }

  /// Whether somebody may still write what we want to read: for a moment after the leader's end,
  /// and for as long as those of the group that were asked to stop have their grace.
  bool is_worth_draining() {
    if (!out_.is_open() && !err_.is_open()) return false;
    const Clock::time_point now = Clock::now();
    if (now < drain_until_) return true;
    if (!kill_at_ || now >= *kill_at_ || !has_living_members(leader_)) return false;
    drain_until_ = now + std::chrono::milliseconds(50);
    return true;
  }

  void wait_for_something() {
    // A negative descriptor is passed over by poll.
    std::array<pollfd, 4> events{
        pollfd{.fd = has_ended_ ? -1 : leader_event_.get(), .events = POLLIN, .revents = 0},
        pollfd{.fd = out_.descriptor(), .events = POLLIN, .revents = 0},
        pollfd{.fd = err_.descriptor(), .events = POLLIN, .revents = 0},
        pollfd{.fd = end_.stopped || has_ended_ ? -1 : stop_event_.get(),
               .events = POLLIN,
               .revents = 0}};
    if (::poll(events.data(), events.size(), milliseconds_left()) <= 0) return;
    if (events[1].revents != 0) out_.read();
    if (events[2].revents != 0) err_.read();
    if (events[0].revents != 0) note_end();
    if (events[3].revents != 0 && !has_ended_) ask_to_stop();
  }

  [[nodiscard]] int milliseconds_left() const {
    Clock::time_point next = Clock::time_point::max();
    if (kill_at_) next = *kill_at_;
    if (has_ended_) next = std::min(next, drain_until_);
    if (next == Clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }

  void act_on_time() {
    if (kill_at_ && Clock::now() >= *kill_at_) {
      kill_at_.reset();
      ::kill(-leader_, SIGKILL);
    }
  }

  void ask_to_stop() {
    end_.stopped = true;
    ::kill(-leader_, SIGTERM);
    ::kill(-leader_, SIGCONT);  // one that was halted would never hear of it
    kill_at_ = Clock::now() + spec_.grace;
  }

  /// Leaves the leader unburied: as long as it is there, its number names this group only.
  void note_end() {
    siginfo_t what{};
    if (::waitid(P_PID, static_cast<id_t>(leader_), &what, WEXITED | WNOWAIT | WNOHANG) != 0 ||
        what.si_pid == 0) {
      return;
    }
    has_ended_ = true;
    end_.how = what.si_code == CLD_EXITED ? ProcessEnd::How::exited : ProcessEnd::How::signalled;
    end_.number = what.si_status;
    drain_until_ = Clock::now() + drain_max;
  }

  void end_all() {
    // Who was asked to stop has its time, also when the leader did not need it.
    while (kill_at_ && Clock::now() < *kill_at_ && has_living_members(leader_)) {
      ::poll(nullptr, 0, 10);
    }
    ::kill(-leader_, SIGKILL);
    int ignored = 0;
    while (::waitpid(leader_, &ignored, 0) < 0 && errno == EINTR) {
    }
    // Killed is not yet gone.
    const Clock::time_point until = Clock::now() + vanish_max;
    while (::kill(-leader_, 0) == 0 && has_living_members(leader_) && Clock::now() < until) {
      ::poll(nullptr, 0, 1);
    }
  }

  const ProcessSpec& spec_;
  ProcessEnd& end_;
  Stream out_;
  Stream err_;
  pid_t leader_ = 0;
  Descriptor leader_event_;
  Descriptor stop_event_;
  bool has_ended_ = false;
  Clock::time_point drain_until_;
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace

ProcessEnd run_process(const ProcessSpec& spec) {
  ProcessEnd end;
  Group(spec, end).run();
  return end;
}

std::string signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

}  // namespace pawl
