/// What an idle engine asks of the server: an engine that waits for work must not cost the others
/// anything.

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "bench/postgres_server.hpp"
#include "bench/postgres_sides.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

struct Counted {
  std::int64_t transactions = 0;
  std::int64_t statements = 0;
};

/// The statements of sessions that log all of them.
std::int64_t logged_statements() {
  std::ifstream log(postgres_log());
  std::int64_t count = 0;
  for (std::string line; std::getline(log, line);) {
    if (line.contains("execute ") || line.contains("statement: ")) ++count;
  }
  return count;
}

/// A server publishes the counters of a session at the latest when it ends. So an engine runs for
/// this long, and the cost of starting and stopping one is subtracted with a shorter run.
Counted life_of(const std::string& server, std::chrono::milliseconds time) {
  const Schema schema(server);
  (void)postgres_store(schema.store());  // creates the tables
  const ServerWatch watch(server, schema.name());
  const std::int64_t before = logged_statements();
  {
    const std::unique_ptr<Engine> engine =
        must(Engine::create(postgres_store(schema.store("log_statement=all"))), "an engine");
    engine->serve(chain());
    engine->start();
    std::this_thread::sleep_for(time);
    engine->stop();
  }
  return {.transactions = watch.served().transactions, .statements = logged_statements() - before};
}

}  // namespace

Lines idle_postgres(const Plan& plan) {
  const std::string& server = postgres_url(plan.folder);
  const std::chrono::seconds time(plan.full ? 10 : 2);
  // Until it has noticed that there is nothing to do.
  constexpr std::chrono::milliseconds start(500);
  const Counted started = in_child([&] { return life_of(server, start); });
  const Counted lived = in_child([&] { return life_of(server, start + time); });
  const auto a_second = [&](std::int64_t Counted::* count) {
    return static_cast<double>(lived.*count - started.*count) / static_cast<double>(time.count());
  };
  Line commits{.work = "idle postgres",
               .figure = "transactions/s",
               .ours = {a_second(&Counted::transactions)},
               .bar = at_most(2.0)};
  Line statements{
      .work = "idle postgres", .figure = "statements/s", .ours = {a_second(&Counted::statements)}};
  commits.notes = {
      "one engine over " + std::to_string(time.count()) +
      " s, as the server counts; start and stop are taken off, looking is not counted"};
  return {commits, statements};
}

}  // namespace pawl::bench
