#include "sql/item_codec.hpp"

namespace pawl::sql {

namespace {

void read_item(const Cursor& row, Item& item) {
  Columns columns(row);
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
}

}  // namespace

Item item_of(const Cursor& row) {
  Item item;
  reading_row([&] { return "item " + std::to_string(item.id.value()); },
              [&] { read_item(row, item); });
  return item;
}

}  // namespace pawl::sql
