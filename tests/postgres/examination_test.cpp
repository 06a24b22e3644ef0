/// The findings about a server in words; tests/postgres/server_check_test.py examines real servers.

#include "postgres/examination.hpp"

#include <gmock/gmock.h>

#include "postgres/fixture.hpp"

namespace pawl::postgres {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using Health = PostgresFinding::Health;

const Address address{.conninfo = "", .schema = "invoices", .shown = "db:5432/pawl"};

Examined fit() {
  return {.version = 150'004,
          .encoding = "UTF8",
          .pooler = Pooler::none,
          .state = ServerState{.has_schema = true, .may_use_schema = true}};
}

std::vector<std::string> failures(const Examined& seen) {
  std::vector<std::string> failed;
  for (const PostgresFinding& one : findings_of(seen, address)) {
    EXPECT_EQ(one.help.empty(), one.health == Health::ok) << one.what;
    if (one.health == Health::failed) failed.push_back(one.what);
  }
  return failed;
}

TEST(PostgresExamination, a_server_that_is_fit_has_no_failures) {
  EXPECT_THAT(failures(fit()), IsEmpty());
  EXPECT_EQ(findings_of(fit(), address).size(), 6U);
  Examined other = fit();
  other.encoding = "SQL_ASCII";
  other.pooler = Pooler::keeps_sessions;
  other.version = 180'001;
  EXPECT_THAT(failures(other), IsEmpty());
}

TEST(PostgresExamination, every_failure_is_named_at_once) {
  EXPECT_THAT(failures({.version = 140'009,
                        .encoding = "LATIN1",
                        .pooler = Pooler::shares_sessions,
                        .state = ServerState{.is_standby = true}}),
              testing::ElementsAre("version", "encoding", "pooler", "writes", "rights"));
}

TEST(PostgresExamination, clocks_that_differ_by_seconds_are_worth_a_warning) {
  Examined seen = fit();
  seen.state->clock_ahead = 5s;
  EXPECT_EQ(findings_of(seen, address).back().health, Health::ok);
  seen.state->clock_ahead = 6s;
  EXPECT_EQ(findings_of(seen, address).back().health, Health::warning);
  EXPECT_THAT(findings_of(seen, address).back().text, HasSubstr("6 seconds ahead of this"));
  seen.state->clock_ahead = -90s;
  EXPECT_THAT(findings_of(seen, address).back().text, HasSubstr("90 seconds behind this"));
}

TEST(PostgresExamination, the_server_of_the_tests_is_fit) {
  const PostgresPlace place;
  const auto found = examine_postgres({.url = place.url()});
  ASSERT_TRUE(found) << found.error().text();
  for (const PostgresFinding& one : *found) {
    EXPECT_EQ(one.health, Health::ok) << one.what << ": " << one.text;
  }
  EXPECT_EQ(
      place.execute("SELECT count(*) FROM pg_namespace WHERE nspname = '" + place.schema() + "'"),
      "0")
      << "nothing was made";
}

}  // namespace
}  // namespace pawl::postgres
