/// A worker process to be killed: crash_worker STORE READY_FD [MARKS_FILE]
///
/// Works on every job of the store, and exits with 0 when each has ended or only waits for
/// reviewers. When its engine runs, it writes one byte to READY_FD. Dies with its parent.

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include <sys/prctl.h>

#include "crash_program.hpp"
#include "pawl/store/sqlite.hpp"

namespace pawl::crash {
namespace {

bool has_work(Records& records) {
  const Result<std::vector<Job>> jobs = records.jobs({.ended = false});
  if (!jobs) return true;
  for (const Job& job : *jobs) {
    if (!waits_for_people(job)) return true;
  }
  return false;
}

int run(const std::string& path, int ready, const std::string& marks_path) {
  const Marks marks(marks_path);
  const auto store =
      open_sqlite_store({.path = path, .durability = SqliteOptions::Durability::normal});
  if (!store) {
    std::cerr << store.error().text() << "\n";
    return 2;
  }
  std::atomic<bool> locked_out = false;
  EngineOptions options;
  options.threads = 4;
  options.parallel = 8;
  options.poll_interval = 5ms;
  options.log = [&](LogLevel level, const std::string& text) {
    const bool locked = text.find("locked") != std::string::npos;
    if (locked) locked_out = true;
    if (locked || level == LogLevel::error) std::cerr << text << "\n";
  };
  auto engine = Engine::create(*store, options);
  if (!engine) {
    std::cerr << engine.error().text() << "\n";
    return 3;
  }
  (*engine)->serve(steady_program(marks));
  (*engine)->serve(reviewed_program(marks));
  (*engine)->serve(doomed_program(marks));
  (*engine)->start();
  (void)!::write(ready, "r", 1);
  while (has_work((*store)->records())) {
    std::this_thread::sleep_for(2ms);  // waits: other processes work on it too
  }
  (*engine)->stop();
  return locked_out ? 4 : 0;
}

}  // namespace
}  // namespace pawl::crash

int main(int count, char** words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (count < 3) return 1;
  return pawl::crash::run(words[1], std::atoi(words[2]), count > 3 ? words[3] : "");
}
