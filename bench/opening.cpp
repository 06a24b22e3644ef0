/// A store of ten million attempts: opening it and reading its newest job must cost hardly more
/// than on an empty one. Measured in this process, and with the program `pawl` as users call it.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/chain.hpp"
#include "bench/grown_store.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

/// Opens the store and reads what `pawl status` shows. Returns the milliseconds.
double open_and_look(const std::filesystem::path& path) {
  const Stopwatch watch;
  const auto store = must(open_sqlite_store({.path = path}), "the store");
  const std::vector<Job> newest = must(store->records().jobs({.limit = 1}), "the newest job");
  if (newest.empty()) give_up("the store has no job");
  must(store->records().job(newest.front().id), "the job");
  must(store->records().workflow(newest.front().workflow_hash), "its workflow");
  return watch.seconds() * 1e3;
}

/// Runs `pawl status` on the store. Returns the milliseconds until it has ended.
double call_status(const std::filesystem::path& path) {
  std::string program = PAWL_PROGRAM;
  std::string arguments[] = {program, "status", "--store", path.string()};
  char* const pointers[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(),
                            arguments[3].data(), nullptr};
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_WRONLY, 0);
  }
  const Stopwatch watch;
  pid_t child = 0;
  if (::posix_spawn(&child, program.c_str(), &quiet, nullptr, pointers, environ) != 0) {
    give_up("'" + program + "' could not be started");
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const double taken = watch.seconds() * 1e3;
  ::posix_spawn_file_actions_destroy(&quiet);
  if (status != 0) give_up("'pawl status' failed");
  return taken;
}

}  // namespace

Lines opening(const Plan& plan) {
  constexpr int looks = 15;
  const std::int64_t attempts = plan.full ? 10'000'000 : 100'000;
  const std::int64_t space = bytes_of_grown_store(attempts);
  if (std::filesystem::space(plan.folder).available < static_cast<std::uintmax_t>(space)) {
    give_up("the store of " + count_text(attempts) + " attempts needs " +
            std::to_string(space >> 20) + " MiB in '" + plan.folder.string() + "'; see --folder");
  }
  const Folder folder(plan.folder);
  const std::filesystem::path large = folder.path() / "large.db";
  const std::filesystem::path empty = folder.path() / "empty.db";
  struct Made {
    std::int64_t attempts;
    double seconds;
  };
  const Made made = in_child([&] {
    const Stopwatch watch;
    const std::int64_t there = grow_store(large, attempts, chain());
    // One job without items, for `status` to show.
    submit_to(*must(open_sqlite_store({.path = empty}), "a store"), chain(), 0);
    return Made{.attempts = there, .seconds = watch.seconds()};
  });

  const std::string work = "open " + count_text(made.attempts) + " attempts";
  Line in_process{.work = work, .figure = "open and look, ms"};
  Line as_program{.work = work, .figure = "pawl status, ms"};
  for (Line* line : {&in_process, &as_program}) {
    line->beside = "an empty store";
    line->bar = at_most(1.5, 50);
  }
  for (int look = 0; look < looks; ++look) {
    in_process.other.push_back(in_child([&] { return open_and_look(empty); }));
    in_process.ours.push_back(in_child([&] { return open_and_look(large); }));
    as_program.other.push_back(call_status(empty));
    as_program.ours.push_back(call_status(large));
  }
  in_process.notes = {std::to_string(std::filesystem::file_size(large) >> 20) + " MiB, made in " +
                      std::to_string(static_cast<int>(made.seconds)) + " s"};
  return {in_process, as_program};
}

}  // namespace pawl::bench
