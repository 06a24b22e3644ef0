/// The engine under mixed load for a set time: what grows, what slows down, what is left behind.

#include <csignal>
#include <functional>
#include <thread>

#include <unistd.h>

#include "bench/measure.hpp"
#include "bench/postgres_server.hpp"
#include "bench/soak/gauges.hpp"
#include "bench/soak/lone.hpp"
#include "bench/soak/mortal.hpp"
#include "bench/soak/people.hpp"
#include "bench/soak/programs.hpp"
#include "bench/soak/report.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/store/verify.hpp"

namespace {

using namespace pawl;
using namespace pawl::soak;
using namespace std::chrono_literals;
using bench::give_up;
using bench::Stopwatch;

constexpr const char* mark_name = "SOAK_MARK";
constexpr auto life_of_second_process = 4s;
constexpr auto time_to_end = 90s;

/// Calls `turn` again and again, with a pause in between, on its own thread.
std::jthread repeating(std::chrono::milliseconds pause, std::function<void()> turn) {
  return std::jthread([pause, turn = std::move(turn)](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      turn();
      std::this_thread::sleep_for(pause);
    }
  });
}

/// One soak run. The engine and the threads live as long as `run`.
class Soak {
 public:
  Soak(const Options& options, std::string address, const std::filesystem::path& folder)
      : options_(options),
        address_(std::move(address)),
        run_directory_((folder / "run").string()),
        project_(folder.string()),
        file_(options.kind == Options::Kind::sqlite ? address_ : ""),
        mark_(std::to_string(::getpid())) {}

  Course run() {
    const std::shared_ptr<Store> store =
        address_.empty() ? open_memory_store(system_clock()) : open_store(address_);
    auto made = Engine::create(store, {.name = "soak", .lease = 15s, .grace = 5s});
    if (!made) give_up("an engine: " + made.error().text());
    Engine& engine = **made;
    engine.serve(mixed());
    engine.serve(lone());
    engine.serve(file_actions(store, {.run_directory = run_directory_, .grace = 1s}));
    engine.start();
    put_load_on(engine);
    engine.stop();
    made->reset();
    look_for_orphans();
    verify_all(*store);
    course_.trouble = tally_.trouble();
    return std::move(course_);
  }
  [[nodiscard]] WorkTally& tally() { return tally_; }

 private:
  void put_load_on(Engine& engine) {
    Submitter submitter(engine, tally_, mixed().workflow(), commands(mark_name, mark_), project_,
                        options_.items);
    Reviewer reviewer(engine, tally_);
    Operator operating(engine, tally_);
    Onlooker onlooker(engine.store(), tally_);
    Mortal mortal(address_, run_directory_);
    LoneItems lone_items(engine, tally_, [this] { return fresh_store(); });
    // Reviews and dead letters are processed until the last job has ended.
    std::jthread reviewing = repeating(200ms, [&] { reviewer.turn(); });
    std::jthread operation = repeating(500ms, [&] { operating.turn(); });
    std::jthread looking = repeating(250ms, [&] { onlooker.turn(); });
    {
      const std::jthread submitting = repeating(1s, [&] { submitter.turn(); });
      const std::jthread timing = repeating(100ms, [&] { time_one(lone_items); });
      watch(mortal);
    }
    if (mortal.end() != 0) tally_.add_trouble("the second process did not end well");
    const Stopwatch ending;
    do {
      std::this_thread::sleep_for(200ms);
      course_.unfinished = unfinished(engine);
    } while (course_.unfinished > 0 &&
             ending.seconds() < std::chrono::duration<double>(time_to_end).count());
  }

  static std::int64_t unfinished(Engine& engine) {
    const auto jobs = engine.records().jobs({.ended = false, .limit = 1'000});
    return jobs ? static_cast<std::int64_t>(jobs->size()) : 1;
  }

  /// Takes readings every second, prints a line every ten, and kills the second process every few.
  void watch(Mortal& mortal) {
    std::FILE* const out = options_.json ? stderr : stdout;
    print_heading(out);
    mortal.start();
    double started = 0;
    double last_line = 0;
    const double whole = std::chrono::duration<double>(options_.time).count();
    while (clock_.seconds() < whole) {
      std::this_thread::sleep_for(500ms);
      const double now = clock_.seconds();
      const std::lock_guard lock(mutex_);
      course_.readings.push_back(read_gauges(now, file_));
      if (now - last_line >= 10) {
        print_line(out, course_, tally_, last_line);
        last_line = now;
      }
      if (!mortal.is_possible() ||
          now - started < std::chrono::duration<double>(life_of_second_process).count()) {
        continue;
      }
      mortal.kill();
      ++tally_.kills;
      mortal.start();
      started = now;
    }
    course_.seconds = clock_.seconds();
  }

  void time_one(LoneItems& items) {
    std::optional<Passage> passage = items.pass();
    if (!passage) return;
    const std::lock_guard lock(mutex_);
    passage->at = clock_.seconds();
    course_.passages.push_back(*passage);
  }

  /// Each store has its own place.
  std::shared_ptr<Store> fresh_store() {
    const std::string number = std::to_string(++twins_);
    switch (options_.kind) {
      case Options::Kind::sqlite:
        return open_store(project_ + "/twin-" + number + ".db");
      case Options::Kind::postgres:
        return open_store(address_ + "_twin_" + number);
      case Options::Kind::memory:
        return open_memory_store(system_clock());
    }
    return nullptr;
  }

  /// Processes that were told to end get a moment to do so.
  void look_for_orphans() {
    const std::string variable = std::string(mark_name) + "=" + mark_;
    const Stopwatch watch;
    do {
      course_.orphans = processes_with(variable);
      if (course_.orphans > 0) std::this_thread::sleep_for(100ms);
    } while (course_.orphans > 0 && watch.seconds() < 5);
  }

  void verify_all(Store& store) {
    const Result<Verification> verified = verify(store.records());
    if (!verified) {
      tally_.add_trouble("verify: " + verified.error().text());
      return;
    }
    course_.violations = verified->violation_count;
    if (!verified->in_motion.empty()) tally_.add_trouble("a job moves although nobody works on it");
    for (const Violation& one : verified->violations) {
      tally_.add_trouble(one.invariant + ": " + one.message);
    }
  }

  const Options& options_;
  std::string address_;  ///< empty: in memory
  std::string run_directory_;
  std::string project_;
  std::filesystem::path file_;
  std::string mark_;
  int twins_ = 0;
  WorkTally tally_;
  Stopwatch clock_;
  std::mutex mutex_;
  Course course_;  ///< readings and passages guarded by mutex_ while threads run
};

std::string address_of(const Options& options, const std::filesystem::path& folder) {
  switch (options.kind) {
    case Options::Kind::sqlite:
      return (folder / "store.db").string();
    case Options::Kind::postgres:
      return bench::postgres_url(folder) + "?schema=soak";
    case Options::Kind::memory:
      return "";
  }
  return "";
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = options_from(count, arguments);
  if (!options.worker.empty()) return work_until_told(options.worker, options.run_directory);
  const bench::Folder folder(options.folder);
  bench::leave_nothing_in(folder.path());
  std::signal(SIGINT, SIG_DFL);
  Soak soak(options, address_of(options, folder.path()), folder.path());
  const Course course = soak.run();
  bench::stop_postgres();
  const std::vector<Finding> findings = judge(course, options.limits);
  print_findings(options.json ? stderr : stdout, findings);
  if (options.json) {
    std::printf("%s\n", document(options, course, soak.tally(), findings).text().c_str());
  }
  for (const Finding& one : findings) {
    if (one.is_missed()) return 1;
  }
  return 0;
}
