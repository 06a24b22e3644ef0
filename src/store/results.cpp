#include "pawl/store/results.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "pawl/codec/json.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl {

namespace {

constexpr std::uint32_t page_size = 500;
constexpr std::string_view digest_prefix = "sha256:";
constexpr std::size_t longest_reference = 128;

}  // namespace

const StageOutput* SettledItem::output(const Workflow& workflow, std::string_view stage) const {
  const std::optional<StageIndex> index = workflow.find(stage);
  if (!index) return nullptr;
  const auto found = std::ranges::find(outputs, *index, &StageOutput::stage);
  return found == outputs.end() ? nullptr : &*found;
}

Json payload_reference(const std::string& sha256, std::size_t size) {
  return Json::object({{"$ref", std::string(digest_prefix) + sha256}, {"size", size}});
}

/// Only a short text of this beginning can be one; that keeps the usual output unread.
bool is_payload_reference(const Json& output) {
  return output.size() <= longest_reference && output.text().starts_with(R"({"$ref":"sha256:)");
}

Result<Json> whole_output(Records& records, Json output) {
  if (!is_payload_reference(output)) return output;
  const auto digest = field(output, "$ref").string();
  if (!digest) return output;
  Result<std::string> bytes = records.payload(digest->substr(digest_prefix.size()));
  if (!bytes) return std::unexpected(bytes.error());
  return Json::trusted(std::move(*bytes));
}

Status for_each_result(Records& records, JobId job,
                       const std::function<bool(const SettledItem&)>& visit) {
  const ItemFilter items{.job = job, .category = {}, .limit = page_size};
  return each_row(records, items, [&](const Item& item) -> Result<bool> {
    auto outputs = records.outputs(item.id);
    if (!outputs) return std::unexpected(outputs.error());
    for (StageOutput& one : *outputs) {
      Result<Json> json = whole_output(records, std::move(one.output));
      if (!json) return std::unexpected(json.error());
      one.output = std::move(*json);
    }
    return visit({.item = item, .outputs = std::move(*outputs)});
  });
}

}  // namespace pawl
