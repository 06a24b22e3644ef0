#include "cli/input/draft.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include "files/private_files.hpp"

namespace pawl::cli {
namespace fs = std::filesystem;

namespace {

/// Begins every line above the text that pawl wrote, and the last of these lines. A text that
/// begins like a remark is left alone.
constexpr std::string_view remark_sign = "# pawl: ";
constexpr std::string_view end_of_remarks = "# pawl: -- your text begins below this line --\n";

/// Beside the directory in which workers track their commands: "drafts" for "run".
Result<fs::path> drafts_directory(const Session& session) {
  const Result<fs::path> run = session.run_directory();
  if (!run) return std::unexpected(run.error());
  constexpr std::size_t prefix = std::string_view("run").size();
  return run->parent_path() / ("drafts" + run->filename().string().substr(prefix));
}

std::string without_remarks(std::string_view text) {
  std::string_view rest = text;
  while (rest.starts_with(remark_sign)) {
    const bool is_end = rest.starts_with(end_of_remarks);
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    if (is_end) return std::string(rest);
  }
  return std::string(text);
}

}  // namespace

Result<Draft> Draft::named(const Session& session, const std::string& name) {
  const Result<fs::path> directory = drafts_directory(session);
  if (!directory) return std::unexpected(directory.error());
  return Draft(*directory / name);
}

std::optional<std::string> Draft::text() const {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(path_, failed))) return std::nullopt;
  std::ifstream in(path_, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  if (!in) return std::nullopt;
  return without_remarks(all.str());
}

Status Draft::write(const std::string& text, const std::vector<std::string>& remarks) const {
  const auto cannot = [&] {
    return pawl::fail(ErrorCode::unavailable, "cannot write the draft " + path_.string());
  };
  if (const Status made = files::make_private_directories(path_.parent_path()); !made) return made;
  std::string all;
  for (const std::string& remark : remarks) {
    all += std::string(remark_sign) + printable(remark) + "\n";
  }
  if (!remarks.empty()) all += end_of_remarks;
  all += text;
  const files::Descriptor file = files::open_private_file(path_);
  if (!file.is_open() || ::ftruncate(file.get(), 0) != 0) return cannot();
  std::string_view rest = all;
  while (!rest.empty()) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return cannot();
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

void Draft::discard() const {
  std::error_code ignored;
  fs::remove(path_, ignored);
  fs::remove(path_.parent_path(), ignored);  // only if it is empty
}

void discard_drafts(const Session& session, const std::string& beginning) {
  const Result<fs::path> directory = drafts_directory(session);
  if (!directory) return;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(*directory, ignored)) {
    if (entry.path().filename().string().starts_with(beginning)) fs::remove(entry.path(), ignored);
  }
  fs::remove(*directory, ignored);
}

}  // namespace pawl::cli
