#include "actions/workflow_text.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "pawl/workflow/file.hpp"
#include "text/numbers.hpp"

namespace pawl::actions {

Result<std::string> read_workflow_text(const std::filesystem::path& path, const std::string& name) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return fail(ErrorCode::not_found, "no such file: '" + name + "'",
                "pass a workflow file, or create one with `pawl init`");
  }
  if (!std::filesystem::is_regular_file(status)) {
    return fail(ErrorCode::invalid, "'" + name + "' is not a file");
  }
  if (std::filesystem::file_size(path, error) > file_bytes_max) {
    return fail(
        ErrorCode::invalid,
        "'" + name + "' is larger than " + text::bytes_in_words(std::int64_t{file_bytes_max}),
        "move data to separate files and name them in `items:`");
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) {
    return fail(ErrorCode::invalid, "cannot read '" + name + "': " + std::strerror(errno));
  }
  return std::move(text).str();
}

}  // namespace pawl::actions
