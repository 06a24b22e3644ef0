#include "service/api/file_reply.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "pawl/codec/digest.hpp"
#include "service/api/reply.hpp"
#include "service/api/url_text.hpp"
#include "text/utf8.hpp"
#include "views/outputs.hpp"

namespace pawl::service {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 18U;
constexpr std::size_t looked_at_bytes = 4'096;
constexpr std::string_view octets = "application/octet-stream";

/// Some of the bytes of a file.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;  ///< the byte after the last one
};

/// Sends a range of a file piece by piece. Of a whole file the last piece is sent only if the
/// digest of all bytes is right.
class FileStream : public BodyStream {
 public:
  FileStream(ServedFile file, Range range)
      : file_(std::move(file)),
        at_(range.begin),
        end_(range.end),
        is_whole_(range.begin == 0 && range.end == file_.size) {}

  Piece next() override {
    const auto wanted = std::min<std::int64_t>(end_ - at_, piece_bytes);
    if (wanted == 0) return {.state = State::end, .bytes = {}};
    Result<std::string> bytes = file_.read(at_, static_cast<std::size_t>(wanted));
    if (!bytes || bytes->empty()) return {.state = State::cut, .bytes = {}};
    at_ += static_cast<std::int64_t>(bytes->size());
    if (is_whole_) digest_.update(*bytes);
    if (at_ < end_) return {.state = State::more, .bytes = std::move(*bytes)};
    const bool is_right = !is_whole_ || digest_.finish_hex() == file_.sha256;
    if (!is_right) return {.state = State::cut, .bytes = {}};
    return {.state = State::end, .bytes = std::move(*bytes)};
  }

 private:
  const ServedFile file_;
  std::int64_t at_;
  const std::int64_t end_;
  const bool is_whole_;
  Sha256 digest_;
};

bool is_plain_text(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) {
    const auto code = static_cast<unsigned char>(c);
    constexpr unsigned char escape = 0x1B;  // colours in logs
    return code >= 0x20 || c == '\t' || c == '\n' || c == '\r' || c == '\f' || code == escape;
  });
}

/// Whether the request already has this version of the file.
bool has_it(const Request& request, const std::string& etag) {
  const std::string_view known = request.headers.find("If-None-Match").value_or("");
  return known == "*" || known.contains(etag);
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool fits = read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= 0;
  return fits ? std::optional(number) : std::nullopt;
}

enum class Asked : std::uint8_t { whole, part, nothing };

/// The one range that the request asks for. Several ranges, and what is malformed, are ignored, as
/// RFC 9110 allows. `nothing`: the range lies behind the end.
Asked range_in(const Request& request, const std::string& etag, std::int64_t size, Range& range) {
  range = {.begin = 0, .end = size};
  std::string_view text = request.headers.find("Range").value_or("");
  const std::string_view version = request.headers.find("If-Range").value_or(etag);
  if (!text.starts_with("bytes=") || version != etag) return Asked::whole;
  text.remove_prefix(std::string_view("bytes=").size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || text.contains(',')) return Asked::whole;
  const std::optional<std::int64_t> first = number_in(text.substr(0, dash));
  const std::optional<std::int64_t> last = number_in(text.substr(dash + 1));
  const bool is_suffix = dash == 0;
  const bool is_open = dash + 1 == text.size();
  if ((!first && !is_suffix) || (!last && !is_open) || (is_suffix && is_open)) return Asked::whole;
  if (first && last && *last < *first) return Asked::whole;
  if (is_suffix) {
    range.begin = size - std::min(*last, size);
  } else {
    range.begin = *first;
    if (last && *last < size - 1) range.end = *last + 1;
  }
  return range.begin < range.end ? Asked::part : Asked::nothing;
}

/// What browsers may do with the file. A viewer of PDF files does not work in a sandbox; it is the
/// browser's own, and runs nothing of the page.
std::string_view policy_for(std::string_view type) {
  if (type == "application/pdf") {
    return "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; "
           "frame-ancestors 'self'";
  }
  return "sandbox; default-src 'none'; frame-ancestors 'self'";
}

}  // namespace

std::string_view type_of(std::string_view first_bytes, bool is_cut, std::string_view name) {
  using namespace std::string_view_literals;
  if (first_bytes.starts_with("\x89PNG\r\n\x1A\n"sv)) return "image/png";
  if (first_bytes.starts_with("\xFF\xD8\xFF"sv)) return "image/jpeg";
  if (first_bytes.starts_with("%PDF-"sv)) return "application/pdf";
  // The last character may be cut in the middle.
  const std::string_view whole =
      is_cut ? text::beginning_of(first_bytes, first_bytes.size() - 1) : first_bytes;
  if (!is_plain_text(whole) || !text::is_utf8(whole)) return octets;
  const std::size_t begin = whole.find_first_not_of(" \t\r\n");
  const bool is_json = name.ends_with(".json") && begin != std::string_view::npos &&
                       "{[\"-0123456789tfn"sv.contains(whole[begin]);
  return is_json ? "application/json" : "text/plain";
}

std::string content_disposition(std::string_view kind, const std::string& name) {
  const std::string safe = views::safe_file_name(name);
  std::string plain;
  for (const char c : safe) {
    const bool is_plain = c >= 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '%';
    plain += is_plain ? c : '_';
  }
  return std::string(kind) + "; filename=\"" + plain + "\"; filename*=UTF-8''" + with_escapes(safe);
}

Result<Response> file_response(const Request& request, const ServedFile& file) {
  const std::string etag = "\"" + file.sha256 + "\"";
  Response response;
  response.headers.add("ETag", etag);
  // A browser may keep it, but asks each time, so that who has signed out sees nothing any more.
  response.headers.add("Cache-Control", "private, no-cache");
  if (has_it(request, etag)) {
    response.status = 304;
    return response;
  }
  Range range;
  const Asked asked = range_in(request, etag, file.size, range);
  response.headers.add("Accept-Ranges", "bytes");
  if (asked == Asked::nothing) {
    response = error_response(416, "no_such_range",
                              "the file has only " + std::to_string(file.size) + " bytes");
    response.headers.set("Content-Range", "bytes */" + std::to_string(file.size));
    return response;
  }
  const Result<std::string> first =
      file.size > 0 ? file.read(0, looked_at_bytes) : Result<std::string>(std::string());
  if (!first) return std::unexpected(first.error());
  const bool is_cut = static_cast<std::int64_t>(first->size()) < file.size;
  const std::string_view type = type_of(*first, is_cut, file.name);
  const bool is_text = type == "text/plain" || type == "application/json";
  response.headers.add("Content-Type", std::string(type) + (is_text ? "; charset=utf-8" : ""));
  response.headers.add("Content-Disposition",
                       content_disposition(type == octets ? "attachment" : "inline", file.name));
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Content-Security-Policy", std::string(policy_for(type)));
  if (asked == Asked::part) {
    response.status = 206;
    response.headers.add("Content-Range", "bytes " + std::to_string(range.begin) + "-" +
                                              std::to_string(range.end - 1) + "/" +
                                              std::to_string(file.size));
  }
  auto stream = std::make_shared<FileStream>(file, range);
  if (range.end - range.begin > static_cast<std::int64_t>(piece_bytes)) {
    response.stream = std::move(stream);
    return response;
  }
  // A short one is sent at once, with its length; if it has changed, that is still an error.
  for (;;) {
    BodyStream::Piece piece = stream->next();
    response.body += piece.bytes;
    if (piece.state == BodyStream::State::end) return response;
    if (piece.state == BodyStream::State::more) continue;
    return fail(ErrorCode::corrupt, "the file " + file.sha256 + " has changed",
                "restore it from a backup, or rerun the stage that produced it");
  }
}

}  // namespace pawl::service
