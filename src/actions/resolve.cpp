#include "actions/resolve.hpp"

#include <memory>
#include <variant>

#include "pawl/codec/json.hpp"

namespace pawl::actions {

using codec::file_of;
using workflow::Reference;
using workflow::Template;

namespace {

bool is_scalar(const Json& value) {
  return !value.is_null() && !is_object(value) && !is_array(value);
}

std::string kind_word(const Json& value) {
  if (value.is_null()) return "null";
  if (is_object(value)) return "an object";
  if (is_array(value)) return "a list";
  return "a value";
}

/// Text without references and zero bytes, which can be passed to any program.
bool is_plain(std::string_view text) {
  return text.find_first_of(std::string_view("$\0", 2)) == std::string_view::npos;
}

Result<Template> parsed(std::string_view text) {
  auto made = Template::parse(text);
  if (!made) return fail(ErrorCode::invalid, made.error().message, made.error().help);
  return std::move(*made);
}

/// The text of a value inside a longer text.
Result<std::string> text_of(const Json& value, const Reference& reference, FileLinks* links) {
  if (const auto file = file_of(value)) {
    if (links == nullptr) return file->name;
    return links->path_of(*file, reference.field());
  }
  if (!is_scalar(value)) {
    return fail(ErrorCode::invalid, reference.text() + " is " + kind_word(value) + ", not text");
  }
  if (auto text = JsonView(value).string()) return std::move(*text);
  return value.text();
}

Json each_value(Context& context, std::string_view path) {
  const ChildPart* const child = context.child();
  return child == nullptr ? Json() : value_at(child->data, path);
}

Result<Json> stage_value(Context& context, const Reference& reference) {
  const Result<Upstream> upstream = context.upstream(reference.stage);
  if (!upstream) {
    if (upstream.error().code == ErrorCode::not_found) return Json();
    return std::unexpected(upstream.error());
  }
  return value_at(upstream->json, reference.path);
}

}  // namespace

Json value_at(const Json& value, std::string_view path) {
  return field(value, path).json().value_or(Json());
}

Json item_value(const std::string& key, const Json& data, std::string_view path) {
  if (path.empty()) return data;
  if (path == "id") return Json(key);
  if (path == "value" && !is_object(data)) return data;
  if (path.starts_with("value") && !is_object(data)) {
    return value_at(Json::object({{"value", data}}), path);
  }
  return value_at(data, path);
}

Lookup lookup_in(Context& context, Json in, Json out) {
  return [&context, in = std::move(in),
          out = std::move(out)](const Reference& reference) -> Result<Json> {
    switch (reference.root) {
      case Reference::Root::item:
        return item_value(context.item_key(), context.data(), reference.path);
      case Reference::Root::params:
        return value_at(context.job_params(), reference.path);
      case Reference::Root::in:
        return value_at(in, reference.path);
      case Reference::Root::out:
        return value_at(out, reference.path);
      case Reference::Root::each:
        return each_value(context, reference.path);
      case Reference::Root::stage:
        return stage_value(context, reference);
    }
    return Json();
  };
}

Result<Json> resolve_text(std::string_view text, const Lookup& lookup, FileLinks* links) {
  const Result<Template> made = parsed(text);
  if (!made) return std::unexpected(made.error());
  if (const Reference* const only = made->single()) return lookup(*only);
  std::string whole;
  for (const Template::Piece& piece : made->pieces()) {
    if (const auto* const plain = std::get_if<std::string>(&piece)) {
      whole += *plain;
      continue;
    }
    const auto& reference = std::get<Reference>(piece);
    const Result<Json> value = lookup(reference);
    if (!value) return value;
    const Result<std::string> part = text_of(*value, reference, links);
    if (!part) return std::unexpected(part.error());
    whole += *part;
  }
  return Json(whole);
}

Result<Json> resolve_value(const Json& value, const Lookup& lookup, FileLinks* links) {
  if (value.text().find('$') == std::string::npos) return value;
  if (const auto text = JsonView(value).string()) return resolve_text(*text, lookup, links);
  if (is_array(value)) {
    std::vector<Json> list = elements(value);
    for (Json& element : list) {
      Result<Json> resolved = resolve_value(element, lookup, links);
      if (!resolved) return resolved;
      element = std::move(*resolved);
    }
    return Json::array(list);
  }
  return resolve_fields(members(value), lookup, links);
}

Result<Json> resolve_fields(const std::vector<std::pair<std::string, Json>>& fields,
                            const Lookup& lookup, FileLinks* links) {
  auto object = fields;
  for (auto& [key, part] : object) {
    Result<Json> resolved = resolve_value(part, lookup, links);
    if (!resolved) return resolved;
    part = std::move(*resolved);
  }
  return Json::object(object);
}

Result<std::optional<std::string>> resolve_argument(std::string_view text, const Lookup& lookup,
                                                    FileLinks* links, const std::string& what) {
  if (is_plain(text)) return std::optional<std::string>(text);
  const Result<Template> made = parsed(text);
  if (!made) return std::unexpected(made.error());
  const Result<Json> value = resolve_text(text, lookup, links);
  if (!value) return std::unexpected(value.error());
  if (value->is_null()) return std::optional<std::string>();
  Reference here;
  if (const Reference* const only = made->single()) here = *only;
  const Result<std::string> plain = text_of(*value, here, links);
  if (!plain) {
    return fail(ErrorCode::invalid, what + ": " + plain.error().message,
                "pass it with `in`, on standard input");
  }
  if (plain->find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid,
                what + " would contain a zero byte, which a program cannot receive",
                "pass it with `in`, on standard input");
  }
  return std::optional<std::string>(*plain);
}

Result<std::vector<std::string>> resolve_command(const std::vector<std::string>& argv,
                                                 const Lookup& lookup, FileLinks* links) {
  std::vector<std::string> resolved;
  for (const std::string& argument : argv) {
    if (is_plain(argument)) {
      resolved.push_back(argument);
      continue;
    }
    const std::string what =
        "argument " + std::to_string(resolved.size()) + " (\"" + argument + "\") of the command";
    const auto text = resolve_argument(argument, lookup, links, what);
    if (!text) return std::unexpected(text.error());
    if (!*text) {
      std::string message = what;
      message.append(": ").append(argument).append(" is null");
      return fail(ErrorCode::invalid, std::move(message));
    }
    resolved.push_back(**text);
  }
  return resolved;
}

}  // namespace pawl::actions
