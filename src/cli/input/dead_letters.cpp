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

}  // namespace pawl::cli
