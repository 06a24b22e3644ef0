#pragma once

/// Answers with the bytes of a file that a stage, a reviewer or an item brought.
///
/// The bytes are hostile: a page of another site could link to them, and a stage may have been told
/// what to write. So their type is decided here, from their first bytes, never by their name, and
/// only few types are shown in a browser; all others are downloads. Nothing in them runs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "pawl/core/result.hpp"
#include "service/http/message.hpp"

namespace pawl::service {

struct ServedFile {
  std::string sha256;
  std::string name;  ///< may be any text
  std::int64_t size = 0;
  /// At most so many bytes from this one on, at least one before the end. Called from any thread,
  /// also after the handler has returned.
  std::function<Result<std::string>(std::int64_t from, std::size_t bytes_max)> read;
};

/// The whole file, the range that the request asks for (206), or 304 if the client has it. A body
/// that does not match its digest is not sent to its end.
[[nodiscard]] Result<Response> file_response(const Request& request, const ServedFile& file);

/// The type of a file that begins with these bytes: text/plain, application/json, image/png,
/// image/jpeg, application/pdf, or application/octet-stream for everything else. HTML and SVG are
/// text. `is_cut`: there is more.
[[nodiscard]] std::string_view type_of(std::string_view first_bytes, bool is_cut,
                                       std::string_view name);

/// "inline; filename=\"a b.md\"; filename*=UTF-8''a%20b.md"
[[nodiscard]] std::string content_disposition(std::string_view kind, const std::string& name);

}  // namespace pawl::service
