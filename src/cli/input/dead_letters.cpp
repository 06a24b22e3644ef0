#include "cli/input/dead_letters.hpp"

#include "cli/output/render.hpp"

namespace pawl::cli {

Result<std::vector<TaskId>> find_dead_letters(Records& records, const AddressText& text) {
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
