#include "bench/soak/mortal.hpp"

#include <cerrno>
#include <csignal>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure.hpp"
#include "bench/soak/programs.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/store/postgres.hpp"
#include "pawl/store/sqlite.hpp"

namespace pawl::soak {

using bench::give_up;

std::shared_ptr<Store> open_store(const std::string& address) {
  auto store = is_postgres_url(address) ? open_postgres_store({.url = address})
                                        : open_sqlite_store({.path = address});
  if (!store) give_up("the store: " + store.error().text());
  return *std::move(store);
}

int work_until_told(const std::string& address, const std::string& run_directory) {
  const std::shared_ptr<Store> store = open_store(address);
  const Result<Orphans> orphans = end_orphans(run_directory, std::chrono::seconds(1));
  if (!orphans) give_up("what was left behind: " + orphans.error().text());
  auto engine = Engine::create(store, {.name = "mortal",
                                       .threads = 2,
                                       .parallel = 16,
                                       .lease = std::chrono::seconds(5),
                                       .grace = std::chrono::seconds(5)});
  if (!engine) give_up("an engine: " + engine.error().text());
  (*engine)->serve(mixed());
  (*engine)->serve(
      file_actions(store, {.run_directory = run_directory, .grace = std::chrono::seconds(1)}));
  (*engine)->start();
  char byte = 0;
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  (*engine)->stop();
  return 0;
}

void Mortal::start() {
  if (!is_possible() || pid_ != 0) return;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) give_up("no pipe");
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
  std::vector<std::string> words{"pawl_soak", "--worker", address_, "--run", run_directory_};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int failed =
      ::posix_spawn(&pid_, "/proc/self/exe", &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::close(ends[0]);
  if (failed != 0) give_up("no second process");
  input_ = ends[1];
}

void Mortal::kill() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  (void)reap();
}

int Mortal::end() {
  if (pid_ == 0) return 0;
  ::close(std::exchange(input_, -1));
  return reap();
}

int Mortal::reap() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  if (input_ >= 0) ::close(std::exchange(input_, -1));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace pawl::soak
