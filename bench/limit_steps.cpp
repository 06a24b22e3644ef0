#include "bench/chain.hpp"
#include "bench/limits.hpp"

namespace pawl::bench {

double LimitSteps::next_item() {
  const Stopwatch watch;
  rows_.begin();
  const std::int64_t ordinal = rows_.add_item(nth_item(number_++));
  rows_.commit();
  for (std::int64_t stage = 0; stage < chain_length; ++stage) {
    rows_.begin();
    rows_.close(ordinal, stage);
    rows_.commit();
  }
  return watch.seconds() * 1e3;
}

}  // namespace pawl::bench
