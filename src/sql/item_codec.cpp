#include "sql/item_codec.hpp"

namespace pawl::sql {

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

}  // namespace pawl::sql
