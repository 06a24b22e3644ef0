/// Workers and what they hold, and the pools that limit them.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "service/api/call.hpp"
#include "service/api/cursor.hpp"
#include "views/pools.hpp"
#include "views/workers.hpp"

namespace pawl::service {
namespace {

Result<Json> document_of(const Backend& backend, const WorkerRecord& worker) {
  const Result<views::Holds> holds = views::what_it_holds(backend.store.records(), worker.id);
  if (!holds) return std::unexpected(holds.error());
  const std::string_view state =
      views::state_of_worker(worker, backend.store.now(), backend.daemon.is_dead);
  return views::worker_document(worker, *holds, state);
}

/// In the order of their numbers. Without those that have signed off, unless `all`.
Result<std::vector<WorkerRecord>> workers_of(Records& records, bool all) {
  Result<std::vector<WorkerRecord>> workers = records.workers();
  if (!workers) return workers;
  if (!all) std::erase_if(*workers, [](const WorkerRecord& worker) { return worker.retired; });
  std::ranges::sort(*workers, {}, &WorkerRecord::id);
  return workers;
}

Result<Page> page_of_workers(const Backend& backend, bool all, const std::string& after,
                             std::uint32_t limit) {
  const Result<std::int64_t> last = number_of_cursor(after);
  if (!last) return std::unexpected(last.error());
  const Result<std::vector<WorkerRecord>> workers = workers_of(backend.store.records(), all);
  if (!workers) return std::unexpected(workers.error());
  Page page;
  for (auto worker = std::ranges::upper_bound(*workers, WorkerId{*last}, {}, &WorkerRecord::id);
       worker != workers->end(); ++worker) {
    if (page.rows.size() == limit) {
      page.next = std::to_string(std::prev(worker)->id.value());
      break;
    }
    Result<Json> row = document_of(backend, *worker);
    if (!row) return std::unexpected(row.error());
    page.rows.push_back(std::move(*row));
  }
  return page;
}

Result<Reply> list_workers(Call& call) {
  const Backend& backend = call.backend;
  const bool all = call.query.flag("all");
  return List{.page =
                  [&backend, all](const std::string& after, std::uint32_t limit) {
                    return page_of_workers(backend, all, after, limit);
                  },
              .total = [&backend, all]() -> Result<Tally> {
                const auto workers = workers_of(backend.store.records(), all);
                if (!workers) return std::unexpected(workers.error());
                return Tally{.count = std::min<std::int64_t>(std::ssize(*workers), tally_max),
                             .is_more = workers->size() > tally_max};
              }};
}

Result<Reply> show_worker(Call& call) {
  const Result<WorkerId> id = call.id<WorkerId>("worker");
  if (!id) return std::unexpected(id.error());
  const Result<WorkerRecord> worker = call.records().worker(*id);
  if (!worker) return std::unexpected(worker.error());
  Result<Json> document = document_of(call.backend, *worker);
  if (!document) return std::unexpected(document.error());
  return Document{std::move(*document)};
}

/// By name. The cursor is the name of the last one.
Result<Reply> list_pools(Call& call) {
  Store& store = call.store();
  return List{.page = [&store](const std::string& after, std::uint32_t limit) -> Result<Page> {
    const Result<std::vector<views::Pool>> pools = views::pools_of(store.records(), store.now());
    if (!pools) return std::unexpected(pools.error());
    Page page;
    for (auto pool = std::ranges::upper_bound(*pools, after, {}, &views::Pool::name);
         pool != pools->end(); ++pool) {
      if (page.rows.size() == limit) {
        page.next = std::prev(pool)->name;
        break;
      }
      page.rows.push_back(views::pool_document(*pool));
    }
    return page;
  }};
}

}  // namespace

std::vector<Route> worker_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/workers",
       .access = Access::needs(Right::see),
       .handle = list_workers,
       .operation = "listWorkers",
       .tag = "workers",
       .summary = "The workers of the store, and what they hold.",
       .query = {{.name = "all",
                  .kind = FieldKind::flag,
                  .about = "Include workers that have signed off."}},
       .kind = ReplyKind::list,
       .schema = "Worker",
       .rows = "workers",
       .columns = {"worker", "name", "host", "pid", "state", "attempts_open", "started_at",
                   "lease_until"}},
      {.method = "GET",
       .path = "/api/v1/workers/{worker}",
       .access = Access::needs(Right::see),
       .handle = show_worker,
       .operation = "showWorker",
       .tag = "workers",
       .summary = "A worker, what it holds, and what it leaves to others.",
       .schema = "Worker"},
      {.method = "GET",
       .path = "/api/v1/pools",
       .access = Access::needs(Right::see),
       .handle = list_pools,
       .operation = "listPools",
       .tag = "workers",
       .summary = "The pools of unfinished jobs: their use, holders and rates.",
       .kind = ReplyKind::list,
       .schema = "Pool",
       .rows = "pools",
       .columns = {"pool", "open", "limit", "rate.attempts", "rate.per_seconds", "next_slot_at"}},
  };
}

}  // namespace pawl::service
