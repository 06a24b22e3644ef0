#include "cli/project/known_people.hpp"

#include "pawl/store/people.hpp"
#include "views/people_warnings.hpp"

namespace pawl::cli {

Result<std::vector<std::string>> known_people(const Session& session,
                                              const WorkflowSource& source) {
  std::error_code ignored;
  const bool has_store = !session.named_store().empty() ||
                         std::filesystem::exists(source.home / ".pawl" / "pawl.db", ignored);
  if (!has_store) return std::vector<std::string>();
  // Files of different projects have different stores.
  Session at_home(session.globals(), session.streams());
  at_home.use_project(source.home);
  const Result<std::shared_ptr<Store>> store = at_home.store();
  if (store) {
    const Result<std::vector<Person>> people = (*store)->people().all();
    if (!people) return std::unexpected(people.error());
    return views::known_people(*people);
  }
  if (store.error().code == ErrorCode::not_found) return std::vector<std::string>();
  return std::unexpected(store.error());
}

}  // namespace pawl::cli
