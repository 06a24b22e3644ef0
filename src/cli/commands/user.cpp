/// `pawl user`: the people of a store, their roles and groups.

#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "core/joined.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/people.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct UserOptions {
  std::string name;
  std::string role = "reviewer";
  std::vector<std::string> groups;
  std::string as;
};

std::string in_words(const Person& person) {
  const std::string groups = joined(person.groups);
  return printable(person.name) + " is " + std::string(name_of(person.role)) +
         (groups.empty() ? "" : ", in " + printable(groups));
}

/// Makes the change and shows the person as they are then. The first person may come before the
/// first job: then the store is created.
int change_person(Session& session, const UserOptions& options, const PeopleChange& change) {
  const bool adds = std::holds_alternative<AddPerson>(change);
  const Result<std::shared_ptr<Store>> store =
      adds ? session.store_or_create(session.directory()) : session.store();
  if (!store) return session.fail(store.error());
  People& people = (*store)->people();
  const Status changed = people.change(change, Session::actor(options.as));
  if (!changed) return session.fail(changed.error());
  const Result<Person> person = people.person(options.name);
  if (!person) return session.fail(person.error());
  return session.present({.document = [&] { return person_document(*person); },
                          .text = [&] { return in_words(*person) + "\n"; },
                          .id = [&] { return person->name; }});
}

Role role_of(const UserOptions& options) { return from_name<Role>(options.role).value(); }

int user_add(Session& session, const UserOptions& options) {
  // Before anything is created.
  const Status good = check_name("person", options.name);
  if (!good) return session.fail(good.error());
  const int code = change_person(
      session, options,
      AddPerson{.name = options.name, .role = role_of(options), .groups = options.groups});
  if (code != exit_done) return code;
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<std::vector<Person>> all = (*store)->people().all();
  if (all && all->size() == 1) {
    session.say(
        "this is the first person of the store: from now on, --as takes only names of people. "
        "add others: pawl user add NAME");
  }
  return code;
}

int user_list(Session& session) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<std::vector<Person>> people = (*store)->people().all();
  if (!people) return session.fail(people.error());
  const Times times = session.times();
  Listing list(session,
               {.array = "people", .columns = {{"NAME"}, {"ROLE"}, {"GROUPS"}, {"ADDED"}}});
  for (const Person& person : *people) {
    list.add({.document = [&] { return person_document(person); },
              .id = [&] { return person.name; },
              .cells =
                  [&] {
                    return Listing::Cells{person.name, std::string(name_of(person.role)),
                                          joined(person.groups), times.of(person.added_at)};
                  }});
  }
  return list.finish({.none = "no people: whoever opens the store may do everything. add one: pawl "
                              "user add NAME --role ROLE"});
}

int user_remove(Session& session, const UserOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Status removed =
      (*store)->people().change(RemovePerson{.name = options.name}, Session::actor(options.as));
  if (!removed) return session.fail(removed.error());
  const int code = session.present(
      {.document = [&] { return Json::object({{"name", options.name}, {"removed", true}}); },
       .text = [&] { return printable(options.name) + " is removed\n"; },
       .id = [&] { return options.name; }});
  session.say("tokens of this person are revoked; what they did stays on record");
  return code;
}

int user_role(Session& session, const UserOptions& options) {
  return change_person(
      session, options,
      ChangePerson{.name = options.name, .role = role_of(options), .groups = std::nullopt});
}

int user_groups(Session& session, const UserOptions& options) {
  return change_person(
      session, options,
      ChangePerson{.name = options.name, .role = std::nullopt, .groups = options.groups});
}

const std::vector<std::string>& roles() {
  static const std::vector<std::string> names{"viewer", "reviewer", "operator", "admin"};
  return names;
}

Word name_argument(UserOptions& it) { return argument(&it.name, "NAME", "The name of the person"); }

}  // namespace

CommandEntry user_add_command() {
  return command(
      "user add", "pawl user add anna --role reviewer --group editors",
      "Add a person who may act on this store.", &user_add, [](UserOptions& it) -> Words {
        return {
            name_argument(it),
            choice("--role", &it.role, roles(), "What the person may do; default: reviewer"),
            list_option("--group", it.groups, "GROUP", "A group of the person; may be repeated"),
            person_option(it.as)};
      });
}

CommandEntry user_list_command() {
  return command("user list", "pawl user list", "List the people with their roles and groups.",
                 &user_list);
}

CommandEntry user_remove_command() {
  return command(
      "user remove", "pawl user remove anna",
      "Remove a person and revoke their tokens. What they did stays on record.", &user_remove,
      [](UserOptions& it) -> Words { return {name_argument(it), person_option(it.as)}; });
}

CommandEntry user_role_command() {
  return command("user role", "pawl user role anna operator", "Change the role of a person.",
                 &user_role, [](UserOptions& it) -> Words {
                   Word role = argument(&it.role, "ROLE", "viewer, reviewer, operator or admin");
                   role.choices = roles();
                   return {name_argument(it), std::move(role), person_option(it.as)};
                 });
}

CommandEntry user_groups_command() {
  return command("user groups", "pawl user groups anna editors leads",
                 "Replace the groups of a person; without groups, the person is in none.",
                 &user_groups, [](UserOptions& it) -> Words {
                   return {name_argument(it),
                           optional_argument(&it.groups, "GROUP...", "The new groups"),
                           person_option(it.as)};
                 });
}

}  // namespace pawl::cli
