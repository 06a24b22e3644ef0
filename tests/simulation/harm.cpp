/// The faults: of calls, processes, lines and clocks.

#include <algorithm>

#include "simulation/simulation.hpp"

namespace pawl::simulation {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t processes_max = 4;

}  // namespace

Fate Simulation::fate(const char* verb) {
  if (is_calm_ || !options_.harm || !choices_.one_in(scenario_.calls_to_a_fate))
    return Fate::carried_out;
  const auto drawn = static_cast<Fate>(choices_.below(fates));
  if (drawn == Fate::carried_out) return drawn;
  ++run_.faults;
  tell([&] {
    constexpr const char* names[] = {"",
                                     "is refused",
                                     "is answered, and the answer lost",
                                     "comes twice",
                                     "comes again later",
                                     "comes late",
                                     "is answered late",
                                     "dies with its process",
                                     "is under way, its process dies",
                                     "is carried out, its process dies"};
    return std::string("  a ") + verb + " " + names[static_cast<std::size_t>(drawn)];
  });
  return drawn;
}

bool Simulation::is_read_missed() {
  constexpr std::uint32_t reads_to_a_call = 3;
  if (is_calm_ || !options_.harm) return false;
  if (!choices_.one_in(scenario_.calls_to_a_fate * reads_to_a_call)) return false;
  ++run_.faults;
  return true;
}

void Simulation::harm() {
  std::vector<Process*> living;
  for (const std::unique_ptr<Process>& one : processes_) {
    if (!one->line().is_dead()) living.push_back(one.get());
  }
  if (living.empty()) {
    start_process();
    return;
  }
  std::vector<Process*> ill;
  for (Process* one : living) {
    if (one->is_frozen || one->line().is_cut) ill.push_back(one);
  }
  if (!ill.empty() && choices_.one_in(2)) {
    Process& one = *choices_.pick(ill);
    one.is_frozen = false;
    one.line().is_cut = false;
    one.quiet_at = 0;
    tell([&] { return one.name() + " is well again"; });
    return;
  }
  if (store_->may_forget() && depth_ == 0 && choices_.one_in(8)) return set_back();
  Process& one = *choices_.pick(living);
  switch (choices_.below(6)) {
    case 1:
      tell([&] { return one.name() + " is killed"; });
      one.line().kill();
      return;
    case 2:
      tell([&] { return one.name() + " freezes"; });
      one.is_frozen = true;
      return;
    case 3:
      tell([&] { return one.name() + " is cut off"; });
      one.line().is_cut = true;
      return;
    case 4:
      if (one.is_busy) return;
      tell([&] { return one.name() + " is asked to stop"; });
      one.is_busy = true;
      one.engine().stop();
      one.is_busy = false;
      one.line().kill();
      return;
    default:
      if (living.size() < processes_max) start_process();
      return;
  }
}

/// A standby takes over without the newest commits. Calls in flight are lost with the connections;
/// submissions that are lost are submitted again.
void Simulation::set_back() {
  const std::size_t calls = 1 + choices_.below(16);
  tell([&] { return "the store forgets its last " + std::to_string(calls) + " calls"; });
  ++run_.faults;
  store_->forget(calls);
  clock_.advance(1ms);
  ++stirs_;
  under_way_.clear();
  lying_.clear();
  watch_.forget();
  let_people_in();
  const Result<std::vector<Job>> jobs = store_->records().jobs({.limit = 1'000});
  for (Submission& one : submissions_) {
    const std::string& key = scenario_.jobs[one.number].job.key;
    const auto there = std::ranges::find(*jobs, key, &Job::key);
    if (there == jobs->end()) {
      one = {.number = one.number};
    } else if (there->submission_open && one.is_done) {
      one.is_done = false;
      one.is_unsure = true;
    }
  }
}

/// A call that was sent long ago arrives, whichever process sent it.
void Simulation::let_arrive(std::size_t which) {
  const OwnedCall call = std::move(under_way_[which]);
  under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
  tell([] { return std::string("a call of long ago arrives"); });
  call();
}

/// Time jumps, as after a suspended machine: leases and deadlines may all expire at once.
void Simulation::jump() {
  const auto by = choices_.any_of<Duration>({1s, 7s, scenario_.lease, scenario_.lease * 3, 25h});
  clock_.advance(by);
  ++stirs_;
  tell([&] { return "time leaps"; });
}

}  // namespace pawl::simulation
