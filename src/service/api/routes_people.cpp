/// The people of the store, their roles and groups.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/names.hpp"
#include "pawl/store/people.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/call.hpp"

namespace pawl::service {
namespace {

/// The role in the body, if there is one. The table allows only names of roles.
std::optional<Role> role_in(const Call& call) { return from_name<Role>(call.body.text("role")); }

/// `invalid` with every name that cannot be one, at once.
Status check_names(const std::string& person, const std::vector<std::string>& groups) {
  std::string faults;
  std::string help;
  const auto note = [&](std::string_view what, const std::string& name) {
    const Status good = check_name(what, name);
    if (good) return;
    faults += (faults.empty() ? "" : "; ") + good.error().message;
    help = good.error().help;
  };
  note("person", person);
  for (const std::string& group : groups) note("group", group);
  if (faults.empty()) return {};
  return fail(ErrorCode::invalid, std::move(faults), std::move(help));
}

/// Makes the change and answers with the person as they are then.
Result<Reply> change_person(Call& call, const std::string& name, const PeopleChange& change) {
  People& people = call.store().people();
  if (const Status changed = people.change(change, call.actor()); !changed) {
    return std::unexpected(changed.error());
  }
  const Result<Person> person = people.person(name);
  if (!person) return std::unexpected(person.error());
  return Document{person_document(*person)};
}

Result<Page> page_of_people(Store& store, const std::string& after, std::uint32_t limit) {
  if (!after.empty() && !check_name("person", after)) {
    return fail(ErrorCode::invalid, "'after' is not the cursor of this list",
                "pass `next` of the page before");
  }
  Result<std::vector<Person>> people = store.people().all();
  if (!people) return std::unexpected(people.error());
  std::ranges::sort(*people, {}, &Person::name);
  auto person = std::ranges::upper_bound(*people, after, {}, &Person::name);
  Page page;
  for (; person != people->end() && page.rows.size() < limit; ++person) {
    page.rows.push_back(person_document(*person));
  }
  if (person != people->end()) page.next = std::prev(person)->name;
  return page;
}

Result<Reply> list_people(Call& call) {
  Store& store = call.store();
  return List{.page = [&store](const std::string& after, std::uint32_t limit) {
    return page_of_people(store, after, limit);
  }};
}

Result<Reply> show_person(Call& call) {
  const Result<Person> person = call.store().people().person(call.part("name"));
  if (!person) return std::unexpected(person.error());
  return Document{person_document(*person)};
}

Result<Reply> add_person(Call& call) {
  AddPerson added{.name = call.body.text("name"),
                  .role = role_in(call).value_or(Role::reviewer),
                  .groups = call.body.texts("groups")};
  if (const Status good = check_names(added.name, added.groups); !good) {
    return std::unexpected(good.error());
  }
  return change_person(call, added.name, added);
}

Result<Reply> edit_person(Call& call) {
  const std::string& name = call.part("name");
  ChangePerson change{.name = name, .role = role_in(call), .groups = std::nullopt};
  if (call.body.has("groups")) change.groups = call.body.texts("groups");
  if (!change.role && !change.groups) {
    return fail(ErrorCode::invalid, "nothing is to be changed", "send role, groups or both");
  }
  if (const Status good = check_names(name, call.body.texts("groups")); !good) {
    return std::unexpected(good.error());
  }
  return change_person(call, name, change);
}

Result<Reply> remove_person(Call& call) {
  const std::string& name = call.part("name");
  const Status removed = call.store().people().change(RemovePerson{.name = name}, call.actor());
  if (!removed) return std::unexpected(removed.error());
  return Document{Json::object({{"name", name}, {"removed", true}})};
}

std::vector<std::string_view> role_names() { return {"viewer", "reviewer", "operator", "admin"}; }

Field role_field(std::string_view about) {
  return {.name = "role", .about = about, .words = role_names()};
}

Field groups_field(std::string_view about) {
  return {.name = "groups", .kind = FieldKind::texts, .about = about, .length_max = 100};
}

Route route_of_person(std::string_view method, Handle handle, std::string_view operation,
                      std::string_view summary, std::vector<Field> body = {}) {
  return {.method = method,
          .path = "/api/v1/people/{name}",
          .access = Access::needs(Right::manage_people),
          .handle = handle,
          .operation = operation,
          .tag = "people",
          .summary = summary,
          .body = std::move(body),
          .schema = method == "DELETE" ? "RemovedPerson" : "Person"};
}

}  // namespace

std::vector<Route> people_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/people",
       .access = Access::needs(Right::manage_people),
       .handle = list_people,
       .operation = "listPeople",
       .tag = "people",
       .summary = "The people of the store with their roles and groups, by name.",
       .kind = ReplyKind::list,
       .schema = "Person",
       .rows = "people",
       .columns = {"name", "role", "groups", "added_at"}},
      {.method = "POST",
       .path = "/api/v1/people",
       .access = Access::needs(Right::manage_people),
       .handle = add_person,
       .operation = "addPerson",
       .tag = "people",
       .summary = "Add a person. With the first one, the store begins to refuse everybody else.",
       .body =
           {{.name = "name",
             .about =
                 "The name: 1 to 64 letters, digits, '.', '-', '_' and '@', not beginning with '.' "
                 "or '-'.",
             .is_required = true,
             .length_max = actor_name_max},
            role_field("What the person may do: reviewer, unless it is given."),
            groups_field("The groups of the person.")},
       .status = 201,
       .schema = "Person"},
      route_of_person("GET", show_person, "showPerson", "One person."),
      route_of_person(
          "PATCH", edit_person, "changePerson",
          "Change the role of a person, replace their groups, or both.",
          {role_field("The new role."), groups_field("The new groups, instead of the old ones.")}),
      route_of_person("DELETE", remove_person, "removePerson",
                      "Remove a person, revoke their tokens and end their sessions. What they did "
                      "stays on record."),
  };
}

}  // namespace pawl::service
