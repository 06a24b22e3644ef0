#include "views/pools.hpp"

#include "cli/commands/commands.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"

namespace pawl::cli {

using views::Pool;

namespace {

int pools(Session& session) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Times times = session.times();
  const Result<std::vector<Pool>> all = views::pools_of((*store)->records(), times.now);
  if (!all) return session.fail(all.error());

  Listing list(session, {.array = "pools",
                         .columns = {{"POOL", Table::Align::left, 40},
                                     {"USED", Table::Align::right},
                                     {"LIMIT", Table::Align::right},
                                     {"RATE"},
                                     {"NEXT SLOT"},
                                     {"HELD BY", Table::Align::left, 80}}});
  for (const Pool& pool : *all) {
    const auto cells = [&] {
      const std::string wait = pool.next_slot == no_time
                                   ? std::string("now")
                                   : "in " + in_words(pool.next_slot - times.now);
      return Listing::Cells{pool.name,
                            with_separators(pool.open),
                            pool.parallel == 0 ? "-" : with_separators(pool.parallel),
                            pool.rate.is_set() ? views::in_words(pool.rate) : "-",
                            pool.rate.is_set() ? wait : "-",
                            pool.holders.empty() ? "-" : views::in_words(pool.holders)};
    };
    list.add({.document = [&] { return views::pool_document(pool); },
              .id = [&] { return printable(pool.name); },
              .cells = cells});
  }
  return list.finish({.none = "no unfinished job has a pool, a rate or a stage with `parallel`"});
}

}  // namespace

CommandEntry pools_command() {
  return command("pools", "pawl pools",
                 "List the pools of unfinished jobs: their use, holders and rates.", &pools);
}

}  // namespace pawl::cli
