/// Random histories on a store with the model beside it.

#include "contract/random_history.hpp"
#include "simulation/modelled_store.hpp"

namespace pawl::simulation {
namespace {

// reliability, layer 6
TEST(Model, agrees_with_the_store_over_random_histories) {
  std::uint64_t verbs = 0;
  driving::play_histories(2'000, [&](std::uint64_t seed, bool tells) {
    ManualClock clock;
    ModelledStore store(open_memory_store(clock));
    const std::vector<std::string>& differences = store.differences();
    // The model supports neither imported histories nor adopted items.
    driving::RandomHistory history(seed, {.brings_history = false, .tells = tells}, store, clock);
    const int steps = seed % 10 == 0 ? 400 : 80;
    for (int step = 1; step <= steps && differences.empty(); ++step) history.step();
    if (differences.empty()) history.run_to_the_end();
    store.compare_everything();
    verbs += store.verbs();
    for (const std::string& one : differences) ADD_FAILURE() << one;
  });
  RecordProperty("verbs", std::to_string(verbs));
}

}  // namespace
}  // namespace pawl::simulation
