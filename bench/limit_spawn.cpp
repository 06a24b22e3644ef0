#include <atomic>
#include <thread>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>

#include "bench/limits.hpp"

namespace pawl::bench {

namespace {

void spawn_and_wait() {
  char program[] = "/bin/true";
  char* const arguments[] = {program, nullptr};
  pid_t child = 0;
  if (::posix_spawn(&child, program, nullptr, nullptr, arguments, nullptr) != 0) {
    give_up("/bin/true could not be started");
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) give_up("/bin/true failed");
}

}  // namespace

Sample limit_spawn(std::int64_t processes, unsigned at_once) {
  std::atomic<std::int64_t> left = processes;
  const Stopwatch watch;
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < at_once; ++i) {
      threads.emplace_back([&] {
        while (left-- > 0) spawn_and_wait();
      });
    }
  }
  return {.seconds = watch.seconds(),
          .processor = watch.processor(),
          .commands = processor_seconds(Whose::commands),
          .executions = processes};
}

}  // namespace pawl::bench
