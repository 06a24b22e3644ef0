#include "actions/process.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/child_process.hpp"
#include "actions/command_lookup.hpp"
#include "actions/log_text.hpp"
#include "actions/process_table.hpp"
#include "files/descriptor.hpp"
#include "pawl/core/result.hpp"

namespace pawl::actions {

namespace {

using Clock = std::chrono::steady_clock;

/// How long processes that the leader left behind may keep the pipes open.
constexpr auto drain_max = std::chrono::milliseconds(500);
/// How long killed processes may take to disappear.
constexpr auto vanish_max = std::chrono::seconds(2);

/// Gives the descriptor a number above the standard streams, so that wiring one does not close
/// another.
files::Descriptor above_standard(files::Descriptor found) {
  if (found.get() > STDERR_FILENO || !found.is_open()) return found;
  return files::Descriptor(::fcntl(found.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// The input as a file: no thread has to write it, so a process that never reads it blocks nothing,
/// and one that ends early breaks no pipe.
files::Descriptor input_of(const std::string& text) {
  if (text.empty())
    return above_standard(files::Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  files::Descriptor file(::memfd_create("pawl-input", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Written with offsets, so that the process reads from the start.
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t now = ::pwrite(file.get(), text.data() + written, text.size() - written,
                                 static_cast<off_t>(written));
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return {};
    written += static_cast<std::size_t>(now);
  }
  // Seal the file, so that neither the process nor its children can write to it.
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) !=
      0) {
    return {};
  }
  return above_standard(std::move(file));
}

struct Pipe {
  files::Descriptor ours;
  files::Descriptor theirs;
};
std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  Pipe made{files::Descriptor(ends[0]), files::Descriptor(ends[1])};
  made.theirs = above_standard(std::move(made.theirs));
  if (!made.theirs.is_open()) return std::nullopt;
  return made;
}

/// One stream of the process: reads, masks, stores and shows it.
class Stream {
 public:
  Stream(const ProcessSpec& spec, const std::string& file, std::size_t capture_max)
      : mask_(spec.secrets),
        log_(spec.log_bytes_max),
        live_file_(file),
        live_room_(file.empty() ? 0 : spec.log_bytes_max),
        capture_max_(capture_max) {}

  void open(Pipe pipe) { pipe_ = std::move(pipe); }
  /// From here on the pipe ends when its last holder closes it. Until now our own copy kept it
  /// open, so that the end of the leader wakes us once, not a second time for its pipes.
  void let_end() { pipe_.theirs.reset(); }
  void close() { pipe_ = {}; }
  [[nodiscard]] bool is_open() const { return pipe_.ours.is_open(); }
  [[nodiscard]] int descriptor() const { return pipe_.ours.get(); }

  /// Reads what the pipe holds, or its end. Reads only once: a second read might block, and the
  /// other stream gets its turn.
  void read() {
    std::array<char, 65'536> buffer;  // NOLINT: read() fills it
    const ssize_t got = ::read(pipe_.ours.get(), buffer.data(), buffer.size());
    if (got > 0) {
      take({buffer.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || errno != EINTR) {
      close();
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
    const std::size_t now = std::min(masked.size(), live_room_);
    if (now == 0) return;
    if (!live_.is_open()) {
      live_ = files::Descriptor(
          ::open(live_file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    }
    live_room_ -= now;
    // For people who watch. A failed write does not matter, because the log itself is in memory.
    (void)!::write(live_.get(), masked.data(), now);
  }

  Mask mask_;
  LogText log_;
  Pipe pipe_;
  const std::string& live_file_;
  files::Descriptor live_;  ///< opened with the first byte
  std::size_t live_room_;
  std::size_t capture_max_;
  std::string captured_;
  bool captured_all_ = true;
};

/// Pointers to the texts with a null pointer at the end, as exec expects.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Wakes a thread that waits for its process. Each thread has one for all of its processes.
class StopEvent {
 public:
  StopEvent() {
    if (!of_thread.is_open())
      of_thread = files::Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    number_ = of_thread.get();
  }
  StopEvent(const StopEvent&) = delete;
  StopEvent& operator=(const StopEvent&) = delete;
  ~StopEvent() {
    std::uint64_t ignored = 0;
    if (was_set_) (void)!::read(number_, &ignored, sizeof ignored);
  }

  /// May be called on any thread.
  void set() {
    const std::uint64_t one = 1;
    was_set_ = true;
    (void)!::write(number_, &one, sizeof one);
  }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int descriptor() const { return number_; }

 private:
  static thread_local files::Descriptor of_thread;

  int number_ = -1;
  std::atomic<bool> was_set_ = false;
};
thread_local files::Descriptor StopEvent::of_thread;

/// A running process group, from its start until all of it is gone.
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
    require(!spec_.argv.empty(), "a process needs a command");
    const auto program = program_to_try(spec_.argv.front(), spec_.env, spec_.cwd);
    if (!program) return refuse(program.error());

    const files::Descriptor in = input_of(spec_.input);
    std::optional<Pipe> out = make_pipe();
    std::optional<Pipe> err = make_pipe();
    if (!stop_event_.is_open() || !in.is_open() || !out || !err) {
      return refuse(start_refusal(errno, spec_.argv.front()));
    }
    const std::vector<char*> argv = pointers_to(spec_.argv);
    const std::vector<char*> env = pointers_to(spec_.env);
    const int error = process_.start({.program = program->c_str(),
                                      .argv = argv.data(),
                                      .env = env.data(),
                                      .cwd = spec_.cwd.empty() ? nullptr : spec_.cwd.c_str(),
                                      .in = in.get(),
                                      .out = spec_.out_to >= 0 ? spec_.out_to : out->theirs.get(),
                                      .err = err->theirs.get()});
    if (error != 0) return refuse(reason_of(error));
    // Only we wait for our children, so the number belongs to the leader until it is reaped.
    leader_ = process_.pid();
    if (spec_.out_to < 0) out_.open(std::move(*out));
    err_.open(std::move(*err));
    if (spec_.started) spec_.started(leader_);
    if (!process_.handle().is_open()) note_end();
    return true;
  }

  /// Explains an errno of the start for this command.
  [[nodiscard]] StartRefusal reason_of(int error) const {
    const auto found = find_command(spec_.argv.front(), spec_.env, spec_.cwd);
    return found ? start_refusal(error, spec_.argv.front()) : found.error();
  }

  void watch() {
    const std::stop_callback on_stop(spec_.stop, [this] { stop_event_.set(); });
    while (!has_ended_ || is_worth_draining()) {
      wait_for_something();
      act_on_time();
    }
  }

  /// Whether a process may still write output that we want: for a moment after the leader's end,
  /// and during the grace period of group members that were asked to stop.
  bool is_worth_draining() {
    if (!out_.is_open() && !err_.is_open()) return false;
    const Clock::time_point now = Clock::now();
    if (now < drain_until_) return true;
    if (!kill_at_ || now >= *kill_at_ || !has_living_members(leader_)) return false;
    drain_until_ = now + std::chrono::milliseconds(50);
    return true;
  }

  void wait_for_something() {
    // poll ignores a negative descriptor.
    std::array<pollfd, 4> events{
        pollfd{.fd = has_ended_ ? -1 : process_.handle().get(), .events = POLLIN, .revents = 0},
        pollfd{.fd = out_.descriptor(), .events = POLLIN, .revents = 0},
        pollfd{.fd = err_.descriptor(), .events = POLLIN, .revents = 0},
        pollfd{.fd = end_.stopped || has_ended_ ? -1 : stop_event_.descriptor(),
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
      process_.signal(SIGKILL);
    }
  }

  void ask_to_stop() {
    end_.stopped = true;
    process_.signal(SIGTERM);
    process_.signal(SIGCONT);  // a stopped process would not react to the signal before
    kill_at_ = Clock::now() + spec_.grace;
  }

  /// Does not reap the leader: while it is a zombie, its number identifies this group.
  void note_end() {
    siginfo_t what{};
    const int flags = WEXITED | WNOWAIT | WNOHANG;
    was_taken_ = ::waitid(P_PID, static_cast<id_t>(leader_), &what, flags) != 0;
    if (!was_taken_ && what.si_pid == 0) return;
    has_ended_ = true;
    end_.how = what.si_code == CLD_EXITED ? ProcessEnd::How::exited : ProcessEnd::How::signalled;
    end_.number = what.si_status;
    // A shell blocks signals while it starts a command. A signal that arrives then ends the shell,
    // but the command does not get it.
    if (end_.stopped) process_.signal(SIGTERM);
    drain_until_ = Clock::now() + drain_max;
    out_.let_end();
    err_.let_end();
  }

  void end_all() {
    if (was_taken_) {  // its number may belong to another process by now
      process_.reap();
      refuse({.fault = StartFault::other,
              .error = ECHILD,
              .text = "the exit status of the command is unknown: this program ignores SIGCHLD, or "
                      "another part of it waits for all children"});
      return;
    }
    // Members that were asked to stop get their grace period, even if the leader did not need it.
    while (kill_at_ && Clock::now() < *kill_at_ && has_living_members(leader_)) {
      ::poll(nullptr, 0, 10);
    }
    process_.signal(SIGKILL);
    process_.reap();
    // Killed processes take a moment to disappear.
    const Clock::time_point until = Clock::now() + vanish_max;
    while (::kill(-leader_, 0) == 0 && has_living_members(leader_) && Clock::now() < until) {
      ::poll(nullptr, 0, 1);
    }
  }

  const ProcessSpec& spec_;
  ProcessEnd& end_;
  Stream out_;
  Stream err_;
  ChildProcess process_;
  pid_t leader_ = 0;
  StopEvent stop_event_;
  bool has_ended_ = false;
  bool was_taken_ = false;  ///< another part of the program has reaped it
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

}  // namespace pawl::actions
