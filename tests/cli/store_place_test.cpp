/// Where marks of running commands are left.

#include "cli/project/store_place.hpp"

#include <cstdlib>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

using testing::HasSubstr;

/// A variable of this process with another value, or none, until the test has ended.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> before_;
};

const StorePlace database{.file = {}, .url = "postgres://ada@mill/pawl"};

TEST(RunDirectoryOf, a_database_is_in_the_project_or_in_the_users_state_directory) {
  const Variable home("HOME", "/home/ada");
  const Variable state("XDG_STATE_HOME", nullptr);
  EXPECT_THAT(run_directory_of(database, "/srv/mill").value().string(),
              HasSubstr("/srv/mill/.pawl/run-"));
  EXPECT_THAT(run_directory_of(database, {}).value().string(),
              HasSubstr("/home/ada/.local/state/pawl/run-"));
}

TEST(RunDirectoryOf, a_user_without_a_directory_is_refused_and_never_a_shared_one) {
  const Variable home("HOME", nullptr);
  for (const char* const named : {static_cast<const char*>(nullptr), "", "relative"}) {
    const Variable state("XDG_STATE_HOME", named);
    const auto place = run_directory_of(database, {});
    ASSERT_FALSE(place);
    EXPECT_EQ(place.error().code, ErrorCode::refused);
    EXPECT_THAT(place.error().help, HasSubstr("XDG_STATE_HOME"));
  }
}

}  // namespace
}  // namespace pawl::cli
