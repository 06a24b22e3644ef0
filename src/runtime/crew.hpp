#pragma once

/// The threads of an engine. Each takes one chore after the other from the desk.
///
/// A piece that ignores its stop token cannot be ended. It is abandoned: its thread is replaced,
/// and ends when the piece does.

#include <functional>
#include <memory>

#include "runtime/desk.hpp"

namespace pawl::runtime {

class Crew {
 public:
  /// One turn of the loop. Returns how long the loop can then be left alone.
  using Drive = std::function<Duration()>;

  /// Enough threads for `pieces` pieces and both lines of the desk; none at all for 0 pieces.
  Crew(std::shared_ptr<Desk> desk, unsigned pieces);
  /// Waits for everything but abandoned pieces.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// From now on the threads drive the loop, too.
  void begin_driving(Drive drive);
  void abandon(Desk::Ticket ticket);

 private:
  struct State;
  static void work(State& state);
  /// 0, or what the system says.
  [[nodiscard]] int add_thread();
  void dismiss();

  std::shared_ptr<State> state_;  // shared: an abandoned thread may outlive the crew
};

}  // namespace pawl::runtime
