#include "cli/input/dead_letters.hpp"

#include "cli/output/render.hpp"

namespace pawl::cli {
namespace {

/// The failed child that the text names, or with "[]" the stage itself without its children. Empty
/// if the text names neither.
Result<std::vector<TaskId>> child_at(Records& records, const AddressText& text) {
  std::vector<TaskId> letters;
  const std::optional<ChildText> named = read_child(text.text);
  if (!named) return letters;
  const Result<Address> address = resolve(records, {named->parent, text.job, text.stage});
  if (!address && address.error().code != ErrorCode::not_found) {
    return std::unexpected(address.error());
  }
  if (!address || !address->stage) return letters;
  return views::dead_letters_at(records, *address, named->child);
}

}  // namespace

Result<std::vector<TaskId>> find_dead_letters(Records& records, const AddressText& text) {
  if (Result<std::vector<TaskId>> children = child_at(records, text);
      !children || !children->empty()) {
    return children;
  }
  const Result<Address> address = resolve(records, text);
  if (!address) return std::unexpected(address.error());
  Result<std::vector<TaskId>> letters = views::dead_letters_at(records, *address);
  if (letters && letters->empty()) {
    return pawl::fail(ErrorCode::not_found,
                      "not a dead letter: '" + printable(text.text) + "' has not failed",
                      "list dead letters: pawl dlq list");
  }
  return letters;
}

Result<std::optional<TaskId>> find_failed_child(Records& records, const AddressText& text) {
  const std::optional<ChildText> named = read_child(text.text);
  if (!named || named->child.empty()) return std::optional<TaskId>();
  const Result<std::vector<TaskId>> found = child_at(records, text);
  if (!found) return std::unexpected(found.error());
  return found->empty() ? std::optional<TaskId>() : std::optional(found->front());
}

Result<std::optional<Filter>> letter_filter(const std::optional<std::string>& filter,
                                            const std::string& stage) {
  if (!filter && stage.empty()) return std::optional<Filter>();
  // Parse the filter alone first, so that errors name the columns of the user's text.
  if (filter) {
    Result<Filter> alone = parse_dead_letter_filter(*filter);
    if (!alone) return std::unexpected(std::move(alone.error()));
    if (stage.empty()) return std::optional<Filter>(std::move(*alone));
  }
  std::string both = "stage = " + quoted_for_filter(stage);
  if (filter) both += " and (" + *filter + ")";
  Result<Filter> parsed = parse_dead_letter_filter(both);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return std::optional<Filter>(std::move(*parsed));
}

}  // namespace pawl::cli
