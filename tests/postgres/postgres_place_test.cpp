#include "postgres/postgres_place.hpp"

#include <optional>

#include <gmock/gmock.h>

namespace pawl {
namespace {

std::string schemas_called(const PostgresPlace& place, const std::string& name) {
  return place.execute("SELECT count(*) FROM pg_namespace WHERE nspname = '" + name + "'");
}

TEST(PostgresPlace, has_a_schema_of_its_own_and_takes_it_along) {
  const PostgresPlace other;
  std::optional<PostgresPlace> place(std::in_place);
  const std::string name = place->schema();
  EXPECT_NE(name, other.schema());
  EXPECT_EQ(place->url(), place->server() + "?schema=" + name);

  place->execute("CREATE SCHEMA " + name +
                 "; CREATE TABLE mine (n int); INSERT INTO mine VALUES (7)");
  EXPECT_EQ(place->execute("SELECT n FROM mine"), "7");
  EXPECT_EQ(schemas_called(other, name), "1");
  place.reset();
  EXPECT_EQ(schemas_called(other, name), "0");
}

TEST(PostgresPlace, is_on_a_private_server_and_not_on_the_systems) {
  const PostgresPlace place;
  EXPECT_EQ(place.execute("SHOW listen_addresses"), "127.0.0.1");
  EXPECT_NE(place.execute("SHOW port"), "5432");
  EXPECT_THAT(place.execute("SHOW data_directory"), testing::EndsWith("/data"));
}

TEST(PostgresPlace, without_a_server_says_how_to_start_one) {
  ASSERT_EQ(::unsetenv("PAWL_TEST_POSTGRES"), 0);
  ASSERT_EQ(::unsetenv("PAWL_TEST_POSTGRES_FILE"), 0);
  try {
    const PostgresPlace place;
    FAIL() << "it found " << place.url();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("private_server.py start"));
  }
}

}  // namespace
}  // namespace pawl
