#include "bench/soak/lone.hpp"

#include <utility>

#include "bench/measure.hpp"
#include "bench/soak/programs.hpp"

namespace pawl::soak {

namespace {

/// After this many items a twin is not nearly empty any more.
constexpr int items_of_one_twin = 300;

}  // namespace

LoneItems::LoneItems(Engine& engine, WorkTally& tally,
                     std::function<std::shared_ptr<Store>()> fresh)
    : engine_(engine), tally_(tally), fresh_(std::move(fresh)), program_(lone()) {
  renew_twin();
}

void LoneItems::renew_twin() {
  if (twin_) twin_->stop();
  twin_.reset();
  auto made = Engine::create(fresh_(), {.name = "twin", .threads = 2});
  if (!made) bench::give_up("an engine: " + made.error().text());
  twin_ = *std::move(made);
  twin_->serve(program_);
  twin_->start();
  passed_ = 0;
}

std::optional<Passage> LoneItems::pass() {
  if (passed_++ == items_of_one_twin) renew_twin();
  const double measured = milliseconds_through(engine_);
  const double beside = milliseconds_through(*twin_);
  if (measured <= 0 || beside <= 0) return std::nullopt;
  return Passage{.milliseconds = measured, .beside = beside};
}

/// 0 if it did not complete.
double LoneItems::milliseconds_through(Engine& engine) {
  const bench::Stopwatch watch;
  const Result<JobId> job =
      engine.submit(program_.workflow(), {{.key = "one", .data = Json(1)}}, {.priority = 10});
  if (!tally_.took(job, "a lone item")) return 0;
  const Result<Job> ended = engine.wait(*job);
  if (!tally_.took(ended, "a lone item")) return 0;
  if (state_of(*ended) != JobState::completed) {
    tally_.add_trouble("a lone item did not complete");
    return 0;
  }
  return 1e3 * watch.seconds();
}

}  // namespace pawl::soak
