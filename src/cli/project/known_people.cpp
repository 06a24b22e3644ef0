#include "cli/project/known_people.hpp"

#include <set>

#include "pawl/core/review_rules.hpp"
#include "pawl/store/people.hpp"

namespace pawl::cli {

Result<std::vector<std::string>> known_people(Store& store) {
  const Result<std::vector<Person>> people = store.people().all();
  if (!people) return std::unexpected(people.error());
  std::set<std::string> known;
  for (const Person& person : *people) {
    known.insert(person.name);
    for (const std::string& group : person.groups) known.insert(std::string(group_prefix) + group);
  }
  return std::vector(known.begin(), known.end());
}

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
  if (store) return known_people(**store);
  if (store.error().code == ErrorCode::not_found) return std::vector<std::string>();
  return std::unexpected(store.error());
}

}  // namespace pawl::cli
