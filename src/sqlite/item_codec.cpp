#include "sqlite/item_codec.hpp"

namespace pawl::sqlite {

namespace {

constexpr char insert_item[] =
    "INSERT INTO items (id, job, key, category, data, data_sha256, submitted_at, state, "
    "cancelled, sinks_left, failed_tasks, adopted_from, pass) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

}  // namespace

Item item_of(const Cursor& row) {
  Columns columns(row);
  Item item;
  columns.into(item.id);
  columns.into(item.job);
  columns.into(item.key);
  columns.into(item.category);
  columns.into(item.data);
  columns.into(item.data_sha256);
  columns.into(item.submitted_at);
  columns.into(item.state);
  columns.into(item.cancelled);
  columns.into(item.sinks_left);
  columns.into(item.failed_tasks);
  columns.into(item.adopted_from);
  return item;
}

void insert_item_row(Connection& connection, const Item& item, std::uint32_t pass) {
  connection.prepared(insert_item)
      .run(item.id, item.job, item.key, item.category, item.data, item.data_sha256,
           item.submitted_at, item.state, item.cancelled, item.sinks_left, item.failed_tasks,
           item.adopted_from, pass);
}

}  // namespace pawl::sqlite
