#pragma once

/// Resolves references to values: `${item.path}`, `${params.x}`, `${in.x}`, `${out.x}`,
/// `${stages.S.out.x}`, `${each.x}`. A missing value is null.

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

namespace pawl::actions {

/// Returns the value of a reference, null if there is none.
using Lookup = std::function<Result<Json>(const workflow::Reference&)>;

/// Looks up the values an attempt can refer to. `in` and `out` are those of the stage itself, if
/// they are known. The context must outlive the lookup.
[[nodiscard]] Lookup lookup_in(Context& context, Json in = {}, Json out = {});

/// `item` as references see it: the fields of its data, with the key as `id`; a scalar as `value`.
[[nodiscard]] Json item_value(const std::string& key, const Json& data, std::string_view path);

/// The value at a path, null if there is none.
[[nodiscard]] Json value_at(const Json& value, std::string_view path);

/// Replaces the references in a text. A text that is exactly one reference keeps the type of its
/// value; a file stays a file. `invalid` names a reference whose value cannot be text.
[[nodiscard]] Result<Json> resolve_text(std::string_view text, const Lookup& lookup,
                                        FileLinks* links = nullptr);
/// The same for every string in a value, at any depth.
[[nodiscard]] Result<Json> resolve_value(const Json& value, const Lookup& lookup,
                                         FileLinks* links = nullptr);
/// The stage's `in` as one object.
[[nodiscard]] Result<Json> resolve_fields(const std::vector<std::pair<std::string, Json>>& fields,
                                          const Lookup& lookup, FileLinks* links = nullptr);

/// For the command line and the environment: plain text, or nothing for null. `what` names the
/// place in errors. Lists, objects and text with a zero byte are refused.
[[nodiscard]] Result<std::optional<std::string>> resolve_argument(std::string_view text,
                                                                  const Lookup& lookup,
                                                                  FileLinks* links,
                                                                  const std::string& what);
/// Resolves a whole command line; null is refused.
[[nodiscard]] Result<std::vector<std::string>> resolve_command(const std::vector<std::string>& argv,
                                                               const Lookup& lookup,
                                                               FileLinks* links);

}  // namespace pawl::actions
