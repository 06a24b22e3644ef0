#include "views/job_errors.hpp"

#include <string>
#include <utility>

namespace pawl::views {

Error not_trusted(const Job& job) {
  const std::string number = std::to_string(job.id.value());
  return {.code = ErrorCode::refused,
          .message = "job " + number + " was imported and is not trusted yet",
          .help = "to see what it would run, and to accept it: pawl job trust " + number};
}

Error with_commands(Error error, JobId job) {
  // The library suggests a C++ call. Replace it by the command.
  if (error.help.contains("SetBudget")) {
    error.help = "raise it: pawl job budget " + std::to_string(job.value()) +
                 " --attempts N --cost-usd N --tokens N --deadline TIME";
  }
  if (error.help.contains("ReviveJob")) {
    error.help = "let it go on first: pawl job revive " + std::to_string(job.value());
  }
  return error;
}

}  // namespace pawl::views
