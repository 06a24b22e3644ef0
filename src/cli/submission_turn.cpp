#include "cli/submission_turn.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>

namespace pawl::cli {
namespace {

constexpr mode_t turn_file_mode = 0666;  // the umask decides who may take part

}  // namespace

Result<SubmissionTurn> SubmissionTurn::wait_for(const std::filesystem::path& run_directory) {
  const std::filesystem::path path = run_directory.string() + "-submission.lock";
  const auto refused = [&](const std::string& why) {
    return pawl::fail(ErrorCode::refused, "cannot lock '" + path.string() + "': " + why,
                      "it keeps two that submit at once apart; make that directory writable");
  };
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  if (failed) return refused(failed.message());
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, turn_file_mode));
  if (!file.is_open()) return refused(std::generic_category().message(errno));
  while (::flock(file.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return refused(std::generic_category().message(errno));
  }
  return SubmissionTurn(std::move(file));
}

}  // namespace pawl::cli
