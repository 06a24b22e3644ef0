#pragma once

/// The people of a store behind another: changes take a way of their own, everything else is handed
/// on.

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/store/people.hpp"

namespace pawl::simulation {

class ChangedPeople final : public People {
 public:
  using Inner = std::function<People&()>;
  using Change = std::function<Status(const PeopleChange&, const Actor&)>;
  ChangedPeople(Inner inner, Change change)
      : inner_(std::move(inner)), change_(std::move(change)) {}

  Status change(const PeopleChange& change, const Actor& actor) override {
    return change_(change, actor);
  }
  Result<std::vector<Person>> all() override { return inner_().all(); }
  Result<Person> person(std::string_view name) override { return inner_().person(name); }
  Result<std::vector<TokenRecord>> tokens() override { return inner_().tokens(); }
  Result<TokenRecord> token(std::string_view sha256) override { return inner_().token(sha256); }
  Result<SessionRecord> session(std::string_view sha256) override {
    return inner_().session(sha256);
  }
  Status note_use(std::int64_t token) override { return inner_().note_use(token); }
  Result<Standing> standing(const Actor& actor) override { return inner_().standing(actor); }

 private:
  Inner inner_;
  Change change_;
};

}  // namespace pawl::simulation
