#pragma once

/// From references to values: `${item.path}`, `${params.x}`, `${in.x}`, `${out.x}`,
/// `${stages.S.out.x}`, `${each.x}`. A value that is not there is null.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actions/file_values.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/runtime/context.hpp"
#include "workflow/reference.hpp"

namespace pawl {

/// Answers what a reference means, null where there is nothing.
using Lookup = std::function<Result<Json>(const workflow::Reference&)>;

/// The values an attempt can refer to. `in` and `out` are those of the stage itself, where they are
/// known. The context must outlive the answer.
[[nodiscard]] Lookup lookup_in(Context& context, Json in = {}, Json out = {});

/// `item` as references see it: its data's fields, with the key as `id`; a scalar as `value`.
[[nodiscard]] Json item_value(const std::string& key, const Json& data, std::string_view path);

/// The value at a path, null where there is none.
[[nodiscard]] Json value_at(const Json& value, std::string_view path);

/// The text with its references replaced. A text that is exactly one reference keeps the type of
/// its value; a file stays a file. `invalid` names the reference that has no text.
[[nodiscard]] Result<Json> resolve_text(std::string_view text, const Lookup& lookup,
                                        FileLinks* links = nullptr);
/// The same for every text in a value, however deep.
[[nodiscard]] Result<Json> resolve_value(const Json& value, const Lookup& lookup,
                                         FileLinks* links = nullptr);
/// The stage's `in`, as one object.
[[nodiscard]] Result<Json> resolve_fields(const std::vector<std::pair<std::string, Json>>& fields,
                                          const Lookup& lookup, FileLinks* links = nullptr);

/// For the command line and the environment: plain text, or nothing for null. `what` names the
/// place in errors. Lists and objects are refused, and so is text with a zero byte in it.
[[nodiscard]] Result<std::optional<std::string>> resolve_argument(std::string_view text,
                                                                  const Lookup& lookup,
                                                                  FileLinks* links,
                                                                  const std::string& what);
/// A whole command line; null is refused.
[[nodiscard]] Result<std::vector<std::string>> resolve_command(const std::vector<std::string>& argv,
                                                               const Lookup& lookup,
                                                               FileLinks* links);

}  // namespace pawl
