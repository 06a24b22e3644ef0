#pragma once

/// Where the threads of an engine find their chores.
///
/// There are three kinds of chores. A *piece* is users' code. A *call* goes to the store, in one of
/// two lines; a line carries out its calls in order, one at a time. *Driving* is one turn of the
/// loop, which reads the messages that pieces, calls and other threads have left for it; one thread
/// at a time drives.
///
/// All threads are equal. A thread that looks for a chore takes a call first, then driving, then a
/// piece. So a lone item runs, is committed and goes on to its next stage on one thread, and no
/// other thread is woken. There are more threads than pieces may run at once: blocked pieces always
/// leave threads for driving and for both lines.
///
/// One rule decides who is woken (`Desk::thread_to_wake`): whenever the mutex is released while a
/// chore can be taken and a thread rests, some thread is on its way to that chore. It has been
/// woken, or it is between two chores. To wake a thread costs more than a short piece of work. So
/// there are two exceptions, in which a chore is *left* to a thread that is busy with a short
/// piece:
///
///   - more pieces, while pieces are short;
///   - the results of fewer than `results_max` short pieces.
///
/// The thread may turn out to be stuck. So while anything is left, one resting thread, the
/// *standby*, checks every millisecond, and takes what has not moved since its last check. The
/// standby also waits for the time at which the loop wants to be driven.

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "pawl/core/time.hpp"
#include "runtime/mutex.hpp"
#include "runtime/tendency.hpp"

namespace pawl::runtime {

class Desk {
 public:
  /// Runs when the loop is driven next.
  using Message = std::move_only_function<void()>;
  /// A piece or a call. It returns a message to the loop, or an empty one.
  using Work = std::move_only_function<Message()>;
  /// Names a piece.
  using Ticket = std::uint64_t;
  enum class Line : std::uint8_t { lease, commits };
  using Steady = std::chrono::steady_clock;

  struct Mail {
    std::vector<Message> results;   ///< of pieces
    std::vector<Message> messages;  ///< of all others
    [[nodiscard]] bool is_empty() const { return results.empty() && messages.empty(); }
  };

  /// At most `pieces_max` pieces run at once.
  explicit Desk(unsigned pieces_max);
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  // Any thread.

  void post(Message message);
  /// For a message that can wait until the loop is driven anyway, at most a second.
  void post_unhurried(Message message);
  [[nodiscard]] std::int64_t abandoned() const;

  /// Pieces that have not begun.
  [[nodiscard]] std::size_t waiting_pieces() const;

  // The driver. What it adds is taken at the end of its turn at the latest.

  [[nodiscard]] Mail take_mail();
  Ticket add_piece(Work piece);
  void add_call(Line line, Work call);
  /// Wakes a thread for what was added so far. For a turn that goes on for a while, and for a
  /// driver that is not one of the threads.
  void offer();
  /// Drops a piece that has not begun: true. It has begun, or has ended: false.
  [[nodiscard]] bool withdraw(Ticket ticket);
  /// Gives up a piece that runs: its thread no longer counts. False: it does not run.
  [[nodiscard]] bool abandon(Ticket ticket);

  // A driver that is not one of the threads.

  /// Takes a piece, or a call, and carries it out; false: there is none.
  bool run_piece();
  bool run_call();
  /// Readable while a message has been posted and the mail has not been taken.
  [[nodiscard]] int fd();
  /// Waits until a message is posted, at most this long.
  void wait_for_mail(Duration at_most);

  // The threads.

  struct Seat {
    Condition woken;
    bool is_woken = false;  ///< guarded by the desk's mutex
  };
  struct Chore {
    enum class Kind : std::uint8_t { call, drive, piece };
    Kind kind = Kind::piece;
    Line line = Line::commits;
    Ticket ticket = 0;
    Work work = nullptr;
  };
  /// A place for a thread to rest. It lives as long as the desk.
  [[nodiscard]] Seat& take_seat();
  /// Waits for a chore; empty: the threads are dismissed, and nothing is left to do.
  [[nodiscard]] std::optional<Chore> next_chore(Seat& seat);
  void call_done(Line line, Message answer);
  /// The loop wants to be driven again after this time.
  void drive_done(Duration pause);
  /// False: the piece was abandoned, and so was the thread that ran it.
  [[nodiscard]] bool piece_done(Ticket ticket, Message result, Steady::duration took);
  /// From now on the threads drive.
  void begin_driving();
  void dismiss();

 private:
  struct Piece {
    Ticket ticket;
    Work work;
  };
  struct RunningPiece {
    Ticket ticket;
    int checks = 0;  ///< how many found it running
    [[nodiscard]] bool is_stuck() const { return checks > 1; }
  };
  struct Calls {
    std::deque<Work> queue;
    bool is_busy = false;
  };

  [[nodiscard]] std::optional<Chore> take_chore() PAWL_REQUIRES(mutex_);
  [[nodiscard]] std::optional<Chore> take_call() PAWL_REQUIRES(mutex_);
  [[nodiscard]] std::optional<Chore> take_piece() PAWL_REQUIRES(mutex_);
  [[nodiscard]] bool can_call() const PAWL_REQUIRES(mutex_);
  [[nodiscard]] bool can_run_piece() const PAWL_REQUIRES(mutex_);
  [[nodiscard]] bool can_drive() const PAWL_REQUIRES(mutex_) { return threads_drive_ && !driving_; }
  [[nodiscard]] bool is_left_to_another() const PAWL_REQUIRES(mutex_);

  [[nodiscard]] Seat* thread_to_wake() PAWL_REQUIRES(mutex_);
  [[nodiscard]] Seat* wake_one() PAWL_REQUIRES(mutex_);
  [[nodiscard]] Seat* begin_watch() PAWL_REQUIRES(mutex_);
  static void notify(Seat* seat);
  void rest(Seat& seat) PAWL_REQUIRES(mutex_);
  void stand_by(Seat& seat) PAWL_REQUIRES(mutex_);
  void check_progress() PAWL_REQUIRES(mutex_);

  bool stop_running(Ticket ticket) PAWL_REQUIRES(mutex_);
  void add_result(Message result) PAWL_REQUIRES(mutex_);
  void tell_host() PAWL_REQUIRES(mutex_);

  // Set in the constructor.
  const unsigned pieces_max_;
  const int fd_;

  mutable Mutex mutex_;

  // Chores.
  Mail mail_ PAWL_GUARDED_BY(mutex_);
  std::array<Calls, 2> lines_ PAWL_GUARDED_BY(mutex_);  ///< by `Line`
  std::deque<Piece> pieces_ PAWL_GUARDED_BY(mutex_);
  Ticket last_ticket_ PAWL_GUARDED_BY(mutex_) = 0;
  std::vector<RunningPiece> running_ PAWL_GUARDED_BY(mutex_);
  std::set<Ticket> abandoned_ PAWL_GUARDED_BY(mutex_);
  Tendency lengths_ PAWL_GUARDED_BY(mutex_);  ///< of pieces

  // Driving.
  bool threads_drive_ PAWL_GUARDED_BY(mutex_) = false;
  bool driving_ PAWL_GUARDED_BY(mutex_) = false;
  bool is_drive_due_ PAWL_GUARDED_BY(mutex_) = false;
  Steady::time_point drive_at_ PAWL_GUARDED_BY(mutex_) = Steady::time_point::max();

  // Threads that rest.
  std::deque<Seat> seats_ PAWL_GUARDED_BY(mutex_);
  /// The first is the standby. The last is woken first, because its memory is warm.
  std::vector<Seat*> resting_ PAWL_GUARDED_BY(mutex_);
  bool is_one_coming_ PAWL_GUARDED_BY(mutex_) = false;  ///< woken, and not there yet
  bool is_dismissed_ PAWL_GUARDED_BY(mutex_) = false;

  // The watch.
  bool is_watched_ PAWL_GUARDED_BY(mutex_) = false;
  Steady::time_point standby_until_ PAWL_GUARDED_BY(mutex_);
  std::uint64_t pieces_begun_ PAWL_GUARDED_BY(mutex_) = 0;
  std::uint64_t drives_begun_ PAWL_GUARDED_BY(mutex_) = 0;
  std::uint64_t pieces_at_check_ PAWL_GUARDED_BY(mutex_) = 0;
  std::uint64_t drives_at_check_ PAWL_GUARDED_BY(mutex_) = 0;

  // A host that drives.
  Condition mail_came_;
  bool has_told_host_ PAWL_GUARDED_BY(mutex_) = false;
  bool host_uses_fd_ PAWL_GUARDED_BY(mutex_) = false;
};

}  // namespace pawl::runtime
