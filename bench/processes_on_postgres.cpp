/// One job drained by several processes: this program again, which starts on a line of input and
/// prints a line when the job has ended.

#include <array>
#include <cstdio>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/postgres_server.hpp"
#include "bench/postgres_sides.hpp"

namespace pawl::bench {

namespace {

/// A child process with a pipe to it and one from it.
class Drainer {
 public:
  explicit Drainer(const std::string& url) {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    // Closed in all children except for the copies below.
    if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0) {
      give_up("no pipe");
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    std::string program = "/proc/self/exe";
    std::string option = "--drain";
    std::string address = url;
    char* const words[] = {program.data(), option.data(), address.data(), nullptr};
    if (::posix_spawn(&process_, program.c_str(), &actions, nullptr, words, environ) != 0) {
      give_up("a worker process could not be started");
    }
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(to[0]);
    ::close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  Drainer(const Drainer&) = delete;
  Drainer& operator=(const Drainer&) = delete;
  ~Drainer() { ::close(from_); }

  [[nodiscard]] int output() const { return from_; }
  void tell_to_start() const {
    if (::write(to_, "\n", 1) != 1) give_up("a worker process is gone");
  }
  /// Waits for the next line from it.
  void hear() const {
    char word = 0;
    if (::read(from_, &word, 1) != 1) give_up("a worker process is gone");
  }
  /// Lets it exit, and waits until it has.
  void end() {
    ::close(to_);
    int status = 0;
    ::waitpid(process_, &status, 0);
    if (status != 0) give_up("a worker process failed");
  }

 private:
  pid_t process_ = 0;
  int to_ = -1;
  int from_ = -1;
};

void wait_for_the_first(const std::vector<std::unique_ptr<Drainer>>& drainers) {
  std::vector<pollfd> outputs;
  for (const auto& one : drainers) {
    outputs.push_back({.fd = one->output(), .events = POLLIN, .revents = 0});
  }
  constexpr int patience = 600'000;
  if (::poll(outputs.data(), outputs.size(), patience) <= 0) give_up("the job does not end");
}

}  // namespace

ServedSample processes_on_postgres(const std::string& server, std::int64_t items,
                                   unsigned processes) {
  const Schema schema(server);
  const JobId job = submit_to(*postgres_store(schema.store()), chain(), items);
  const ServerWatch watch(server, schema.name());
  std::vector<std::unique_ptr<Drainer>> drainers;
  for (unsigned i = 0; i < processes; ++i) {
    drainers.push_back(std::make_unique<Drainer>(schema.store()));
  }
  for (const auto& one : drainers) one->hear();
  ServedSample sample;
  const Stopwatch time;
  for (const auto& one : drainers) one->tell_to_start();
  wait_for_the_first(drainers);
  sample.sample.seconds = time.seconds();
  for (const auto& one : drainers) one->hear();
  for (const auto& one : drainers) one->end();
  sample.served = watch.served();
  const Job ended = must(postgres_store(schema.store())->records().job(job), "the job");
  if (state_of(ended) != JobState::completed) give_up("the job did not complete");
  sample.sample.executions = ended.attempts_opened;
  return sample;
}

int drain(const std::string& url) {
  const std::shared_ptr<Store> store = postgres_store(url);
  const Job job = must(store->records().jobs({.limit = 1}), "the job").front();
  const std::unique_ptr<Engine> engine = must(Engine::create(store), "an engine");
  engine->serve(chain());
  const auto say = [](const char* word) {
    std::fputs(word, stdout);
    std::fflush(stdout);
  };
  say("r");
  if (std::getchar() == EOF) return 0;
  engine->start();
  must(engine->wait(job.id), "waiting for the job");
  say("e");
  while (std::getchar() != EOF) {
  }
  engine->stop();
  return 0;
}

}  // namespace pawl::bench
