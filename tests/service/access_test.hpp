#pragma once

/// A store with people, tokens and a clock of the test, which sometimes does not answer.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/store/audit.hpp"
#include "pawl/store/people.hpp"
#include "pawl/store/records.hpp"
#include "store/forwarding_store.hpp"

namespace pawl::service {

/// Passes everything on, unless the store is out of reach.
class FicklePeople : public People {
 public:
  explicit FicklePeople(People& inner) : inner_(inner) {}

  bool is_out_of_reach = false;

  Status change(const PeopleChange& change, const Actor& actor) override {
    if (is_out_of_reach) return gone();
    return inner_.change(change, actor);
  }
  Result<std::vector<Person>> all() override {
    if (is_out_of_reach) return gone();
    return inner_.all();
  }
  Result<Person> person(std::string_view name) override {
    if (is_out_of_reach) return gone();
    return inner_.person(name);
  }
  Result<std::vector<TokenRecord>> tokens() override {
    if (is_out_of_reach) return gone();
    return inner_.tokens();
  }
  Result<TokenRecord> token(std::string_view sha256) override {
    if (is_out_of_reach) return gone();
    return inner_.token(sha256);
  }
  Result<SessionRecord> session(std::string_view sha256) override {
    if (is_out_of_reach) return gone();
    return inner_.session(sha256);
  }
  Status note_use(std::int64_t token) override {
    if (is_out_of_reach) return gone();
    return inner_.note_use(token);
  }
  Result<Standing> standing(const Actor& actor) override {
    if (is_out_of_reach) return gone();
    return inner_.standing(actor);
  }

 private:
  static std::unexpected<Error> gone() {
    return fail(ErrorCode::unavailable, "the store does not respond");
  }
  People& inner_;
};

class FickleStore : public store::ForwardingStore {
 public:
  explicit FickleStore(const std::shared_ptr<Store>& inner)
      : ForwardingStore(inner), people_(inner->people()) {}
  FicklePeople& people() override { return people_; }

 private:
  FicklePeople people_;
};

class AccessTest : public ::testing::Test {
 protected:
  static Actor root() { return {.name = "root"}; }

  void add_person(const std::string& name, Role role = Role::reviewer,
                  std::vector<std::string> groups = {}) {
    const Status added = store_.people().change(
        AddPerson{.name = name, .role = role, .groups = std::move(groups)}, root());
    EXPECT_TRUE(added) << added.error().text();
  }
  /// A token that was just made; its secret.
  std::string token_of(const std::string& name, Role role = Role::admin,
                       ActorKind kind = ActorKind::person,
                       std::optional<Duration> lasting = std::nullopt) {
    const Secret secret = make_secret();
    const Status made = store_.people().change(
        CreateToken{.token = {.sha256 = secret.sha256,
                              .name = name,
                              .kind = kind,
                              .role = role,
                              .expires_at = lasting ? clock_.now() + *lasting : no_time}},
        root());
    EXPECT_TRUE(made) << made.error().text();
    return secret.text;
  }
  void revoke(std::int64_t token) {
    EXPECT_TRUE(store_.people().change(RevokeToken{.number = token}, root()));
  }
  /// "anna session.open person anna": every act on a session.
  std::vector<std::string> trail() {
    std::vector<std::string> lines;
    const Result<std::vector<AuditEntry>> entries = store_.records().audit({.limit = 1'000});
    EXPECT_TRUE(entries);
    for (const AuditEntry& entry : *entries) {
      if (!entry.act.starts_with("session.")) continue;
      lines.push_back(entry.actor.name + " " + entry.act + " " + entry.target);
    }
    return lines;
  }

  ManualClock clock_;
  std::shared_ptr<Store> inner_ = open_memory_store(clock_);
  FickleStore store_{inner_};
};

}  // namespace pawl::service
