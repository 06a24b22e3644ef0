/// An open store, and a server that refuses all logins for a while or revokes rights: every
/// operation returns `unavailable`, and takes effect when the server admits it again.

#include <gmock/gmock.h>

#include "postgres/cutting_proxy.hpp"
#include "postgres/fixture.hpp"

namespace pawl {
namespace {

using driving::stage;
using driving::workflow;

/// A store with its own role, whose rights a test may change, and one open attempt.
class NoEntry : public testing::Test {
 protected:
  NoEntry() {
    (void)must_open({.url = place.url()});
    role = place.schema() + "_worker";
    place.execute("CREATE ROLE " + role + " LOGIN");
    grant();
    store = must_open({.url = url_of(role)});
    const std::vector<NewItem> items{{.key = "a"}};
    worker = *store->enlist({.host = "h", .name = "w"});
    job = store->submit({.workflow = flow}, {.items = items, .close = true})->job.id;
    claimed = store->claim(everything(*store, worker))->opened.front();
  }
  ~NoEntry() override {
    store.reset();
    place.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
  }

  [[nodiscard]] std::string url_of(const std::string& user) const {
    std::string url = place.url();
    const std::size_t begin = url.find("://") + 3;
    return url.replace(begin, url.find('@') - begin, user);
  }
  void grant() const {
    place.execute("GRANT USAGE ON SCHEMA " + place.schema() + " TO " + role +
                  "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " +
                  place.schema() + " TO " + role);
  }
  /// Ends the connections of the store, and waits until the server has removed them.
  void end_connections() const {
    place.execute(
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity "
        "WHERE usename = '" +
        role + "'");
  }
  Result<Committed> finish() {
    const std::vector<Step> steps{
        close(flow.stage(claimed.task.stage()), claimed.task, driving::succeeded())};
    return store->commit(worker, batch, steps);
  }
  void expect_unavailable() {
    const auto written = finish();
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::unavailable) << written.error().text();
    const Status renewed = store->renew(worker);
    ASSERT_FALSE(renewed);
    EXPECT_EQ(renewed.error().code, ErrorCode::unavailable) << renewed.error().text();
  }
  void expect_taken_once() {
    // The first calls may get the previous error, because the dialer pauses between tries.
    Result<Committed> written = finish();
    while (!written && written.error().code == ErrorCode::unavailable) written = finish();
    ASSERT_TRUE(written) << written.error().text();
    ASSERT_EQ(written->steps.size(), 1U);
    EXPECT_EQ(written->steps.front().outcome, StepOutcome::applied);
    EXPECT_EQ(store->records().attempts(claimed.task.id)->size(), 1U);
    expect_sound(*store);
  }

  PostgresPlace place;
  std::string role;
  std::shared_ptr<Store> store;
  Workflow flow = workflow("w", {stage("only")});
  WorkerId worker;
  JobId job;
  Claimed claimed;
  BatchNumber batch = 1;
};

TEST_F(NoEntry, a_role_that_may_not_log_in_for_a_while_loses_nothing) {
  place.execute("ALTER ROLE " + role + " NOLOGIN");
  end_connections();
  expect_unavailable();
  place.execute("ALTER ROLE " + role + " LOGIN");
  expect_taken_once();
}

TEST_F(NoEntry, a_role_that_is_not_there_for_a_while_loses_nothing) {
  place.execute("ALTER ROLE " + role + " RENAME TO " + role + "_away");
  place.execute(
      "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity "
      "WHERE usename = '" +
      role + "_away'");
  expect_unavailable();
  place.execute("ALTER ROLE " + role + "_away RENAME TO " + role);
  expect_taken_once();
}

TEST_F(NoEntry, a_role_without_connections_for_a_while_loses_nothing) {
  place.execute("ALTER ROLE " + role + " CONNECTION LIMIT 0");
  end_connections();
  expect_unavailable();
  place.execute("ALTER ROLE " + role + " CONNECTION LIMIT -1");
  expect_taken_once();
}

TEST_F(NoEntry, rights_that_are_missing_for_a_while_lose_nothing) {
  place.execute("REVOKE UPDATE ON ALL TABLES IN SCHEMA " + place.schema() + " FROM " + role);
  expect_unavailable();
  grant();
  expect_taken_once();
}

TEST_F(NoEntry, a_schema_that_may_not_be_used_for_a_while_loses_nothing) {
  place.execute("REVOKE USAGE ON SCHEMA " + place.schema() + " FROM " + role);
  end_connections();
  expect_unavailable();
  grant();
  expect_taken_once();
}

TEST_F(NoEntry, a_server_that_is_read_only_for_a_while_loses_nothing) {
  place.execute("ALTER ROLE " + role + " SET default_transaction_read_only = on");
  end_connections();
  expect_unavailable();
  place.execute("ALTER ROLE " + role + " RESET default_transaction_read_only");
  end_connections();
  expect_taken_once();
}

struct Refusal {
  const char* state;
  const char* message;
};

class Refused : public testing::TestWithParam<Refusal> {};

/// The texts are those of a server with lc_messages = de_DE, and of one without.
TEST_P(Refused, whatever_a_server_says_to_new_connections_an_open_store_waits) {
  const PostgresPlace place;
  const std::string& server = place.server();
  const int port = std::stoi(server.substr(server.rfind(':') + 1));
  CuttingProxy proxy(port);
  std::string url = place.url();
  const std::string told = ":" + std::to_string(port);
  url.replace(url.find(told), told.size(), ":" + std::to_string(proxy.port()));
  const auto store = must_open({.url = url});
  const WorkerId worker = *store->enlist({.host = "h", .name = "w"});

  proxy.refuse_all(GetParam().state, GetParam().message);
  Status renewed = store->renew(worker);
  // Until the proxy has broken the existing connection.
  while (renewed) renewed = store->renew(worker);
  EXPECT_EQ(renewed.error().code, ErrorCode::unavailable) << renewed.error().text();
  const auto swept = store->sweep({.self = worker});
  ASSERT_FALSE(swept);
  EXPECT_EQ(swept.error().code, ErrorCode::unavailable) << swept.error().text();
  const auto enlisted = store->enlist({.host = "h"});
  ASSERT_FALSE(enlisted);
  EXPECT_EQ(enlisted.error().code, ErrorCode::unavailable) << enlisted.error().text();
  EXPECT_THAT(enlisted.error().text(), testing::HasSubstr(GetParam().message));

  proxy.refuse_all("", "");
  do renewed = store->renew(worker);
  while (!renewed && renewed.error().code == ErrorCode::unavailable);
  EXPECT_TRUE(renewed) << renewed.error().text();
}

INSTANTIATE_TEST_SUITE_P(
    Words, Refused,
    testing::Values(Refusal{"28P01", "Passwort-Authentifizierung für Benutzer »w« fehlgeschlagen"},
                    Refusal{"28P01", "password authentication failed for user \"w\""},
                    Refusal{"28000", "role \"w\" does not exist"},
                    Refusal{"28000", "Verbindung erfordert ein gültiges Client-Zertifikat"},
                    Refusal{"28000", "connection requires a valid client certificate (SSL)"},
                    Refusal{"3D000", "Datenbank »pawl« existiert nicht"},
                    Refusal{"42501", "keine Berechtigung für Datenbank »pawl«"},
                    Refusal{"53300", "tut mir leid, schon zu viele Verbindungen"},
                    Refusal{"57P03", "das Datenbanksystem startet"}),
    [](const auto& tested) {
      return std::string(tested.param.state) + "_" + std::to_string(tested.index);
    });

}  // namespace
}  // namespace pawl
