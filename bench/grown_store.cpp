#include "bench/grown_store.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bench/chain.hpp"
#include "bench/database.hpp"

namespace pawl::bench {

namespace {

/// Returns how many attempts it took.
std::int64_t carry_out_the_model(const std::filesystem::path& path, const Program& program,
                                 std::int64_t items) {
  const auto store = must(open_sqlite_store({.path = path}), "a store");
  return run_to_the_end(store, program, submit_to(*store, program, items)).executions;
}

/// Appends the field with `by` added if it is a number.
void append_shifted(std::string& out, std::string_view field, std::int64_t by) {
  std::int64_t number = 0;
  const auto read = std::from_chars(field.data(), field.data() + field.size(), number);
  if (read.ec == std::errc() && number > 0) {
    out += std::to_string(number + by);
  } else {
    out += field;
  }
}

/// shifted(events, by): the text of a journal row with every item moved by this many ordinals. A
/// line is type,item,task,…; '=' and empty fields stay.
void shifted_events(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  std::string_view left(text, static_cast<std::size_t>(sqlite3_value_bytes(values[0])));
  const std::int64_t by = sqlite3_value_int64(values[1]);
  std::string out;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    std::string_view line = left.substr(0, end);
    for (const std::int64_t shift : {std::int64_t{0}, by, by << 16}) {
      const std::size_t comma = line.find(',');
      append_shifted(out, line.substr(0, comma), shift);
      if (comma == std::string_view::npos) {
        line = {};
        break;
      }
      out += ',';
      line.remove_prefix(comma + 1);
    }
    out += line;
    left.remove_prefix(std::min(end + 1, left.size()));
    if (!left.empty()) out += '\n';
  }
  sqlite3_result_text(context, out.data(), static_cast<int>(out.size()), SQLITE_TRANSIENT);
}

/// Copies the model's rows of a table and returns the statement that inserts them again: every
/// column unchanged, those named in `changed` by their expression; ?1 is the number of the copy. A
/// separate copy, because SQLite would make its own copy to read a table while inserting into it.
struct Changed {
  const char* column;
  std::string expression;
};
std::string copying_sql(Database& database, const std::string& table,
                        const std::vector<Changed>& changed) {
  database.run(("CREATE TEMP TABLE model_" + table + " AS SELECT * FROM main." + table).c_str());
  std::string columns;
  Query query(database, ("SELECT name FROM pragma_table_info('" + table + "')").c_str());
  while (query.next()) {
    std::string column = query.text(0);
    for (const Changed& one : changed) {
      if (column == one.column) column = one.expression;
    }
    columns += (columns.empty() ? "" : ", ") + column;
  }
  return "INSERT INTO main." + table + " SELECT " + columns + " FROM model_" + table;
}

/// The smallest and the largest item of some events; the first is the larger one if there is none.
struct ItemRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;

  void add(const ItemRange& other, std::int64_t by) {
    if (other.most == 0) return;
    least = std::min(least, other.least + by);
    most = std::max(most, other.most + by);
  }
};

/// Of the text of a journal row.
ItemRange items_in(std::string_view events) {
  ItemRange range;
  while (!events.empty()) {
    const std::size_t end = std::min(events.find('\n'), events.size());
    const std::string_view line = events.substr(0, end);
    std::int64_t item = 0;
    if (const std::size_t comma = line.find(','); comma != std::string_view::npos) {
      std::from_chars(line.data() + comma + 1, line.data() + line.size(), item);
    }
    if (item > 0) range.add({.least = item, .most = item}, 0);
    events.remove_prefix(std::min(end + 1, events.size()));
  }
  return range;
}

/// The items of each row of the journal, by its number minus one.
std::vector<ItemRange> items_of_rows(Database& database) {
  std::vector<ItemRange> ranges;
  Query query(database, "SELECT row, events FROM main.journal ORDER BY row");
  while (query.next()) {
    ranges.resize(static_cast<std::size_t>(query.integer(0)));
    ranges.back() = items_in(query.text(1));
  }
  return ranges;
}

/// The zones as the engine would have written them.
void make_zones(Database& database, std::int64_t items_of_a_job,
                const std::vector<ItemRange>& rows_of_a_job, std::int64_t jobs) {
  constexpr std::int64_t rows_of_a_zone = 1'024;
  const auto rows_each = static_cast<std::int64_t>(rows_of_a_job.size());
  const std::int64_t rows = jobs * rows_each;
  database.run("DELETE FROM journal_zones");
  Query insert(database, "INSERT INTO journal_zones VALUES (?1, ?2, ?3, ?4, ?5)");
  for (std::int64_t zone = 0; zone <= rows / rows_of_a_zone; ++zone) {
    // Rows begin with 1; here they are counted from 0.
    const std::int64_t first = std::max<std::int64_t>(1, zone * rows_of_a_zone) - 1;
    const std::int64_t last = std::min(rows, zone * rows_of_a_zone + rows_of_a_zone - 1) - 1;
    ItemRange items;
    for (std::int64_t row = first; row <= last; ++row) {
      items.add(rows_of_a_job[static_cast<std::size_t>(row % rows_each)],
                row / rows_each * items_of_a_job);
    }
    insert.run(zone, first / rows_each + 1, last / rows_each + 1, items.least, items.most);
  }
}

void copy_the_model(Database& database, std::int64_t items_of_the_model, std::int64_t copies) {
  const auto number = [&](const char* sql) { return database.integer(sql); };
  const std::string items = std::to_string(items_of_the_model);
  const std::string by = " + ?1 * " + items;
  const std::string task_by = " + ?1 * (" + items + " << 16)";
  const std::vector<ItemRange> rows_of_the_model = items_of_rows(database);
  const std::string rows = std::to_string(rows_of_the_model.size());
  const std::string lanes =
      std::to_string(number("SELECT value - 1 FROM counters WHERE name = 'lane'"));
  sqlite3_create_function(database.raw(), "shifted", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                          shifted_events, nullptr, nullptr);

  const std::string statements[] = {
      copying_sql(database, "jobs",
                  {{"id", "id + ?1"},
                   {"first_ordinal", "first_ordinal" + by},
                   {"last_ordinal", "last_ordinal" + by}}),
      copying_sql(database, "lane_groups", {{"base", "base + ?1 * " + lanes}, {"job", "job + ?1"}}),
      copying_sql(database, "items", {{"id", "id" + by}, {"job", "job + ?1"}}),
      copying_sql(database, "tasks",
                  {{"id", "id" + task_by},
                   {"job", "job + ?1"},
                   {"item", "item" + by},
                   {"lane", "lane + ?1 * " + lanes},
                   {"age", "age" + by}}),
      copying_sql(database, "attempts", {{"task", "task" + task_by}}),
      copying_sql(database, "journal",
                  {{"row", "row + ?1 * " + rows},
                   {"job", "job + ?1"},
                   {"events", "shifted(events, ?1 * " + items + ")"}})};
  for (const std::string& sql : statements) {
    Query copy(database, sql.c_str());
    for (std::int64_t n = 1; n <= copies; ++n) copy.run(n);
  }
  Query set(database, "UPDATE counters SET value = (value - 1) * ?2 + 1 WHERE name = ?1");
  set.run(std::string_view("ordinal"), copies + 1);
  set.run(std::string_view("lane"), copies + 1);
  make_zones(database, items_of_the_model, rows_of_the_model, copies + 1);
}

/// A copy must be as sound as its original.
void check_newest_job(const std::filesystem::path& path, std::int64_t attempts) {
  const auto store = must(open_sqlite_store({.path = path}), "the store");
  const JobId newest = must(store->records().jobs({.limit = 1}), "the newest job").front().id;
  const Verification found = must(verify(store->records(), {.job = newest}), "verifying");
  if (!found.ok()) give_up("a copied job is not sound: " + found.violations.front().message);
  if (found.attempts != attempts) give_up("a copied job lacks attempts");
}

}  // namespace

std::int64_t grow_store(const std::filesystem::path& path, std::int64_t attempts,
                        const Program& program, std::int64_t items_of_a_job) {
  const std::int64_t of_the_model = carry_out_the_model(path, program, items_of_a_job);
  const std::int64_t copies = (attempts + of_the_model - 1) / of_the_model - 1;
  Database database(path);
  // No process needs this database before it is complete, and the rows have passed every check
  // once.
  database.run(
      "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;"
      "PRAGMA ignore_check_constraints = ON");
  copy_the_model(database, items_of_a_job, copies);
  database.run("PRAGMA journal_mode = WAL");
  check_newest_job(path, of_the_model);
  return (copies + 1) * of_the_model;
}

std::int64_t bytes_of_grown_store(std::int64_t attempts) { return attempts * 400; }

}  // namespace pawl::bench
