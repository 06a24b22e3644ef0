#include <functional>
#include <utility>

#include "actions/item_acts.hpp"
#include "pawl/store/each_row.hpp"
#include "service/work/bulk_acts.hpp"
#include "store/fitting.hpp"
#include "views/stage_items.hpp"

namespace pawl::service {
namespace {

using views::Address;

constexpr std::uint32_t page_size = 500;

/// Acts on one item of the address.
using ItemAct = std::function<Status(Records& records, const Address& address)>;

/// Calls `act` with each item that is selected when it is read, until the operation ends.
Status each_item(Engine& engine, const ItemSelection& selection, OperationProgress& progress,
                 const ItemAct& act) {
  Records& records = engine.records();
  const Result<Job> job = records.job(selection.filter.job);
  if (!job) return std::unexpected(job.error());
  const Result<Workflow> workflow = records.workflow(job->workflow_hash);
  if (!workflow) return std::unexpected(workflow.error());
  Address address{.job = *job, .workflow = *workflow, .item = std::nullopt, .stage = std::nullopt};
  ItemFilter filter = selection.filter;
  filter.limit = page_size;
  const auto see = [&](const Item& item) -> Result<bool> {
    if (!progress.goes_on()) return false;
    if (!store::fits(item, job->cancelled, filter)) return true;
    address.item = item;
    if (const Status done = act(records, address); done) {
      progress.did();
    } else {
      progress.refused(views::address_of(address), done.error());
    }
    return true;
  };
  return selection.stage ? views::each_item_at(records, job->id, *selection.stage, {}, see)
                         : each_row(records, filter, see);
}

actions::Perform perform_as(Engine& engine, const Actor& by) {
  return [&engine, by](const Act& act) { return engine.act(act, by); };
}

}  // namespace

OperationWork work_on_items_to_retry(Engine& engine, ItemSelection selection, std::string from,
                                     std::string note, Actor by) {
  return [&engine, selection = std::move(selection), from = std::move(from), note = std::move(note),
          by = std::move(by)](OperationProgress& progress) {
    const actions::RetryOrder order{.from = from, .note = note, .by = by.name};
    const actions::Perform perform = perform_as(engine, by);
    return each_item(engine, selection, progress,
                     [&](Records& records, const Address& address) -> Status {
                       const auto retried = actions::retry(records, address, order, perform);
                       if (!retried) return std::unexpected(retried.error());
                       return {};
                     });
  };
}

OperationWork work_on_items_to_cancel(Engine& engine, ItemSelection selection, Actor by) {
  return [&engine, selection = std::move(selection),
          by = std::move(by)](OperationProgress& progress) {
    const actions::Perform perform = perform_as(engine, by);
    return each_item(engine, selection, progress, [&](Records&, const Address& address) -> Status {
      const auto cancelled = actions::cancel_item(address, perform);
      if (!cancelled) return std::unexpected(cancelled.error());
      return {};
    });
  };
}

}  // namespace pawl::service
