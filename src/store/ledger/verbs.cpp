#include "store/ledger/verbs.hpp"

namespace pawl::store {

Status Verb::check_right(const Actor& by, Right right) const {
  PeopleRows& people = rows_.people();
  return check_permission(by, standing_of(by, people.person(by.name), !people.is_empty()), right);
}

}  // namespace pawl::store
