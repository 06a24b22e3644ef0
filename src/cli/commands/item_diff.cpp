#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/file_outputs.hpp"
#include "cli/output/line_diff.hpp"
#include "cli/session.hpp"
#include "views/compared_outputs.hpp"

namespace pawl::cli {

using views::ComparedOutputs;

namespace {

struct ItemDiffOptions {
  AddressText item;
  std::vector<std::uint32_t> attempts;  ///< none: the two newest
};

int item_diff(Session& session, const ItemDiffOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  if (options.attempts.size() == 1) {
    return session.fail_usage("expected two attempt numbers, got one",
                              "pass two numbers, or none to compare the two newest");
  }
  const Result<Address> address = resolve(records, options.item);
  if (!address) return session.fail(address.error());
  const bool is_named = options.attempts.size() == 2;
  const auto number = [&](std::size_t which) {
    return is_named ? std::optional<AttemptNumber>(options.attempts[which]) : std::nullopt;
  };
  const Result<ComparedOutputs> outputs =
      views::compared_outputs(records, *address, number(0), number(1));
  if (!outputs) return session.fail(outputs.error());

  const auto diff = [&](const Style& style) {
    return line_diff(readable_lines(records, outputs->before),
                     readable_lines(records, outputs->after), style);
  };
  const auto text = [&] {
    const std::string stage = printable(outputs->task.name());
    const std::string lines = diff(session.style());
    return "--- " + stage + " attempt " + std::to_string(outputs->from) + "\n+++ " + stage +
           " attempt " + std::to_string(outputs->to) + "\n" +
           (lines.empty() ? "the outputs are the same\n" : lines);
  };
  return session.present(
      {.document = [&] { return views::diff_document(*outputs, diff(Style{})); }, .text = text});
}

}  // namespace

CommandEntry item_diff_command() {
  return command("item diff", "pawl item diff doc-0419/convert 1 3",
                 "Compare the outputs of two attempts.", &item_diff, [](ItemDiffOptions& it) {
                   Words words = words_of_address(it.item);
                   words.push_back(optional_argument(
                       &it.attempts, "A B", "Two attempt numbers; default: the two newest"));
                   return words;
                 });
}

}  // namespace pawl::cli
