/// Health, the overview, the search, and what the service says about itself.

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_test.hpp"
#include "away_store.hpp"
#include "fits_schema.hpp"
#include "pawl/version.hpp"
#include "service/api/url_text.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::fails;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::items;
using ::testing::Not;
using testing::Script;
using ::testing::SizeIs;

class ServiceRoutes : public ApiTest {
 protected:
  static Program letters(const std::string& name = "letters") {
    const StageFunction succeed = [](Context&, std::stop_token) -> Outcome { return Output{}; };
    WorkflowBuilder build(name);
    build.stage("write", succeed).retry({.max_attempts = 1});
    build.human_stage("check").needs("write");
    return testing::built(build);
  }
  JobId run_job(std::initializer_list<std::string> keys) {
    const JobId job = world_.submit(letters(), items(keys));
    world_.finish(job);
    return job;
  }
  /// "kind id" of each hit.
  std::vector<std::string> found(const std::string& text) {
    const Answer answer = get("/api/v1/search?q=" + with_escapes(text));
    EXPECT_EQ(answer.status, 200U) << answer.body;
    const Json document = answer.json();
    EXPECT_TRUE(fits_schema(document, "SearchResult"));
    std::vector<std::string> all;
    for (const Json& hit : elements(field(document, "hits"))) {
      all.push_back(*field(hit, "kind").string() + " " + std::string(field(hit, "id").text()));
    }
    return all;
  }
  Json attention(const std::string& path = "jobs.attention") {
    const Json overview = get("/api/v1/overview").json();
    return field(overview, path).json().value_or(Json());
  }
};

TEST_F(ServiceRoutes, health_is_open_and_says_that_the_process_lives) {
  sign_out();
  const Answer answer = get("/healthz");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "{\"status\":\"ok\"}\n");
  EXPECT_TRUE(fits_schema(answer.json(), "Health"));
  EXPECT_EQ(call("HEAD", "/healthz", Json()).status, 200U);
}

TEST_F(ServiceRoutes, readiness_is_open_and_ends_when_the_service_stops) {
  sign_out();
  const Answer ready = get("/readyz");
  EXPECT_EQ(ready.status, 200U);
  EXPECT_EQ(ready.at("reasons"), "[]");
  backend_.daemon.is_stopping = true;
  const Answer stopping = get("/readyz");
  EXPECT_EQ(stopping.status, 503U);
  EXPECT_EQ(stopping.at("reasons[0]"), "\"the service is stopping\"");
  EXPECT_EQ(get("/healthz").status, 200U) << "it lives all the same";
  EXPECT_TRUE(fits_schema(ready.json(), "Readiness"));
  EXPECT_TRUE(fits_schema(stopping.json(), "Readiness"));
}

TEST_F(ServiceRoutes, the_service_says_what_it_is) {
  backend_.daemon.store_kind = "memory";
  backend_.daemon.started_at = world_.now();
  backend_.daemon.works = false;
  const Answer answer = get("/api/v1/about");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_TRUE(fits_schema(answer.json(), "About"));
  EXPECT_EQ(answer.at("version"), "\"" + std::string(version) + "\"");
  EXPECT_EQ(answer.at("works"), "false");
  EXPECT_EQ(answer.at("limits.page_rows_max"), "1000");
  sign_out();
  EXPECT_EQ(get("/api/v1/about").status, 401U);
}

TEST_F(ServiceRoutes, the_description_is_open_and_is_openapi) {
  sign_out();
  const Answer answer = get("/api/v1/openapi.json");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.at("openapi"), "\"3.1.0\"");
}

TEST_F(ServiceRoutes, metrics_are_for_those_who_may_see) {
  sign_out();
  EXPECT_EQ(get("/metrics").status, 401U);
  sign_in_as("vera", Role::viewer);
  const Answer answer = get("/metrics");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.headers.find("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(answer.body, HasSubstr("\npawl_store_up 1\n"));
}

TEST_F(ServiceRoutes, the_overview_counts_what_needs_a_person) {
  world_.stage("write", Script{}.then(testing::succeeds()).item("b").then(fails("503")));
  const JobId job = run_job({"a", "b", "c"});
  const Answer answer = get("/api/v1/overview");
  ASSERT_EQ(answer.status, 200U) << answer.body;
  EXPECT_TRUE(fits_schema(answer.json(), "Overview"));
  EXPECT_EQ(answer.at("reviews.open.count"), "2");
  EXPECT_EQ(answer.at("reviews.mine.count"), "2") << "they are for everybody";
  EXPECT_EQ(answer.at("reviews.overdue.count"), "0");
  EXPECT_EQ(answer.at("dead_letters.count"), "1");
  EXPECT_EQ(answer.at("jobs.running"), "1");
  EXPECT_EQ(answer.at("workers.alive"), "1");
  EXPECT_EQ(answer.at("last_event"), std::to_string(*store().records().last_event()));
  const ReviewId review = world_.open_reviews(job).front().id;
  ASSERT_TRUE(store().act(AssignReview{.review = review, .to = {"kim"}},
                          {.name = "olga", .method = ActorMethod::local}));
  EXPECT_EQ(get("/api/v1/overview").at("reviews.mine.count"), "1");
}

TEST_F(ServiceRoutes, the_overview_shows_the_jobs_that_need_attention_and_why) {
  EXPECT_EQ(attention().text(), "[]");
  const JobId paused = run_job({"a"});
  ASSERT_TRUE(world_.engine().pause(paused));
  const auto left_alone =
      submit_to_store(store(), letters("orphans").workflow(), [](std::vector<NewItem>& page) {
        page = items({"a"});
        return Result<bool>(false);
      });
  ASSERT_TRUE(left_alone);
  const Json before = attention();
  EXPECT_EQ(field(before, "[0].job").text(), std::to_string(paused.value()));
  EXPECT_EQ(field(before, "[0].reasons").text(), "[\"paused\"]");
  EXPECT_EQ(field(before, "[0].paused").text(), "\"requested\"");
  EXPECT_FALSE(field(before, "[1]").exists()) << "it has waited for a moment only";
  world_.pass(2min);
  const Json later = attention();
  EXPECT_EQ(field(later, "[0].job").text(), std::to_string(left_alone->value()));
  EXPECT_EQ(field(later, "[0].reasons").text(), "[\"no_worker\"]");
}

TEST_F(ServiceRoutes, a_job_near_its_budget_needs_attention) {
  const JobId job =
      world_.submit(letters(), items({"a", "b", "c", "d"}), {.budget = {.max_total_attempts = 9}});
  world_.finish(job);
  const Json found = attention();
  ASSERT_TRUE(field(found, "[0]").exists());
  EXPECT_EQ(field(found, "[0].reasons").text(), "[\"budget_near\"]");
  EXPECT_EQ(field(found, "[0].near_budgets").text(), "[\"total_attempts\"]");
}

TEST_F(ServiceRoutes, a_number_finds_the_job_and_the_review) {
  const JobId job = run_job({"a"});
  const std::int64_t review = world_.open_reviews(job).front().id.value();
  ASSERT_EQ(review, job.value()) << "both are the first";
  EXPECT_THAT(found("1"), ElementsAre("job 1", "review 1"));
  EXPECT_THAT(found("77"), IsEmpty());
}

TEST_F(ServiceRoutes, a_text_finds_items_by_the_beginning_of_their_keys) {
  const JobId job = run_job({"doc-1", "doc-2", "letter", "1999"});
  const Item letter = *store().records().item(job, "letter");
  EXPECT_THAT(found("let"), ElementsAre("item " + std::to_string(letter.id.value())));
  EXPECT_THAT(found("doc-"), SizeIs(2));
  EXPECT_THAT(found("oc-1"), IsEmpty());
  EXPECT_THAT(found("DOC"), IsEmpty());
  EXPECT_THAT(found("19"), SizeIs(1)) << "a number may begin a key, too";
  EXPECT_THAT(found("%"), IsEmpty()) << "no wildcard";
  EXPECT_THAT(found("_"), IsEmpty());
}

TEST_F(ServiceRoutes, a_search_finds_at_most_20_in_the_newest_20_jobs) {
  std::vector<NewItem> many;
  for (int i = 0; i < 50; ++i) {
    many.push_back({.key = "doc-" + std::to_string(i), .category = {}, .data = {}});
  }
  world_.submit(letters(), many);
  EXPECT_THAT(found("doc-"), SizeIs(20));
  for (int i = 0; i < 20; ++i) world_.submit(letters(), items({"x"}));
  EXPECT_THAT(found("doc-"), IsEmpty()) << "its job is the twenty-first";
}

TEST_F(ServiceRoutes, a_search_needs_a_text) {
  EXPECT_EQ(get("/api/v1/search").status, 400U);
  EXPECT_EQ(get("/api/v1/search?q=").status, 400U);
  EXPECT_EQ(get("/api/v1/search?q=" + std::string(501, 'x')).status, 400U);
}

/// The same routes over a store that is away.
class WithoutStore : public ::testing::Test {
 protected:
  Response get(std::string target) {
    return router_.answer({.method = "GET", .target = std::move(target), .peer = "127.0.0.1"});
  }

  AwayStore* store_ = nullptr;
  testing::World world_{{.store = [this](const Clock& clock) -> Result<std::shared_ptr<Store>> {
    auto store = std::make_shared<AwayStore>(open_memory_store(clock));
    store_ = store.get();
    return store;
  }}};
  SignIn sign_in_{world_.store(), 12h};
  WorkflowLibrary library_{{}};
  LiveEvents live_{world_.engine(), {.has_thread = false}};
  StageFigures figures_{world_.engine(), live_};
  Operations operations_{world_.store().clock()};
  UploadedFiles uploads_{world_.store().clock()};
  Metrics metrics_{live_};
  Backend backend_{.store = world_.store(),
                   .engine = world_.engine(),
                   .workflows = library_,
                   .sign_in = sign_in_,
                   .live = live_,
                   .figures = figures_,
                   .operations = operations_,
                   .uploads = uploads_,
                   .metrics = metrics_};
  OpenGate gate_;
  Router router_{backend_, gate_, routes(), [](const RequestRecord&) {}};
};

TEST_F(WithoutStore, the_process_is_healthy_and_not_ready) {
  EXPECT_EQ(get("/readyz").status, 200U);
  store_->is_away = true;
  EXPECT_EQ(get("/healthz").status, 200U);
  const Response ready = get("/readyz");
  EXPECT_EQ(ready.status, 503U);
  EXPECT_THAT(ready.body, HasSubstr("the store does not answer"));
  store_->is_away = false;
  EXPECT_EQ(get("/readyz").status, 200U) << "and well again";
}

TEST_F(WithoutStore, documents_are_503_with_a_reason_and_a_time_to_come_again) {
  store_->is_away = true;
  for (const char* path : {"/api/v1/overview", "/api/v1/search?q=a", "/api/v1/events",
                           "/api/v1/events/stream", "/api/v1/workers", "/api/v1/pools"}) {
    const Response answer = get(path);
    EXPECT_EQ(answer.status, 503U) << path;
    EXPECT_THAT(answer.body, HasSubstr("\"code\":\"unavailable\"")) << path;
    EXPECT_TRUE(answer.headers.find("Retry-After")) << path;
  }
  EXPECT_EQ(get("/api/v1/about").status, 200U);
}

TEST_F(WithoutStore, metrics_say_that_the_store_is_down_and_what_else_there_is) {
  store_->is_away = true;
  const Response answer = get("/metrics");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_THAT(answer.body, HasSubstr("\npawl_store_up 0\n"));
  EXPECT_THAT(answer.body, HasSubstr("\nprocess_open_fds "));
  EXPECT_THAT(answer.body, Not(HasSubstr("pawl_jobs")));
}

}  // namespace
}  // namespace pawl::service
