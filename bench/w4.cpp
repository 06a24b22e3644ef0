/// W4: W1 with a gate that rejects the first attempt of every stage, so that every stage runs
/// twice, the second time with feedback. Compared with W1 with as many executions.

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

Lines w4(const Plan& plan) {
  const std::int64_t items = plan.chain_items();
  Line line{
      .work = "W4 sqlite full", .figure = "executions/s", .beside = "W1", .bar = at_least(0.80)};
  Sample accepting;
  Sample rejecting;
  for (int round = 0; round < plan.rounds; ++round) {
    accepting = in_child([&] { return engine_on_sqlite(plan.folder, chain(), items); });
    line.other.push_back(accepting.rate());
    rejecting =
        in_child([&] { return engine_on_sqlite(plan.folder, rejecting_chain(), items / 2); });
    line.ours.push_back(rejecting.rate());
  }
  line.notes = {processor_text(rejecting, accepting)};
  return {line};
}

}  // namespace pawl::bench
