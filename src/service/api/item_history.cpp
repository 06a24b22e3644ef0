/// What happened to an item, one of its stages, a fan-out child, or a job-wide stage.

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actions/running_now.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/each_row.hpp"
#include "service/api/cursor.hpp"
#include "service/api/item_handlers.hpp"
#include "views/compared_outputs.hpp"
#include "views/criteria_document.hpp"
#include "views/items.hpp"
#include "views/line_diff.hpp"
#include "views/logs.hpp"
#include "views/outputs.hpp"
#include "views/wait_reason.hpp"
#include "views/why.hpp"

namespace pawl::service {

using views::Address;
using views::TaskAttempts;

namespace {

/// A place in a list that has rows for each attempt: the list goes on after so many rows of this
/// one.
struct AttemptPlace {
  TaskId task;  ///< none: before the first
  AttemptNumber number = 0;
  std::size_t rows = 0;

  /// "65537-2-1"
  [[nodiscard]] std::string cursor() const {
    return std::to_string(task.value()) + "-" + std::to_string(number) + "-" + std::to_string(rows);
  }
  /// How many rows of an attempt come before this place.
  [[nodiscard]] std::size_t rows_before(const Task& of, AttemptNumber attempt) const {
    if (of.id != task || attempt > number) return 0;
    return attempt == number ? rows : SIZE_MAX;
  }
};

Result<AttemptPlace> place_in(const std::string& cursor) {
  if (cursor.empty()) return AttemptPlace{};
  std::vector<std::int64_t> numbers;
  for (std::size_t begin = 0; begin <= cursor.size();) {
    const std::size_t end = std::min(cursor.find('-', begin), cursor.size());
    numbers.push_back(number_of_cursor(cursor.substr(begin, end - begin)).value_or(0));
    begin = end + 1;
  }
  const bool fits = numbers.size() == 3 && std::ranges::find(numbers, 0) == numbers.end() &&
                    numbers[1] <= UINT32_MAX;
  if (fits) {
    return AttemptPlace{.task = TaskId{numbers[0]},
                        .number = static_cast<AttemptNumber>(numbers[1]),
                        .rows = static_cast<std::size_t>(numbers[2])};
  }
  return fail(ErrorCode::invalid, "'after' is not the cursor of this list",
              "pass `next` of the page before");
}

/// The rows that one attempt has in a list, and its number.
using AttemptRows = std::function<Result<std::vector<Json>>(const TaskAttempts&, AttemptNumber)>;

/// The numbers of the closed attempts of a task and of the open one.
std::vector<AttemptNumber> numbers_of(const TaskAttempts& one, bool with_running) {
  std::vector<AttemptNumber> numbers;
  for (const Attempt& attempt : one.attempts) numbers.push_back(attempt.number);
  if (with_running && one.has_running_attempt()) numbers.push_back(one.task.attempts);
  return numbers;
}

/// A page of a list that has rows for each attempt.
Result<Page> page_of_attempts(Records& records, const Address& address, const std::string& after,
                              std::uint32_t limit, bool with_running, const AttemptRows& rows_of) {
  const Result<AttemptPlace> begin = place_in(after);
  if (!begin) return std::unexpected(begin.error());
  PageRows rows(limit);
  AttemptPlace last = *begin;
  std::optional<std::string> next;
  const auto see = [&](const TaskAttempts& one) -> Result<bool> {
    for (const AttemptNumber number : numbers_of(one, with_running)) {
      const std::size_t seen = begin->rows_before(one.task, number);
      if (seen == SIZE_MAX) continue;
      Result<std::vector<Json>> of_attempt = rows_of(one, number);
      if (!of_attempt) return std::unexpected(of_attempt.error());
      for (std::size_t i = seen; i < of_attempt->size(); ++i) {
        if (rows.is_full()) {
          next = last.cursor();
          return false;
        }
        rows.add(std::move((*of_attempt)[i]));
        last = {.task = one.task.id, .number = number, .rows = i + 1};
      }
    }
    return true;
  };
  const Status read = views::each_attempts_at(records, address, begin->task, see);
  if (!read) return std::unexpected(read.error());
  return std::move(rows).page(std::move(next));
}

const Attempt* find(const TaskAttempts& one, AttemptNumber number) {
  const auto found = std::ranges::find(one.attempts, number, &Attempt::number);
  return found == one.attempts.end() ? nullptr : &*found;
}

/// The same task with this attempt alone.
TaskAttempts only(const TaskAttempts& one, const Attempt& attempt) {
  return {.task = one.task, .stage = one.stage, .handler = one.handler, .attempts = {attempt}};
}

}  // namespace

Result<Reply> list_attempts(Call& call, const Address& address) {
  Records& records = call.records();
  List list;
  list.page = [&records, address](const std::string& after, std::uint32_t limit) {
    return page_of_attempts(
        records, address, after, limit, false,
        [](const TaskAttempts& one, AttemptNumber number) -> Result<std::vector<Json>> {
          return std::vector{views::recorded_attempt_document(one, *find(one, number))};
        });
  };
  return list;
}

Result<Reply> list_logs(Call& call, const Address& address) {
  Records& records = call.records();
  const Daemon& daemon = call.backend.daemon;
  const actions::LiveAttempts live(daemon.run_directory, daemon.trusts_owner);
  const bool is_one = call.query.has("attempt");
  const auto wanted = static_cast<AttemptNumber>(call.query.integer("attempt"));
  List list;
  list.page = [&records, address, live, is_one, wanted](const std::string& after,
                                                        std::uint32_t limit) {
    const auto rows_of = [&](const TaskAttempts& one,
                             AttemptNumber number) -> Result<std::vector<Json>> {
      std::vector<Json> rows;
      if (is_one && number != wanted) return rows;
      const Attempt* const closed = find(one, number);
      Result<std::vector<views::Log>> logs =
          closed == nullptr ? actions::live_logs(live, one)
                            : views::logs_of(records, {only(one, *closed)}, std::nullopt);
      if (!logs) return std::unexpected(logs.error());
      for (const views::Log& log : *logs) rows.push_back(views::log_document(log));
      return rows;
    };
    return page_of_attempts(records, address, after, limit, true, rows_of);
  };
  return list;
}

Result<Reply> list_decisions(Call& call, const Address& address) {
  const auto reasons = views::reasons_at(call.records(), address);
  if (!reasons) return std::unexpected(reasons.error());
  const auto waits = views::waits_at(call.records(), address,
                                     {.now = call.store().now(),
                                      .time_text = [](Timestamp at) { return rfc3339(at); },
                                      .is_dead = call.backend.daemon.is_dead});
  if (!waits) return std::unexpected(waits.error());
  auto rows = std::make_shared<std::vector<Json>>();
  for (const views::Reason& reason : *reasons) rows->push_back(views::reason_document(reason));
  std::vector<Json> wait_documents;
  for (const views::Wait& wait : *waits) wait_documents.push_back(views::wait_document(wait));
  const std::string words = views::in_words(*waits);
  List list;
  list.members = {{"waits_for", words.empty() ? Json() : Json(words)},
                  {"waits", Json::array(wait_documents)}};
  list.page = [rows](const std::string& after, std::uint32_t limit) -> Result<Page> {
    const Result<std::int64_t> seen = number_of_cursor(after);
    if (!seen) return std::unexpected(seen.error());
    const std::size_t begin = std::min(static_cast<std::size_t>(*seen), rows->size());
    const std::size_t end = std::min(begin + limit, rows->size());
    Page page;
    for (std::size_t i = begin; i < end; ++i) page.rows.push_back((*rows)[i]);
    if (end < rows->size()) page.next = std::to_string(end);
    return page;
  };
  return list;
}

Result<Reply> show_criteria(Call& call, const Address& address) {
  Address without_children = address;
  // Those of a fan-out child only if it is named: there may be any number of them.
  if (!without_children.is_child()) without_children.child = "";
  std::vector<Json> documents;
  const Status read = views::each_attempts_at(
      call.records(), without_children, {}, [&](const TaskAttempts& one) -> Result<bool> {
        if (!one.attempts.empty()) {
          documents.push_back(views::criteria_document(call.records(), one));
        }
        return true;
      });
  if (!read) return std::unexpected(read.error());
  return Document{Json::object({{"criteria", Json::array(documents)}})};
}

Result<Reply> compare_attempts(Call& call, const Address& address) {
  Records& records = call.records();
  if (call.query.has("from") != call.query.has("to")) {
    return fail(ErrorCode::invalid, "expected two attempt numbers, got one",
                "pass 'from' and 'to', or neither to compare the two newest");
  }
  const auto number = [&](std::string_view name) -> std::optional<AttemptNumber> {
    if (!call.query.has(name)) return std::nullopt;
    return static_cast<AttemptNumber>(call.query.integer(name));
  };
  Address one = address;
  // The attempts of children are compared only if one of them is named.
  if (!one.is_child()) one.child = "";
  const auto outputs = views::compared_outputs(records, one, number("from"), number("to"));
  if (!outputs) return std::unexpected(outputs.error());
  const auto lines = [&](const Json& output) {
    return views::readable_lines(output, [&](const codec::FileValue& file) {
      return views::lines_of_file(records, file, "sha256:" + file.sha256);
    });
  };
  const std::string diff =
      views::in_words(views::line_diff(lines(outputs->before), lines(outputs->after)));
  return Document{views::diff_document(*outputs, diff)};
}

Result<Reply> list_children(Call& call, const Address& address) {
  const TaskId parent_id = address.item ? task_id(address.item->id, *address.stage)
                                        : task_id(address.job.reduce_ordinal, *address.stage);
  Records& records = call.records();
  const Result<Task> parent = records.task(parent_id);
  if (!parent && parent.error().code != ErrorCode::not_found) {
    return std::unexpected(parent.error());
  }
  // A stage that has not begun has no children yet.
  const std::uint32_t expansion = parent ? parent->expansion : 0;
  const std::optional<CancelCause> of_item = address.item ? address.item->cancelled : std::nullopt;
  const std::optional<CancelCause> cancelled = of_item ? of_item : address.job.cancelled;
  List list;
  list.page = [&records, parent_id, expansion, cancelled, workflow = address.workflow](
                  const std::string& after, std::uint32_t limit) -> Result<Page> {
    const Result<std::int64_t> last = number_of_cursor(after);
    if (!last) return std::unexpected(last.error());
    PageRows rows(limit);
    std::optional<std::string> next;
    TaskFilter filter{.parent = parent_id, .after = TaskId{*last}, .limit = limit + 1};
    const auto see = [&](const Task& child) -> Result<bool> {
      if (rows.is_full()) {
        next = std::to_string(filter.after.value());
        return false;
      }
      filter.after = child.id;
      // Those of earlier expansions do not count any more.
      if (child.child && child.child->expansion == expansion) {
        rows.add(views::child_document(child, workflow, cancelled));
      }
      return true;
    };
    if (expansion > 0) {
      if (const Status read = each_row(records, filter, see); !read) {
        return std::unexpected(read.error());
      }
    }
    return std::move(rows).page(std::move(next));
  };
  return list;
}

}  // namespace pawl::service
