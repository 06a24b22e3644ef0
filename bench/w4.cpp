/// W4: W1 with a gate that rejects the first attempt of every stage, so that every stage runs
/// twice, the second time with feedback. Beside W1 with as many executions.

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

Line w4(const Plan& plan) {
  const std::int64_t items = plan.chain_items();
  std::vector<double> ours;
  std::vector<double> plain;
  Sample accepting;
  Sample rejecting;
  for (int round = 0; round < plan.rounds; ++round) {
    accepting = in_child([&] { return engine_on_sqlite(plan.folder, false, items); });
    plain.push_back(accepting.rate());
    rejecting = in_child([&] { return engine_on_sqlite(plan.folder, true, items / 2); });
    ours.push_back(rejecting.rate());
  }
  Line line = compared("W4 sqlite full", "executions/s", ours, "W1", plain, at_least(0.80));
  line.notes = {"W4 wrote " + text_of(rejecting.wrote, rejecting.executions),
                processor_text(rejecting, accepting)};
  return line;
}

}  // namespace pawl::bench
