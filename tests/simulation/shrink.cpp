#include "simulation/shrink.hpp"

#include <algorithm>
#include <chrono>

namespace pawl::simulation {

namespace {

constexpr auto patience = std::chrono::seconds(30);

class Shrinking {
 public:
  Shrinking(Tape tape, const RunOptions& options, const Finding& finding, std::uint64_t steps)
      : best_{.tape = std::move(tape), .options = options}, invariant_(finding.invariant) {
    best_.options.tell = {};
    best_.options.steps = static_cast<std::uint32_t>(std::min<std::uint64_t>(steps, options.steps));
  }

  Shrunk run() {
    for (std::size_t before = 0; before != best_.tape.size() + sum() && !is_over();) {
      before = best_.tape.size() + sum();
      for (std::size_t size = best_.tape.size(); size > 0 && !is_over(); size /= 2) {
        pass(size, [](Tape& tape, std::size_t from, std::size_t to) {
          tape.erase(tape.begin() + static_cast<std::ptrdiff_t>(from),
                     tape.begin() + static_cast<std::ptrdiff_t>(to));
        });
        pass(size, [](Tape& tape, std::size_t from, std::size_t to) {
          std::fill(tape.begin() + static_cast<std::ptrdiff_t>(from),
                    tape.begin() + static_cast<std::ptrdiff_t>(to), 0U);
        });
      }
    }
    return best_;
  }

 private:
  using Change = void (*)(Tape&, std::size_t, std::size_t);

  /// Tries the change on each range of this size, from the end.
  void pass(std::size_t size, Change change) {
    for (std::size_t end = best_.tape.size(); end > 0 && !is_over();) {
      const std::size_t from = end > size ? end - size : 0;
      Tape tried = best_.tape;
      change(tried, from, std::min(end, tried.size()));
      if (tried != best_.tape) (void)keep_if_it_fails(std::move(tried));
      end = std::min(from, best_.tape.size());
    }
  }

  bool keep_if_it_fails(Tape tape) {
    ++best_.tries;
    Choices choices(std::move(tape));
    const Run run = simulate(choices, best_.options);
    if (!run.finding || run.finding->invariant != invariant_) return false;
    best_.tape = choices.tape();
    best_.tape.resize(std::min(best_.tape.size(), choices.used()));
    while (!best_.tape.empty() && best_.tape.back() == 0) best_.tape.pop_back();
    return true;
  }

  [[nodiscard]] std::size_t sum() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(best_.tape, [](auto one) { return one != 0; }));
  }
  [[nodiscard]] bool is_over() const {
    return std::chrono::steady_clock::now() - begun_ > patience;
  }

  Shrunk best_;
  std::string invariant_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace

Shrunk shrink(Tape tape, const RunOptions& options, const Finding& finding, std::uint64_t steps) {
  return Shrinking(std::move(tape), options, finding, steps).run();
}

}  // namespace pawl::simulation
