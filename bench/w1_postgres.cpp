/// W1 on PostgreSQL: the engine compared with the bare loop on the same server, and two processes
/// with one.

#include "bench/postgres_server.hpp"
#include "bench/postgres_sides.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

std::int64_t items_of(const Plan& plan) {
  return plan.items > 0 ? plan.items : (plan.full ? 20'000 : 2'000);
}

}  // namespace

Lines w1_postgres(const Plan& plan) {
  const std::string& server = postgres_url(plan.folder);
  const std::int64_t items = items_of(plan);
  Line line{.work = "W1 postgres", .figure = "executions/s"};
  ServedSample engine;
  ServedSample limit{.sample = {.executions = 1}};
  for (int round = 0; round < plan.rounds; ++round) {
    if (!plan.ours_only) {
      limit = in_child([&] { return limit_postgres(server, items); });
      line.other.push_back(limit.sample.rate());
    }
    engine = in_child([&] { return engine_on_postgres(server, items); });
    line.ours.push_back(engine.sample.rate());
  }
  line.notes = {"the client alone: " + processor_text(engine.sample, limit.sample)};
  line.wrote = {{"engine", engine.served}};
  if (plan.ours_only) return {line};

  must_be_equal(line.work, engine.served, limit.served);
  line.beside = "limit_postgres";
  line.bar = at_least(0.40);
  line.wrote.push_back({"limit_postgres", limit.served});
  if (!plan.full) return {line};

  // What the bare loop gains if it knows in advance which values never change.
  Line informed{.work = "W1 postgres",
                .figure = "executions/s",
                .ours = line.ours,
                .beside = "constants in the SQL"};
  for (int round = 0; round < plan.rounds; ++round) {
    limit = in_child([&] { return limit_postgres(server, items, Constants::in_sql); });
    informed.other.push_back(limit.sample.rate());
  }
  must_be_equal(line.work, engine.served, limit.served);
  return {line, informed};
}

Lines w1_postgres_workers(const Plan& plan) {
  const std::string& server = postgres_url(plan.folder);
  const std::int64_t items = items_of(plan);
  Line line{.work = "W1 postgres, two workers",
            .figure = "executions/s",
            .beside = "one worker process",
            .bar = at_least(1.0)};
  ServedSample two;
  ServedSample one;
  for (int round = 0; round < plan.rounds; ++round) {
    one = in_child([&] { return processes_on_postgres(server, items, 1); });
    line.other.push_back(one.sample.rate());
    two = in_child([&] { return processes_on_postgres(server, items, 2); });
    line.ours.push_back(two.sample.rate());
  }
  must_be_equal(line.work, two.served, one.served);
  line.wrote = {{"two workers", two.served}, {"one worker", one.served}};
  return {line};
}

}  // namespace pawl::bench
