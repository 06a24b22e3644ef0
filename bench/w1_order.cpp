/// W1, the order of admission: the engine takes the oldest items first, so that what it writes at
/// one time is close together. Compared with the same engine on the same rows with shuffled ages.

#include <algorithm>
#include <random>

#include "bench/chain.hpp"
#include "bench/database.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

std::vector<std::int64_t> ready_tasks(Database& database, const char* order) {
  const std::string sql =
      std::string("SELECT id, age FROM tasks INDEXED BY tasks_ready WHERE state = 1 ") + order;
  std::vector<std::int64_t> ids;
  Query query(database, sql.c_str());
  while (query.next()) ids.push_back(query.integer(0));
  return ids;
}

/// Shuffles the ages of the Ready tasks, and makes sure that the index returns them in the new
/// order.
void shuffle_ages(const std::filesystem::path& path) {
  Database database(path);
  std::vector<std::int64_t> ids = ready_tasks(database, "ORDER BY lane, age, id");
  const std::int64_t first = database.integer("SELECT min(age) FROM tasks WHERE state = 1");
  std::mt19937_64 chance(20'240'607);  // the same order in every round
  std::ranges::shuffle(ids, chance);
  database.run("BEGIN IMMEDIATE");
  Query update(database, "UPDATE tasks SET age = ?2 WHERE id = ?1");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    update.run(ids[i], first + static_cast<std::int64_t>(i));
  }
  database.run("COMMIT");
  if (ready_tasks(database, "ORDER BY lane, age, id") != ids) give_up("the ages were not shuffled");
}

}  // namespace

Lines w1_order(const Plan& plan) {
  const std::int64_t items = plan.chain_items();
  Line line{.work = "W1 admission order",
            .figure = "executions/s",
            .beside = "shuffled ages",
            .bar = at_least(1.0)};
  for (int round = 0; round < plan.rounds; ++round) {
    line.other.push_back(in_child([&] {
                           return engine_on_sqlite(plan.folder, chain(), items, shuffle_ages);
                         }).rate());
    line.ours.push_back(
        in_child([&] { return engine_on_sqlite(plan.folder, chain(), items); }).rate());
  }
  return {line};
}

}  // namespace pawl::bench
