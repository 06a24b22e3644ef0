/// Lists of items. The index has one ordered list for each category and state of a job; a page
/// merges the lists that match.
///
/// Items whose keys have a prefix are neighbours in the index of the keys, which has another order
/// than the list. If they are few, all of them are read and sorted. Otherwise the job is read in
/// the order of the ids, a thousand rows at a time and without the data of the items.

#include <algorithm>
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

constexpr char select_length[] =
    "SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_by_state WHERE job = ?1 "
    "AND category = ?2 AND state = ?3 AND (state <> 1 OR cancelled IS NULL) LIMIT ?4) AS listed";

constexpr char brief_columns[] = "id, job, key, category, state, cancelled";
constexpr auto select_cut_short =
    joined("SELECT ", brief_columns,
           " FROM items INDEXED BY items_cut_short WHERE state = 1 AND cancelled IS NOT NULL "
           "AND job = ?1");
constexpr auto select_by_key = joined(
    "SELECT ", brief_columns,
    " FROM items INDEXED BY items_by_key WHERE job = ?1 AND key >= ?2 ORDER BY key LIMIT ?3");
constexpr auto select_between =
    joined("SELECT ", brief_columns, " FROM items WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3");

/// An item without its data, in the order of `brief_columns`.
Item brief_of(const Cursor& row) {
  Columns columns(row);
  Item item;
  columns.into(item.id);
  columns.into(item.job);
  columns.into(item.key);
  columns.into(item.category);
  columns.into(item.state);
  columns.into(item.cancelled);
  return item;
}

std::vector<Item> briefs_from(Cursor row) {
  std::vector<Item> items;
  while (row.next()) items.push_back(brief_of(row));
  return items;
}

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

/// All items whose keys have this prefix, if one read can hold them.
std::optional<std::vector<Item>> by_prefix_if_few(Session& session, JobId job,
                                                  const std::string& prefix) {
  std::vector<Item> items;
  Cursor row = session.prepared(select_by_key).query(job, prefix, rows_per_look + 1);
  while (row.next()) {
    Item item = brief_of(row);
    if (!item.key.starts_with(prefix)) break;
    if (items.size() == rows_per_look) return std::nullopt;
    items.push_back(std::move(item));
  }
  return items;
}

/// Counts the matching lists of a job. A list holds items that are shown alike, apart from those
/// that were cut short, which are few.
std::size_t length_of(Session& session, const ItemFilter& filter,
                      std::optional<CancelCause> job_cancelled, std::size_t max) {
  std::size_t length = 0;
  for (const Item& item : briefs_from(session.prepared(select_cut_short).query(filter.job))) {
    if (store::fits(item, job_cancelled, filter)) ++length;
  }
  for (const std::string& category : filter.category.empty() ? categories_of(session, filter.job)
                                                             : std::vector{filter.category}) {
    for (const ItemState state : stored_states({}, false)) {
      if (length >= max) return max;
      const Item listed{.job = filter.job, .category = category, .state = state};
      if (!store::fits(listed, job_cancelled, filter)) continue;
      Cursor row = session.prepared(select_length).query(filter.job, category, state, max - length);
      if (row.next()) length += row.as<std::size_t>(0);
    }
  }
  return length;
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
  filter.key_prefix = valid_text(std::move(filter.key_prefix));
  if (filter.job && !filter.key_prefix.empty()) {
    const Result<std::vector<Item>> found = items_by_prefix(filter);
    if (!found) return found;
    return read([&](Session& session) -> Result<std::vector<Item>> {
      std::vector<Item> items;
      for (const Item& brief : *found) {
        if (std::optional<Item> item = find_item(session, brief.id.value())) {
          items.push_back(*std::move(item));
        }
      }
      return items;
    });
  }
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

Result<std::vector<Item>> SqlRecords::items_by_prefix(const ItemFilter& filter) {
  std::optional<CancelCause> job_cancelled;
  const auto fits = [&](const Item& item) { return store::fits(item, job_cancelled, filter); };
  auto few = read([&](Session& session) -> Result<std::optional<std::vector<Item>>> {
    job_cancelled = cancel_of(session, filter.job);
    return by_prefix_if_few(session, filter.job, filter.key_prefix);
  });
  if (!few) return std::unexpected(few.error());
  if (*few) {
    std::erase_if(**few, [&](const Item& item) { return item.id <= filter.after || !fits(item); });
    std::ranges::sort(**few, {}, &Item::id);
    if ((**few).size() > filter.limit) (**few).resize(filter.limit);
    return std::move(**few);
  }
  const auto look = [&](ItemId after, std::uint32_t max) {
    return read([&](Session& session) -> Result<std::vector<Item>> {
      job_cancelled = cancel_of(session, filter.job);
      const OrdinalRange range = ordinals_of(session, filter.job);
      const ItemId from = std::max(after, ItemId{range.first - 1});
      return briefs_from(session.prepared(select_between).query(from, range.last, max));
    });
  };
  return page_of(filter.after, filter.limit, look, fits);
}

Result<Tally> SqlRecords::count(const ItemFilter& given) {
  ItemFilter filter = given;
  filter.category = valid_text(std::move(filter.category));
  filter.key_prefix = valid_text(std::move(filter.key_prefix));
  filter.after = {};
  filter.limit = tally_max + 1;
  // No command asks for the items of all jobs.
  if (!filter.job) return tally_of(items(filter));
  const bool has_prefix = !filter.key_prefix.empty();
  if (has_prefix && (filter.state || !filter.category.empty())) {
    return tally_of(items_by_prefix(filter));
  }
  return read([&](Session& session) -> Result<Tally> {
    if (has_prefix) {
      static_assert(rows_per_look == tally_max);
      const auto few = by_prefix_if_few(session, filter.job, filter.key_prefix);
      return tally_of(few ? few->size() : tally_max + 1);
    }
    return tally_of(length_of(session, filter, cancel_of(session, filter.job), filter.limit));
  });
}

}  // namespace pawl::sql
