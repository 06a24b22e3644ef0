#include "transfer/export_reader.hpp"

#include <utility>

namespace pawl::transfer {
std::unexpected<Error> ExportReader::fault(ErrorCode code, const std::string& message,
                                           std::string help) const {
  return fail(code, "line " + std::to_string(number_) + ": " + message, std::move(help));
}

/// False at the end of the file. A line that does not end in a newline was cut.
Result<bool> ExportReader::read_text() {
  text_.clear();
  std::streambuf* const bytes = in_.rdbuf();
  constexpr auto end_of_file = std::istream::traits_type::eof();
  auto next = bytes->sbumpc();
  if (next == end_of_file) return false;
  ++number_;
  for (; next != end_of_file && next != '\n'; next = bytes->sbumpc()) {
    if (text_.size() == export_line_max) {
      return fault(ErrorCode::invalid, "the line is longer than " +
                                           std::to_string(export_line_max) +
                                           " bytes, which no line of an export is");
    }
    text_ += static_cast<char>(next);
  }
  if (next == end_of_file) {
    return fault(ErrorCode::corrupt, "the export is cut short here", "copy the file again");
  }
  if (!is_last_line(text_)) {
    digest_.update(text_);
    digest_.update("\n");
  }
  return true;
}

Status ExportReader::skip_to(std::int64_t line) {
  while (number_ < line) {
    const Result<bool> read = read_text();
    if (!read) return std::unexpected(read.error());
    if (!*read) return fault(ErrorCode::corrupt, "the export is cut short here");
    skipped_ = true;
  }
  return {};
}

Result<std::optional<Line>> ExportReader::next() {
  const Result<bool> read = read_text();
  if (!read) return std::unexpected(read.error());
  if (!*read) {
    return number_ == 0
               ? fail(ErrorCode::invalid, "the file is empty: not an export")
               : fault(ErrorCode::corrupt, "the export is cut short here: its last line is missing",
                       "copy the file again");
  }
  Result<Line> line = read_line(text_);
  if (!line) {
    const Error& error = line.error();
    if (number_ == 1 && error.code == ErrorCode::invalid) {
      return fault(error.code, "this is not an export of a job (" + error.message + ")");
    }
    return fault(error.code, error.message, error.help);
  }
  const auto* last = std::get_if<LastLine>(&*line);
  if (last == nullptr) {
    count(*line);
    return std::optional<Line>(*std::move(line));
  }
  if (Status whole = check_last(*last); !whole) return std::unexpected(whole.error());
  return std::optional<Line>();
}

void ExportReader::count(const Line& line) {
  if (std::holds_alternative<ArrivingItem>(line)) ++counts_.items;
  if (std::holds_alternative<ArrivingTask>(line)) ++counts_.tasks;
  if (std::holds_alternative<MovedAttempt>(line)) ++counts_.attempts;
  if (std::holds_alternative<ArrivingReview>(line)) ++counts_.reviews;
  if (const auto* row = std::get_if<ArrivingEvents>(&line)) {
    counts_.events += static_cast<std::int64_t>(row->events.size());
  }
  if (std::holds_alternative<ArrivingAudit>(line)) ++counts_.audit_entries;
  if (const auto* piece = std::get_if<PayloadPiece>(&line); piece && piece->offset == 0) {
    ++counts_.payloads;
  }
}

Status ExportReader::check_last(const LastLine& last) {
  if (digest_.finish_hex() != last.sha256) {
    return fault(ErrorCode::corrupt, "the export is damaged: its digest is another one",
                 "copy the file again");
  }
  if (!skipped_ && counts_ != last.moved) {
    return fault(ErrorCode::corrupt, "the export is damaged: its counts are others");
  }
  sha256_ = last.sha256;
  const std::string last_line = text_ + "\n";
  Result<bool> more = read_text();
  if (!more) return std::unexpected(more.error());
  if (!*more) return {};
  if (Status checked = check_signature_line(last_line); !checked) return checked;
  more = read_text();
  if (!more) return std::unexpected(more.error());
  if (*more) return fault(ErrorCode::invalid, "something follows the export's last line");
  return {};
}

Status ExportReader::check_signature_line(const std::string& last_line) {
  const Result<Line> line = read_line(text_);
  const auto* signature = line ? std::get_if<codec::Signature>(&*line) : nullptr;
  if (signature == nullptr) {
    return fault(ErrorCode::invalid, "something follows the export's last line");
  }
  Result<std::string> signed_by = codec::check_signature(*signature, last_line);
  if (!signed_by) {
    const Error& error = signed_by.error();
    return fault(error.code, error.message, error.help);
  }
  signature_ = *signature;
  signed_by_ = *std::move(signed_by);
  return {};
}

}  // namespace pawl::transfer
