/// Items, and the deletion of an item with everything that belongs to it.

#include "postgres/faults.hpp"
#include "postgres/postgres_rows.hpp"
#include "postgres/read_locked.hpp"
#include "sql/item_codec.hpp"

namespace pawl::postgres {

namespace {

constexpr char select_passes[] = "SELECT key, pass FROM items WHERE job = $1 AND key = ANY($2)";
constexpr char select_brief[] = "SELECT key, category, data FROM items WHERE id = $1";

/// For each key and digest, the succeeded or rejected item of the newest earlier job that has one.
constexpr char select_finished[] =
    "SELECT wanted.key, wanted.sha256, found.id, found.state "
    "FROM unnest($4::text[], $5::text[]) AS wanted (key, sha256), "
    "LATERAL (SELECT CASE i.adopted_from WHEN 0 THEN i.id ELSE i.adopted_from END AS id, i.state "
    "FROM jobs j JOIN items i ON i.job = j.id AND i.key = wanted.key "
    "WHERE j.workflow_hash = $1 AND j.params = $2 AND j.id < $3 AND j.trust = ANY($6) "
    "AND i.state IN (2, 5) AND i.data_sha256 = wanted.sha256 ORDER BY j.id DESC LIMIT 1) AS found";

constexpr char delete_everything[] =
    "WITH RECURSIVE doomed AS (SELECT id FROM tasks WHERE id >= $1 AND id < $2 "
    "UNION ALL SELECT t.id FROM tasks t JOIN doomed d ON t.parent = d.id), "
    "its_attempts AS (DELETE FROM attempts WHERE task IN (SELECT id FROM doomed)), "
    "its_answers AS (DELETE FROM review_answers WHERE review IN "
    "(SELECT id FROM reviews WHERE task IN (SELECT id FROM doomed))), "
    "its_queued AS (DELETE FROM review_queue WHERE review IN "
    "(SELECT id FROM reviews WHERE task IN (SELECT id FROM doomed))), "
    "its_reviews AS (DELETE FROM reviews WHERE task IN (SELECT id FROM doomed)), "
    "its_tasks AS (DELETE FROM tasks WHERE id IN (SELECT id FROM doomed)) "
    "DELETE FROM items WHERE id = $3";

constexpr char delete_attempts_between[] = "DELETE FROM attempts WHERE task >= $1 AND task < $2";
constexpr char delete_answers_between[] =
    "DELETE FROM review_answers WHERE review IN "
    "(SELECT id FROM reviews WHERE task >= $1 AND task < $2)";
constexpr char delete_queued_between[] =
    "DELETE FROM review_queue WHERE review IN "
    "(SELECT id FROM reviews WHERE task >= $1 AND task < $2)";
constexpr char delete_reviews_between[] = "DELETE FROM reviews WHERE task >= $1 AND task < $2";
constexpr char delete_tasks_between[] = "DELETE FROM tasks WHERE id >= $1 AND id < $2";
constexpr char delete_items_between[] = "DELETE FROM items WHERE id >= $1 AND id <= $2";

}  // namespace

void PostgresRows::insert_item(const Item& item, std::uint32_t pass) {
  sql::item_values(item, pass, [&](const auto&... values) { new_items_.append(values...); });
  note_ordinal(item.job, item.id.value());
  seen_.insert_or_assign(KeyOfJob(item.job, item.key), pass);
  progress_.insert_or_assign(item.id,
                             std::pair(store::ItemProgress{.job = item.job,
                                                           .state = item.state,
                                                           .cancelled = item.cancelled,
                                                           .sinks_left = item.sinks_left,
                                                           .failed_tasks = item.failed_tasks,
                                                           .adopted = bool(item.adopted_from)},
                                       false));
}

/// Loads all keys of the coming chunk at once.
void PostgresRows::load_keys(JobId job) {
  if (!keys_loaded_.insert(job).second || coming_ == nullptr) return;
  ArrayColumn keys(ArrayColumn::Kind::text);
  for (const NewItem& item : coming_->items) {
    keys.append(item.key);
    seen_.try_emplace(KeyOfJob(job, item.key));
  }
  Parameters parameters = Parameters::of(job);
  const Reply found = connection_.ask(select_passes, parameters.add(keys));
  for (int i = 0; i < found.rows(); ++i) {
    seen_.insert_or_assign(KeyOfJob(job, found.view(i, 0)),
                           static_cast<std::uint32_t>(found.integer(i, 1)));
  }
}

std::optional<std::uint32_t> PostgresRows::seen_in_pass(JobId job, std::string_view key) {
  (void)find_job(job);
  const bool is_fresh = jobs_.at(job) && jobs_.at(job)->is_fresh;
  if (!is_fresh) load_keys(job);
  const KeyOfJob one(job, key);
  if (const auto known = seen_.find(one); known != seen_.end()) return known->second;
  if (is_fresh) return std::nullopt;
  ArrayColumn keys(ArrayColumn::Kind::text);
  keys.append(key);
  Parameters parameters = Parameters::of(job);
  const Reply found = connection_.ask(select_passes, parameters.add(keys));
  std::optional<std::uint32_t> pass;
  if (found.rows() > 0) pass = static_cast<std::uint32_t>(found.integer(0, 1));
  return seen_.emplace(one, pass).first->second;
}

void PostgresRows::mark_seen(JobId job, std::string_view key, std::uint32_t pass) {
  seen_.insert_or_assign(KeyOfJob(job, key), pass);
  seen_again_.append(job, key, pass);
}

void PostgresRows::take_progress(Reply reply) {
  ReplyRows rows(std::move(reply));
  for (sql::Cursor row(rows); row.next();) {
    sql::Columns columns(row);
    const auto item = columns.as<ItemId>();
    store::ItemProgress progress;
    columns.into(progress.job);
    columns.into(progress.state);
    columns.into(progress.cancelled);
    columns.into(progress.sinks_left);
    columns.into(progress.failed_tasks);
    columns.into(progress.adopted);
    progress_.try_emplace(item, std::pair(progress, false));
  }
}

void PostgresRows::load_progress(std::span<const std::int64_t> items) {
  if (items.empty()) return;
  take_progress(connection_.ask(select_progress, Parameters().add_numbers(items)));
}

std::optional<store::ItemProgress> PostgresRows::progress(ItemId item) {
  if (const auto known = progress_.find(item); known != progress_.end()) {
    return known->second.first;
  }
  const std::int64_t id = item.value();
  for (;;) {
    load_progress(std::span(&id, 1));
    const auto found = progress_.find(item);
    if (found == progress_.end()) return std::nullopt;
    if (!lock({found->second.first->job})) return found->second.first;
    progress_.erase(item);  // it may have changed before the lock
  }
}

void PostgresRows::put_progress(ItemId item, const store::ItemProgress& progress) {
  progress_.insert_or_assign(item, std::pair(progress, true));
}

store::ItemBrief PostgresRows::brief(ItemId item) {
  if (const auto known = briefs_.find(item); known != briefs_.end()) return known->second;
  send();
  const Reply found = connection_.ask(select_brief, Parameters::of(item));
  if (found.rows() == 0) {
    throw Fault(ErrorCode::corrupt, "item " + std::to_string(item.value()) + " is missing");
  }
  return {.key = std::string(found.view(0, 0)),
          .category = std::string(found.view(0, 1)),
          .data = sql::stored_json(std::string(found.view(0, 2)))};
}

std::optional<store::FinishedItem> PostgresRows::finished_before(const Job& job,
                                                                 std::string_view key,
                                                                 std::string_view sha256) {
  const auto load = [&](ArrayColumn& keys, ArrayColumn& digests) {
    Parameters parameters = Parameters::of(job.workflow_hash, job.params.text(), job.id);
    std::vector<std::int64_t> trusts;
    for (const Trust trust : {Trust::own, Trust::untrusted, Trust::accepted, Trust::abandoned}) {
      if (is_trusted(trust)) trusts.push_back(static_cast<std::int64_t>(trust));
    }
    parameters.add(keys).add(digests).add_numbers(trusts);
    const Reply found = connection_.ask(select_finished, parameters);
    for (int i = 0; i < found.rows(); ++i) {
      finished_.insert_or_assign(
          std::pair(std::string(found.view(i, 0)), std::string(found.view(i, 1))),
          store::FinishedItem{.id = ItemId{found.integer(i, 2)},
                              .state = static_cast<ItemState>(found.integer(i, 3))});
    }
  };
  ArrayColumn keys(ArrayColumn::Kind::text);
  ArrayColumn digests(ArrayColumn::Kind::text);
  const auto want = [&](std::string_view one, std::string_view digest) {
    const bool is_new =
        finished_.try_emplace(std::pair(std::string(one), std::string(digest))).second;
    if (!is_new) return;
    keys.append(one);
    digests.append(digest);
  };
  if (!std::exchange(finished_loaded_, true) && coming_ != nullptr) {
    for (const NewItem& item : coming_->items) {
      if (!item.data_sha256.empty()) want(item.key, item.data_sha256);
    }
  }
  want(key, sha256);
  if (keys.size() > 0) load(keys, digests);
  return finished_.at(std::pair(std::string(key), std::string(sha256)));
}

void PostgresRows::delete_item(ItemId item) {
  send();
  const TaskId first = task_id(item, StageIndex{});
  const TaskId end = task_id(item.value() + 1, StageIndex{});
  connection_.post(delete_everything, Parameters::of(first, end, item));
  // Everything that was cached about it is outdated.
  tasks_.clear();
  progress_.erase(item);
  briefs_.erase(item);
  seen_.clear();
  keys_loaded_.clear();
}

void PostgresRows::delete_ordinals(std::int64_t first, std::int64_t last) {
  send();
  const TaskId begin = task_id(first, StageIndex{});
  const TaskId end = task_id(last + 1, StageIndex{});
  for (const char* statement :
       {delete_attempts_between, delete_answers_between, delete_queued_between,
        delete_reviews_between, delete_tasks_between}) {
    connection_.post(statement, Parameters::of(begin, end));
  }
  connection_.post(delete_items_between, Parameters::of(first, last));
  tasks_.clear();
  progress_.clear();
  briefs_.clear();
  seen_.clear();
  keys_loaded_.clear();
}

}  // namespace pawl::postgres
