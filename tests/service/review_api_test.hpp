#pragma once

/// A store with people, and jobs whose outputs wait for their reviews.

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/core/review_rules.hpp"
#include "pawl/runtime/program.hpp"
#include "service/api_test.hpp"
#include "service/fits_schema.hpp"

namespace pawl::service {

class ReviewApiTest : public ApiTest {
 protected:
  ReviewApiTest() {
    add_person("anna", Role::reviewer, {"editors"});
    add_person("ben", Role::reviewer);
    add_person("cora", Role::reviewer);
    add_person("olga", Role::operate);
    as("anna");
  }

  void add_person(const std::string& name, Role role, std::vector<std::string> groups = {}) {
    const Status added = store().people().change(
        AddPerson{.name = name, .role = role, .groups = std::move(groups)}, Actor{.name = "root"});
    EXPECT_TRUE(added.has_value());
  }
  /// Acts as this person of the store from now on.
  void as(const std::string& name) {
    const Result<Person> person = store().people().person(name);
    ASSERT_TRUE(person.has_value()) << name;
    sign_in_as(name, person->role);
  }
  /// An agent with the right to operate.
  void as_agent(const std::string& name) {
    gate_.caller =
        Caller{.actor = {.name = name,
                         .kind = ActorKind::agent,
                         .method = ActorMethod::token,
                         .at_most = Role::operate},
               .standing = {.kind = ActorKind::agent, .role = Role::operate, .groups = {}},
               .by = "token"};
  }

  static Json old_draft() { return Json::object({{"title", "old"}, {"pages", 3}}); }
  static Json new_draft() { return Json::object({{"title", "new"}, {"pages", 3}}); }

  /// A job whose stage "draft" asks for a review of each item under these rules.
  JobId draft(const std::vector<std::string>& keys, const ReviewRules& rules = {}) {
    return draft(keys, rules, testing::Script{}.then(testing::succeeds(old_draft())));
  }
  JobId draft(const std::vector<std::string>& keys, const ReviewRules& rules,
              testing::Script script) {
    const auto never = [](Context&, const std::stop_token&) -> Outcome { return Output{}; };
    WorkflowBuilder build("letters");
    build.stage("draft", never)
        .review(ReviewPolicy::always)
        .review_rules(rules)
        .editable({"title", "pages"});
    build.stage("publish", never).needs("draft");
    std::vector<NewItem> items;
    for (const std::string& key : keys) {
      items.push_back(
          {.key = key, .category = {}, .data = Json(key), .data_sha256 = {}, .history = {}});
    }
    world_.stage("draft", std::move(script));
    const JobId job =
        world_.submit(testing::built(build), std::move(items), {.by = {.name = "olga"}});
    world_.run();
    return job;
  }
  /// The open reviews of a job, by number.
  std::vector<ReviewId> reviews_of(JobId job) {
    std::vector<ReviewId> ids;
    for (const Review& review : world_.open_reviews(job)) ids.push_back(review.id);
    return ids;
  }
  ReviewId only_review(JobId job) {
    const std::vector<ReviewId> ids = reviews_of(job);
    EXPECT_EQ(ids.size(), 1U);
    return ids.empty() ? ReviewId{} : ids.front();
  }
  Review stored(ReviewId id) { return *store().records().review(id); }

  static std::string path_of(ReviewId id, std::string_view act = {}) {
    return "/api/v1/reviews/" + std::to_string(id.value()) +
           (act.empty() ? "" : "/" + std::string(act));
  }
  /// The answer with the digest as it is stored now.
  Answer answer(ReviewId id, std::vector<std::pair<std::string, Json>> body) {
    return answer(id, stored(id).digest, std::move(body));
  }
  Answer answer(ReviewId id, const std::string& digest,
                std::vector<std::pair<std::string, Json>> body) {
    body.emplace_back("digest", digest);
    return post(path_of(id, "answer"), Json::object(body));
  }
  Answer approve(ReviewId id) { return answer(id, {{"outcome", "approve"}}); }

  /// A string of the document.
  static std::string text(const Answer& answer, std::string_view path) {
    const Json document = answer.json();
    return field(document, path).string().value_or("no string: " + answer.body);
  }
  /// What the rows of a list have in this member, as JSON texts.
  static std::vector<std::string> column(const Answer& answer, std::string_view rows,
                                         std::string_view name) {
    std::vector<std::string> values;
    const Json document = answer.json();
    for (const Json& row : elements(field(document, rows))) {
      values.emplace_back(field(row, name).text());
    }
    return values;
  }
  static std::string message(const Answer& answer) { return text(answer, "error.message"); }
};

}  // namespace pawl::service
