#include "actions/submission_turn.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include "files/private_files.hpp"

namespace pawl::actions {

Result<SubmissionTurn> SubmissionTurn::wait_for(const std::filesystem::path& run_directory,
                                                const files::LockPatience& patience) {
  const std::filesystem::path path = run_directory.string() + "-submission.lock";
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::refused, "cannot lock '" + path.string() + "': " + why,
                "the lock prevents two submissions at once; make that directory writable");
  };
  if (const Status made = files::make_private_directories(path.parent_path()); !made) {
    return refused(made.error().message);
  }
  files::Descriptor file = files::open_private_file(path);
  if (!file.is_open()) return refused(std::generic_category().message(errno));
  const Result<files::LockWait> waited = files::take_lock(path, file, patience);
  if (!waited) return refused(waited.error().message);
  if (*waited == files::LockWait::taken) return SubmissionTurn(std::move(file));
  return std::unexpected(files::lock_error(path, *waited, patience, files::lock_holders(path)));
}

}  // namespace pawl::actions
