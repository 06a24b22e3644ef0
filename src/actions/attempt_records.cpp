#include "actions/attempt_records.hpp"

#include <fstream>
#include <utility>

#include "actions/command.hpp"
#include "pawl/codec/json.hpp"
#include "text/utf8.hpp"

namespace pawl::actions {

namespace {

void add_log(std::vector<ArtifactRecord>& records, ArtifactKind kind, const char* name,
             const std::string& text, std::int64_t bytes, Store& store,
             const store::Patience& patience) {
  if (bytes == 0) return;
  ArtifactRecord record{.kind = kind, .name = name, .size = bytes};
  std::string tail = text;
  if (text.size() > log_tail_bytes) {
    tail = tail_of(text, log_tail_bytes);
    // If a log cannot be stored, the attempt is not lost: the record holds the end of the log.
    const auto keep = [&] { return store.keep_payload(text); };
    if (const Result<std::string> sha256 = store::ask_patiently(patience, keep)) {
      record.sha256 = *sha256;
      record.reference = "sha256:" + *sha256;
    }
  }
  record.summary = Json::object({{"bytes", bytes}, {"tail", tail}});
  records.push_back(std::move(record));
}

/// How much of a line of $PAWL_EVENTS is quoted.
constexpr std::size_t quoted_bytes_max = 60;

/// Reads one line of $PAWL_EVENTS. `invalid` says what is wrong with it.
Status read_event(const std::string& line, const Mask& mask, Usage& usage) {
  const Result<Json> event = parse_json(line);
  if (!event) {
    // Masked before it is cut: half a secret would not be recognised.
    const std::string shown = mask.whole(line);
    const std::string_view beginning = text::beginning_of(shown, quoted_bytes_max);
    return fail(ErrorCode::invalid, "not JSON: " + std::string(beginning) +
                                        (beginning.size() < shown.size() ? "…" : ""));
  }
  if (!is_object(*event)) return fail(ErrorCode::invalid, "not a JSON object");
  for (const auto& [key, value] : members(*event)) {
    if (key == "progress") {
      if (!is_number(value)) return fail(ErrorCode::invalid, "\"progress\" must be a number");
      continue;
    }
    if (key == "message") {
      if (!is_string(value)) return fail(ErrorCode::invalid, "\"message\" must be a text");
      continue;
    }
    if (key != "usage") return fail(ErrorCode::invalid, "unknown member \"" + key + "\"");
    const Result<Usage> used = usage_from(value);
    if (!used) return std::unexpected(used.error());
    usage = usage + *used;
  }
  return {};
}

}  // namespace

std::vector<ArtifactRecord> log_records(const ProcessEnd& end, Store& store,
                                        const store::Patience& patience) {
  std::vector<ArtifactRecord> records;
  add_log(records, ArtifactKind::standard_output, "stdout", end.out, end.out_bytes, store,
          patience);
  add_log(records, ArtifactKind::standard_error, "stderr", end.err, end.err_bytes, store, patience);
  return records;
}

Result<std::vector<ArtifactRecord>> file_records(const std::vector<NamedFile>& files,
                                                 FileKeeper& keeper) {
  std::vector<ArtifactRecord> records;
  for (const NamedFile& file : files) {
    const Result<Result<FileKeeper::Kept>> kept = keeper.keep(file.path);
    if (!kept) return std::unexpected(kept.error());
    if (!*kept) {
      return fail(ErrorCode::invalid,
                  "the artifact \"" + file.name + "\" cannot be stored: " + kept->error().message,
                  kept->error().help);
    }
    const KeptFile& bytes = (**kept).file;
    records.push_back(
        {.kind = ArtifactKind::file,
         .name = file.name,
         .reference = "sha256:" + bytes.sha256,
         .sha256 = bytes.sha256,
         .size = bytes.size,
         .summary = file.type.empty() ? Json() : Json::object({{"type", file.type}})});
  }
  return records;
}

EventLines read_events(const std::filesystem::path& path, const Mask& mask) {
  EventLines lines;
  const Result<std::optional<std::string>> text = read_small_file(path, result_bytes_max);
  if (!text) {
    lines.ignored = 1;
    lines.first_ignored = text.error().message;
    return lines;
  }
  std::string_view rest = *text ? std::string_view(**text) : std::string_view{};
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::size_t newline = rest.find('\n');
    const std::string line(rest.substr(0, newline));
    rest = newline == std::string_view::npos ? std::string_view{} : rest.substr(newline + 1);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Usage used;
    const Status read = read_event(line, mask, used);
    if (read) {
      lines.usage = lines.usage + used;
    } else if (lines.ignored++ == 0) {
      lines.first_ignored = "line " + std::to_string(number) + ": " + read.error().message;
    }
  }
  return lines;
}

ArtifactRecord note_of(const EventLines& events) {
  return {.kind = ArtifactKind::json,
          .name = std::string(ignored_lines_name),
          .reference = {},
          .sha256 = {},
          .summary = Json::object({{"lines", events.ignored}, {"first", events.first_ignored}})};
}

Json masked(const Json& value, const Mask& mask) {
  if (const auto text = JsonView(value).string()) return Json(mask.whole(*text));
  if (is_array(value)) {
    std::vector<Json> list = elements(value);
    for (Json& element : list) element = masked(element, mask);
    return Json::array(list);
  }
  if (!is_object(value)) return value;
  auto object = members(value);
  for (auto& [key, part] : object) {
    key = mask.whole(key);
    part = masked(part, mask);
  }
  return Json::object(object);
}

}  // namespace pawl::actions
