#include "actions/workspace.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/plain_name.hpp"
#include "text/numbers.hpp"

namespace pawl::actions {

Result<Workspace> Workspace::make(Store& store, const ActionOptions& options, RunDirectory& run,
                                  const Context& context, const std::string& suffix) {
  const TaskId task = context.task().id;
  if (context.attempt() > 1) {
    const Result<int> ended =
        end_earlier_attempts(run.path(), task, context.attempt(), options.grace, run.trust_owner());
    if (!ended) return std::unexpected(ended.error());
  }
  Result<Mark> mark = run.mark(std::to_string(task.value()) + "-" +
                               std::to_string(context.attempt()) + plain_name(suffix));
  if (!mark) return std::unexpected(mark.error());
  return Workspace(store, std::move(*mark));
}

Result<std::optional<std::string>> read_small_file(const std::filesystem::path& path,
                                                   std::size_t bytes_max) {
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) {
    if (errno == ENOENT) return std::optional<std::string>();
    return fail(ErrorCode::invalid, "cannot read it: " + std::generic_category().message(errno));
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid, "it is not a regular file");
  }
  std::string text;
  std::array<char, 65'536> buffer;  // NOLINT: read() fills it
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fail(ErrorCode::unavailable,
                  "cannot read it: " + std::generic_category().message(errno));
    }
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > bytes_max) {
      return fail(ErrorCode::invalid,
                  "it is longer than " +
                      text::with_separators(static_cast<std::int64_t>(bytes_max)) + " bytes");
    }
  }
}

}  // namespace pawl::actions
