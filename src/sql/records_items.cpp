/// Lists of items. The index has one ordered list for each category and state of a job; a page
/// merges the lists that match.

#include <map>
#include <string>
#include <utility>

#include "pawl/core/text.hpp"
#include "sql/item_codec.hpp"
#include "sql/looking.hpp"
#include "sql/merged_ids.hpp"
#include "sql/reading.hpp"
#include "sql/sql_text.hpp"
#include "store/fitting.hpp"
#include "store/no_such.hpp"

namespace pawl::sql {

namespace {

constexpr auto select_item = joined("SELECT ", item_columns, " FROM items WHERE id = ?1");
constexpr auto select_item_with_key =
    joined("SELECT ", item_columns, " FROM items WHERE job = ?1 AND key = ?2");
constexpr auto select_any_items =
    joined("SELECT ", item_columns, " FROM items WHERE id > ?1 ORDER BY id LIMIT ?2");

constexpr char select_cancelled[] = "SELECT cancelled FROM jobs WHERE id = ?1";
constexpr char select_next_category[] =
    "SELECT category FROM items INDEXED BY items_by_state WHERE job = ?1 AND category > ?2 "
    "ORDER BY category LIMIT 1";
constexpr char select_ids[] =
    "SELECT id FROM items INDEXED BY items_by_state WHERE job = ?1 AND category = ?2 "
    "AND state = ?3 AND id > ?4 ORDER BY id LIMIT ?5";
constexpr char select_cut_short_ids[] =
    "SELECT id FROM items INDEXED BY items_cut_short WHERE state = 1 AND cancelled IS NOT NULL "
    "AND job = ?1 AND id > ?2 ORDER BY id LIMIT ?3";

std::vector<std::int64_t> ids_from(Cursor row) {
  std::vector<std::int64_t> ids;
  while (row.next()) ids.push_back(row.integer(0));
  return ids;
}

std::optional<CancelCause> cancel_of(Session& session, JobId job) {
  Cursor row = session.prepared(select_cancelled).query(job);
  return row.next() ? row.optional<CancelCause>(0) : std::nullopt;
}

std::optional<Item> find_item(Session& session, std::int64_t id) {
  Cursor row = session.prepared(select_item).query(id);
  if (!row.next()) return std::nullopt;
  return item_of(row);
}

/// Always contains the empty category.
std::vector<std::string> categories_of(Session& session, JobId job) {
  std::vector<std::string> categories{""};
  for (;;) {
    Cursor row = session.prepared(select_next_category).query(job, categories.back());
    if (!row.next()) return categories;
    categories.push_back(row.text(0));
  }
}

/// The stored states that can be shown as the wanted one.
std::vector<ItemState> stored_states(std::optional<ItemState> wanted, bool job_is_cancelled) {
  if (!wanted) {
    return {ItemState::active, ItemState::succeeded, ItemState::failed, ItemState::cancelled,
            ItemState::rejected};
  }
  if (!job_is_cancelled) return {*wanted};
  if (*wanted == ItemState::active) return {};
  if (*wanted == ItemState::cancelled) return {ItemState::active, ItemState::cancelled};
  return {*wanted};
}

/// The next items of a job by the index. A few of them may not match: items that were cancelled are
/// stored as active while they have open attempts.
std::vector<Item> next_items(Session& session, const ItemFilter& filter, ItemId after,
                             std::uint32_t max, std::optional<CancelCause> job_cancelled) {
  const std::vector<std::string> categories =
      filter.category.empty() ? categories_of(session, filter.job) : std::vector{filter.category};
  const std::vector<ItemState> states = stored_states(filter.state, job_cancelled.has_value());
  const bool wants_cut_short = filter.state == ItemState::rejected ||
                               (filter.state == ItemState::cancelled && !job_cancelled);
  const std::size_t lists = categories.size() * states.size();
  const auto next = [&](std::size_t list, std::int64_t from, std::size_t count) {
    if (list == lists) {
      return ids_from(session.prepared(select_cut_short_ids).query(filter.job, from, count));
    }
    return ids_from(session.prepared(select_ids)
                        .query(filter.job, categories[list / states.size()],
                               states[list % states.size()], from, count));
  };
  std::vector<Item> items;
  const std::size_t all = lists + (wants_cut_short ? 1 : 0);
  for (const std::int64_t id : merged_ids(all, after.value(), max, next)) {
    items.push_back(*find_item(session, id));
  }
  return items;
}

}  // namespace

Result<Item> SqlRecords::item(ItemId id) {
  return read([&](Session& session) -> Result<Item> {
    std::optional<Item> item = find_item(session, id.value());
    if (!item) return store::no_such(id);
    return *std::move(item);
  });
}

Result<Item> SqlRecords::item(JobId job, std::string_view given) {
  const std::string key = valid_text(std::string(given));  // in the form in which it was stored
  return read([&](Session& session) -> Result<Item> {
    Cursor row = session.prepared(select_item_with_key).query(job, key);
    if (!row.next()) return store::no_such(job, key);
    return item_of(row);
  });
}

Result<std::vector<Item>> SqlRecords::items(const ItemFilter& given) {
  ItemFilter filter = given;
  filter.category = valid_text(std::move(filter.category));
  std::map<JobId, std::optional<CancelCause>>
      cancelled;  // by job, for the jobs whose items were seen
  const auto look = [&](ItemId after, std::uint32_t max) {
    return read([&](Session& session) -> Result<std::vector<Item>> {
      if (filter.job) {
        const auto its = cancel_of(session, filter.job);
        cancelled[filter.job] = its;
        return next_items(session, filter, after, max, its);
      }
      // No command asks for the items of all jobs, so this scans the ids.
      std::vector<Item> items;
      for (Cursor row = session.prepared(select_any_items).query(after, max); row.next();) {
        items.push_back(item_of(row));
      }
      for (const Item& item : items) cancelled[item.job] = cancel_of(session, item.job);
      return items;
    });
  };
  return page_of(filter.after, filter.limit, look,
                 [&](const Item& item) { return store::fits(item, cancelled[item.job], filter); });
}

}  // namespace pawl::sql
