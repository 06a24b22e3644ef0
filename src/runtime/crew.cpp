#include "runtime/crew.hpp"

#include <system_error>
#include <thread>
#include <utility>

#include "runtime/mutex.hpp"

namespace pawl::runtime {

struct Crew::State {
  std::shared_ptr<Desk> desk;
  Drive drive;  ///< set before a thread may drive

  Mutex mutex;
  Condition thread_left;
  int threads PAWL_GUARDED_BY(mutex) = 0;  ///< without those of abandoned pieces
};

Crew::Crew(std::shared_ptr<Desk> desk, unsigned pieces) : state_(std::make_shared<State>()) {
  state_->desk = std::move(desk);
  if (pieces == 0) return;
  constexpr unsigned lines = 2;
  for (unsigned n = 0; n < pieces + lines; ++n) {
    const int error = add_thread();
    if (error == 0) continue;
    dismiss();
    throw std::system_error(error, std::generic_category(), "the system gives no more threads");
  }
}

Crew::~Crew() { dismiss(); }

void Crew::dismiss() {
  state_->desk->dismiss();
  const MutexLock lock(state_->mutex);
  while (state_->threads > 0) state_->thread_left.wait(state_->mutex);
}

void Crew::begin_driving(Drive drive) {
  state_->drive = std::move(drive);
  if (const int error = add_thread(); error != 0) {
    throw std::system_error(error, std::generic_category(), "the system gives no more threads");
  }
  state_->desk->begin_driving();
}

void Crew::abandon(Desk::Ticket ticket) {
  if (!state_->desk->abandon(ticket)) return;
  (void)add_thread();  // where the system gives no more threads, the others go on
  const MutexLock lock(state_->mutex);
  --state_->threads;
  state_->thread_left.notify_all();
}

/// Detached, because the thread of an abandoned piece must be able to outlive the crew.
int Crew::add_thread() {
  const MutexLock lock(state_->mutex);  // the thread cannot leave before it is counted
  try {
    std::thread([state = state_] { work(*state); }).detach();
  } catch (const std::system_error& refused) {
    return refused.code().value();
  }
  ++state_->threads;
  return 0;
}

void Crew::work(State& state) {
  Desk& desk = *state.desk;
  Desk::Seat& seat = desk.take_seat();
  while (std::optional<Desk::Chore> chore = desk.next_chore(seat)) {
    switch (chore->kind) {
      case Desk::Chore::Kind::call: {
        Desk::Message answer = chore->work();
        chore->work = nullptr;
        desk.call_done(chore->line, std::move(answer));
        break;
      }
      case Desk::Chore::Kind::drive:
        desk.drive_done(state.drive());
        break;
      case Desk::Chore::Kind::piece: {
        const auto begun = Desk::Steady::now();
        Desk::Message result = chore->work();
        chore->work = nullptr;  // what it holds ends here
        const auto took = Desk::Steady::now() - begun;
        if (!desk.piece_done(chore->ticket, std::move(result), took)) return;
        break;
      }
    }
  }
  const MutexLock lock(state.mutex);
  --state.threads;
  state.thread_left.notify_all();
}

}  // namespace pawl::runtime
