/// Items, and where each of them is.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "actions/running_now.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"
#include "service/api/cursor.hpp"
#include "service/api/item_handlers.hpp"
#include "store/fitting.hpp"
#include "views/items.hpp"
#include "views/stage_items.hpp"

namespace pawl::service {
namespace {

/// A page ends after so many items that were looked at, whether they were wanted or not.
constexpr std::uint32_t looked_at_max = 5'000;
constexpr std::uint32_t page_size = 500;

/// A state by the word of the tables or of the documents; none for no word.
std::optional<ItemState> item_state_named(const std::string& word) {
  if (word == "done") return ItemState::succeeded;
  if (word == "dead") return ItemState::failed;
  return from_name<ItemState>(word);
}

/// The items of a job in order of arrival, or those that are at one of its stages.
class Items {
 public:
  Items(Records& records, PinnedJob whole, ItemFilter filter, std::optional<StageIndex> stage)
      : records_(records), whole_(std::move(whole)), filter_(std::move(filter)), stage_(stage) {}

  [[nodiscard]] Result<Page> page(const std::string& after, std::uint32_t limit) const {
    const Result<std::int64_t> last = number_of_cursor(after);
    if (!last) return std::unexpected(last.error());
    ItemFilter filter = filter_;
    filter.after = ItemId{*last};
    filter.limit = std::min(limit + 1, page_size);
    PageRows rows(limit);
    std::optional<std::string> next;
    std::uint32_t looked_at = 0;
    const auto see = [&](const Item& item) -> Result<bool> {
      if (rows.is_full() || looked_at == looked_at_max) {
        next = std::to_string(filter.after.value());
        return false;
      }
      ++looked_at;
      filter.after = item.id;
      // Only the tasks of a stage can be looked up by it.
      if (stage_ && !store::fits(item, whole_.job.cancelled, filter_)) return true;
      const auto shown = views::load_item(records_, item, whole_.job, whole_.workflow);
      if (!shown) return std::unexpected(shown.error());
      rows.add(views::shown_item_document(*shown, whole_.workflow));
      return true;
    };
    const Status read =
        stage_ ? views::each_item_at(records_, whole_.job.id, *stage_, filter.after, see)
               : each_row(records_, filter, see);
    if (!read) return std::unexpected(read.error());
    return std::move(rows).page(std::move(next));
  }

  /// Whether the same list can be counted.
  [[nodiscard]] bool can_be_counted() const {
    const bool has_only_stage =
        !filter_.state && filter_.category.empty() && filter_.key_prefix.empty();
    return !stage_ || has_only_stage;
  }
  [[nodiscard]] Result<Tally> total() const {
    if (!stage_) return records_.count(filter_);
    const std::int64_t count = views::items_at(whole_.job, *stage_);
    return Tally{.count = std::min<std::int64_t>(count, tally_max), .is_more = count > tally_max};
  }

 private:
  Records& records_;
  PinnedJob whole_;
  ItemFilter filter_;
  std::optional<StageIndex> stage_;
};

/// The item with what its running attempts report.
Result<Reply> shown(Call& call, const Item& item, const PinnedJob& whole) {
  const auto read = views::load_item(call.records(), item, whole.job, whole.workflow);
  if (!read) return std::unexpected(read.error());
  const actions::LiveAttempts live(call.backend.daemon.run_directory,
                                   call.backend.daemon.trusts_owner);
  return Document{views::with_live(
      views::shown_item_document(*read, whole.workflow),
      actions::running_now(live, call.records(), whole.job, whole.workflow, item.id))};
}

}  // namespace

Result<Reply> list_items(Call& call) {
  Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  const std::string name = call.query.text("stage");
  const Result<std::optional<StageIndex>> stage = stage_named(whole->workflow, name);
  if (!stage) return std::unexpected(stage.error());
  if (*stage && whole->workflow.stage(**stage).scope == Scope::all) {
    return fail(ErrorCode::invalid,
                "stage '" + name + "' runs once for the whole job: no item is at it",
                "leave out 'stage'");
  }
  ItemFilter filter{.job = whole->job.id,
                    .state = item_state_named(call.query.text("state")),
                    .category = call.query.text("category"),
                    .key_prefix = call.query.text("key_prefix")};
  const Items items(call.records(), std::move(*whole), std::move(filter), *stage);
  List list;
  list.page = [items](const std::string& after, std::uint32_t limit) {
    return items.page(after, limit);
  };
  if (items.can_be_counted()) {
    list.total = [items] { return items.total(); };
  } else {
    list.members.emplace_back("total", Json());
  }
  return list;
}

Result<Reply> show_item(Call& call) {
  const Result<views::Address> address = item_address(call, {});
  if (!address) return std::unexpected(address.error());
  return shown(call, *address->item, {.job = address->job, .workflow = address->workflow});
}

Result<Reply> show_item_by_key(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  const Result<Item> item = call.records().item(whole->job.id, call.query.text("key"));
  if (!item) return std::unexpected(item.error());
  return shown(call, *item, *whole);
}

}  // namespace pawl::service
