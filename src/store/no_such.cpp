#include "store/no_such.hpp"

#include <utility>

namespace pawl::store {

namespace {

std::unexpected<Error> missing(std::string_view what, std::int64_t id, std::string help = {}) {
  return fail(ErrorCode::not_found, "no " + std::string(what) + " " + std::to_string(id),
              std::move(help));
}

}  // namespace

std::unexpected<Error> no_such(JobId job) {
  return missing("job", job.value(), "jobs are listed by: pawl job list");
}

std::unexpected<Error> no_such(ItemId item) { return missing("item", item.value()); }

std::unexpected<Error> no_such(JobId job, std::string_view item_key) {
  return fail(ErrorCode::not_found,
              "no item '" + std::string(item_key) + "' in job " + std::to_string(job.value()));
}

std::unexpected<Error> no_such(TaskId task) { return missing("task", task.value()); }

std::unexpected<Error> no_such(ReviewId review) {
  return missing("review", review.value(), "reviews are listed by: pawl review list --status all");
}

std::unexpected<Error> no_such(WorkerId worker) {
  return missing("worker", worker.value(), "it was never enlisted, has signed off or was swept");
}

}  // namespace pawl::store
