#include "service/api/letter_selection.hpp"

#include <set>
#include <utility>

#include "pawl/codec/json.hpp"
#include "views/dead_letters.hpp"

namespace pawl::service {

std::vector<Field> letter_selection_fields() {
  return {
      {.name = "job", .kind = FieldKind::integer, .about = "Only letters of this job.", .min = 1},
      {.name = "stage", .about = "Only letters of stages with this name."},
      {.name = "filter",
       .about = "Only letters that match, such as `error ~ \"timeout\" and age < 2d`."},
      {.name = "ids",
       .kind = FieldKind::any,
       .about = "A list of task numbers: only these letters."},
      {.name = "all",
       .kind = FieldKind::flag,
       .about = "All letters. Needed if nothing else selects."}};
}

Result<std::vector<std::int64_t>> numbers_in(const Json& list, std::string_view what) {
  constexpr std::size_t numbers_max = 10'000;
  const std::string name = "member '" + std::string(what) + "'";
  if (!is_array(list)) return fail(ErrorCode::invalid, name + " must be a list of numbers");
  const std::vector<Json> all = elements(list);
  if (all.empty()) return fail(ErrorCode::invalid, name + " is empty", "name at least one");
  if (all.size() > numbers_max) {
    return fail(ErrorCode::invalid,
                name + " has more than " + std::to_string(numbers_max) + " elements",
                "select by a filter, or send several requests");
  }
  std::vector<std::int64_t> numbers;
  std::set<std::int64_t> known;
  std::string wrong;
  for (const Json& one : all) {
    const std::int64_t number = JsonView(one).integer().value_or(0);
    constexpr std::size_t reported_max = 200;
    if (number <= 0 && wrong.size() < reported_max) {
      wrong += (wrong.empty() ? "" : ", ") + one.text().substr(0, 40);
    }
    if (known.insert(number).second) numbers.push_back(number);
  }
  if (wrong.empty()) return numbers;
  return fail(ErrorCode::invalid, name + " must have only numbers, not " + wrong,
              "a number is that of a record, such as 41");
}

Result<DeadLetterSelection> letters_selected_by(Records& records, const Fields& body) {
  DeadLetterSelection selection{.job = JobId{body.integer("job")}};
  const bool selects_otherwise = body.has("filter") || body.has("stage") || body.flag("all");
  if (body.has("ids")) {
    if (selects_otherwise) {
      return fail(ErrorCode::invalid, "letters are selected by ids and in another way",
                  "send either `ids`, or `filter`, `stage` or `all`");
    }
    const auto numbers = numbers_in(*body.json("ids"), "ids");
    if (!numbers) return std::unexpected(numbers.error());
    for (const std::int64_t number : *numbers) selection.tasks.emplace_back(number);
  } else if (!selects_otherwise && !selection.job) {
    return fail(ErrorCode::invalid, "no dead letters are selected",
                "send `ids`, `filter`, `stage`, `job` or `all`");
  }
  if (selection.job) {
    if (const Result<Job> job = records.job(selection.job); !job) {
      return std::unexpected(job.error());
    }
  }
  const auto text = body.has("filter") ? std::optional(body.text("filter")) : std::nullopt;
  Result<std::optional<Filter>> filter = views::letter_filter(text, body.text("stage"));
  if (!filter) return std::unexpected(std::move(filter.error()));
  selection.filter = std::move(*filter);
  selection.all = selection.tasks.empty() && !selection.filter;
  return selection;
}

}  // namespace pawl::service
