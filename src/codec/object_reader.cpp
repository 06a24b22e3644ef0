#include "codec/object_reader.hpp"

#include <algorithm>

#include "codec/scan.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::codec {
namespace {

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? std::string{} : "did you mean " + in_quotes(nearest) + "?";
}

template <class T>
Fit take(Result<T> found, T& out, const char* wanted) {
  if (!found) return Misfit{wanted, {}};
  out = *std::move(found);
  return std::nullopt;
}

}  // namespace

bool has_more_elements(const Json& list, std::size_t max) {
  std::size_t count = 0;
  for_elements(list.text(), [&](std::string_view) { return ++count <= max; });
  return count > max;
}

Fit decode(const Json& value, std::string& out) {
  return take(JsonView(value).string(), out, "must be a string");
}
Fit decode(const Json& value, bool& out) {
  return take(JsonView(value).boolean(), out, "must be true or false");
}
Fit decode(const Json& value, std::int64_t& out) {
  return take(JsonView(value).integer(), out, "must be an integer");
}
Fit decode(const Json& value, std::uint32_t& out) {
  const auto found = JsonView(value).integer();
  if (!found || !std::in_range<std::uint32_t>(*found)) {
    return Misfit{"must be an integer from 0 to 4294967295", {}};
  }
  out = static_cast<std::uint32_t>(*found);
  return std::nullopt;
}
Fit decode(const Json& value, double& out) {
  return take(JsonView(value).number(), out, "must be a number");
}
Fit decode(const Json& value, Duration& out) {
  const auto found = JsonView(value).integer();
  if (!found) return Misfit{"must be an integer of microseconds", {}};
  out = Duration{*found};
  return std::nullopt;
}
Fit decode(const Json& value, Timestamp& out) {
  Duration since_epoch{};
  Fit fit = decode(value, since_epoch);
  if (!fit) out = Timestamp{since_epoch};
  return fit;
}
Fit decode(const Json& value, Json& out) {
  out = value;
  return std::nullopt;
}
Fit decode(const Json& value, std::vector<std::string>& out) {
  out.clear();
  if (!is_array(value)) return Misfit{"must be a list of strings", {}};
  for (const Json& element : elements(value)) {
    if (!is_string(element)) return Misfit{"must be a list of strings", {}};
    out.push_back(*JsonView(element).string());
  }
  return std::nullopt;
}

Fit misfit_of_word(const Json& value, const std::vector<std::string>& words) {
  Misfit misfit;
  misfit.wanted = "must be one of";
  for (const std::string& word : words) {
    misfit.wanted += (&word == &words.front() ? " " : ", ") + in_quotes(word);
  }
  if (const auto word = JsonView(value).string()) {
    misfit.wanted += ", not " + in_quotes(*word);
    misfit.help = suggestion(*word, words);
  }
  return misfit;
}

ObjectReader::ObjectReader(const Json& object, std::string what, ErrorCode code)
    : what_(std::move(what)), code_(code), members_(members(object)) {
  if (!is_object(object)) error_ = Error{code_, what_ + " must be an object", {}};
}

const Json* ObjectReader::find(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  const auto found = std::ranges::find(members_, key, &std::pair<std::string, Json>::first);
  return found == members_.end() ? nullptr : &found->second;
}

void ObjectReader::note(std::string_view key, Fit fit) {
  if (!fit || error_) return;
  error_ = Error{code_, in_quotes(key) + " of " + what_ + " " + fit->wanted, std::move(fit->help)};
}

void ObjectReader::note(Status status) {
  if (!status && !error_) error_ = std::move(status.error());
}

void ObjectReader::note_missing(std::string_view key) {
  if (!error_) error_ = Error{code_, what_ + " has no " + in_quotes(key), {}};
}

Status ObjectReader::finish() {
  for (const auto& [key, value] : members_) {
    if (error_) break;
    if (std::ranges::find(known_, key) != known_.end()) continue;
    error_ =
        Error{code_, "unknown key " + in_quotes(key) + " in " + what_, suggestion(key, known_)};
  }
  if (error_) return std::unexpected(*error_);
  return {};
}

}  // namespace pawl::codec
