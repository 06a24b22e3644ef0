/// The differential test: one random history, step by step on memory, SQLite and PostgreSQL. After
/// every step the answers are equal, every few steps all rows are, and every invariant holds on
/// all.

#include "contract/mirrored_store.hpp"
#include "contract/random_history.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

TEST(Differential, the_same_history_leaves_the_same_rows_on_every_store) {
  constexpr int steps = 60;
  constexpr int steps_between_comparisons = 20;
  play_histories(250, [](std::uint64_t seed, bool tells) {
    ManualClock clock;
    std::vector<MirroredStore::Mirror> mirrors{{"sqlite", open_temporary_sqlite_store(clock)}};
    // Creating a schema takes longer than running a history, so only every third history has one.
    if (tells || seed % 3 == 0) {
      mirrors.push_back({"postgres", open_temporary_postgres_store(clock)});
    }
    MirroredStore store(open_memory_store(clock), std::move(mirrors));
    RandomHistory history(seed, {.brings_tokens = true, .tells = tells}, store, clock);
    for (int step = 1; step <= steps && !testing::Test::HasFailure(); ++step) {
      history.step();
      if (step % steps_between_comparisons == 0 || tells) store.compare();
    }
    if (testing::Test::HasFailure()) return;
    history.run_to_the_end();
    store.compare();
  });
}

}  // namespace
}  // namespace pawl::driving
