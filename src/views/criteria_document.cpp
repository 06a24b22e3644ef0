#include "views/criteria_document.hpp"

#include <algorithm>
#include <string>

#include "views/criteria.hpp"
#include "views/document_writer.hpp"
#include "views/output_changes.hpp"

namespace pawl::views {
namespace {

using codec::ObjectWriter;

template <class T, class Append>
void append_array(std::string& out, const std::vector<T>& values, const Append& append) {
  out += '[';
  for (const T& value : values) {
    if (&value != &values.front()) out += ',';
    append(value);
  }
  out += ']';
}

void append_difference(std::string& out, const OutputDifference& difference) {
  ObjectWriter object(out);
  object.write("from", difference.from);
  object.write("bytes", difference.bytes);
  object.write("lines_added", difference.lines_added);
  object.write("lines_removed", difference.lines_removed);
}

void append_attempt(std::string& out, const Attempt& attempt,
                    const std::vector<OutputChange>& changes) {
  const auto found = std::ranges::find(changes, attempt.number, &OutputChange::attempt);
  const OutputChange change = found == changes.end() ? OutputChange{} : *found;
  ObjectWriter object(out);
  object.write("attempt_number", attempt.number);
  object.write("epoch", attempt.epoch);
  write_optional(object, "same_output_as", change.same_as);
  if (change.difference) {
    append_difference(object.member("difference"), *change.difference);
  } else {
    object.write("difference", Json{});
  }
}

void append_row(std::string& out, const CriterionRow& row) {
  ObjectWriter object(out);
  write_name(object, "gate", row.gate);
  object.write("name", row.name);
  write_word(object, "trend", row.trend);
  append_array(object.member("cells"), row.cells, [&](const CriterionCell& cell) {
    ObjectWriter one(out);
    one.write("attempt_number", cell.attempt);
    one.write("passed", cell.passed);
    one.write("expected", cell.expected);
    one.write("actual", cell.actual);
  });
}

}  // namespace

Json criteria_document(Records& records, const TaskAttempts& task) {
  const std::vector<Attempt>& attempts = task.attempts;
  const std::vector<OutputChange> changes = output_changes(records, attempts);
  std::string out;
  {
    ObjectWriter object(out);
    object.write("stage", task.stage);
    write_name(object, "child", task.task.child ? task.task.child->key : std::string());
    object.write("task", task.task.id.value());
    object.write("epoch", attempts.empty() ? task.task.epoch : attempts.back().epoch);
    append_array(object.member("attempts"), attempts,
                 [&](const Attempt& attempt) { append_attempt(out, attempt, changes); });
    append_array(object.member("rows"), criteria_of(attempts),
                 [&](const CriterionRow& row) { append_row(out, row); });
  }
  return Json::trusted(std::move(out));
}

}  // namespace pawl::views
