/// Acts on many records in the background.

#include <atomic>
#include <future>
#include <semaphore>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/store/audit.hpp"
#include "service/review_api_test.hpp"
#include "service/work/bulk_acts.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::fails_for_good;
using ::testing::HasSubstr;
using testing::Script;
using ::testing::SizeIs;
using testing::succeeds;

using Phase = OperationState::Phase;

// The queue itself.

OperationOrder order(const std::string& id, const Json& details = Json::object({{"all", true}}),
                     const std::string& by = "olga") {
  return {.id = id, .kind = "items.cancel", .details = details, .by = {.name = by}, .expected = {}};
}

/// Work that does `count` records and refuses every third one.
OperationWork counting(int count) {
  return [count](OperationProgress& progress) -> Status {
    for (int i = 1; i <= count && progress.goes_on(); ++i) {
      if (i % 3 == 0) {
        progress.refused(std::to_string(i), {ErrorCode::refused, "a third one", ""});
      } else {
        progress.did();
      }
    }
    return {};
  };
}

/// Work that stands still after its first record until it is let go on.
struct Gate {
  std::binary_semaphore arrived{0};
  std::binary_semaphore open{0};
  std::atomic<int> records = 0;

  OperationWork work() {
    return [this](OperationProgress& progress) -> Status {
      while (progress.goes_on()) {
        progress.did();
        if (++records > 1) continue;
        arrived.release();
        open.acquire();
      }
      return {};
    };
  }
};

class OperationQueue : public ::testing::Test {
 protected:
  ManualClock clock_;
  Operations operations_{clock_};
};

TEST_F(OperationQueue, counts_what_is_done_and_keeps_the_first_hundred_refusals) {
  ASSERT_TRUE(operations_.start(order("one"), counting(600)).has_value());
  const OperationState state = *operations_.wait("one");
  EXPECT_EQ(state.phase, Phase::finished);
  EXPECT_EQ(state.done, 400);
  EXPECT_EQ(state.refused, 200);
  EXPECT_THAT(state.refusals, SizeIs(100));
  EXPECT_TRUE(fits_schema(operation_document(state), "Operation"));
}

TEST_F(OperationQueue, the_same_order_again_is_the_first_one_and_another_a_conflict) {
  std::atomic<int> runs = 0;
  const auto work = [&runs](OperationProgress&) -> Status {
    ++runs;
    return {};
  };
  const Json details = Json::object({{"filter", "x"}, {"job", 1}});
  const Json same = Json::object({{"job", 1}, {"filter", "x"}});
  ASSERT_TRUE(operations_.start(order("one", details), work).has_value());
  ASSERT_TRUE(operations_.wait("one").has_value());
  EXPECT_EQ(operations_.start(order("one", same), work)->phase, Phase::finished);
  EXPECT_EQ(operations_.start(order("one"), work).error().code, ErrorCode::conflict);
  EXPECT_EQ(operations_.start(order("one", details, "ben"), work).error().code, ErrorCode::conflict)
      << "nobody gets what another person asked for";
  EXPECT_EQ(runs, 1);
}

TEST_F(OperationQueue, many_who_press_at_once_start_one_operation) {
  std::atomic<int> runs = 0;
  std::vector<std::future<bool>> presses;
  for (int i = 0; i < 8; ++i) {
    presses.push_back(std::async(std::launch::async, [&] {
      return operations_
          .start(order("one"),
                 [&runs](OperationProgress&) -> Status {
                   ++runs;
                   return {};
                 })
          .has_value();
    }));
  }
  for (auto& press : presses) EXPECT_TRUE(press.get());
  ASSERT_TRUE(operations_.wait("one").has_value());
  EXPECT_EQ(runs, 1);
}

TEST_F(OperationQueue, one_runs_after_the_other_and_the_newest_is_listed_first) {
  Gate gate;
  ASSERT_TRUE(operations_.start(order("first"), gate.work()).has_value());
  gate.arrived.acquire();
  ASSERT_TRUE(operations_.start(order("second"), counting(3)).has_value());
  EXPECT_EQ(operations_.find("first")->phase, Phase::running);
  EXPECT_EQ(operations_.find("second")->phase, Phase::waiting);
  EXPECT_EQ(operations_.all().front().order.id, "second");
  ASSERT_TRUE(operations_.cancel("first").has_value());
  gate.open.release();
  EXPECT_EQ(operations_.wait("second")->phase, Phase::finished);
}

TEST_F(OperationQueue, a_cancelled_one_ends_after_the_record_that_it_is_at) {
  Gate gate;
  ASSERT_TRUE(operations_.start(order("one"), gate.work()).has_value());
  gate.arrived.acquire();
  ASSERT_TRUE(operations_.start(order("two"), counting(3)).has_value());
  EXPECT_EQ(operations_.cancel("two")->phase, Phase::cancelled) << "it had not begun";
  EXPECT_EQ(operations_.cancel("one")->phase, Phase::running);
  gate.open.release();
  const OperationState state = *operations_.wait("one");
  EXPECT_EQ(state.phase, Phase::cancelled);
  EXPECT_EQ(state.done, 1);
  EXPECT_EQ(operations_.find("two")->done, 0);
  EXPECT_EQ(operations_.cancel("one")->phase, Phase::cancelled) << "again changes nothing";
  EXPECT_EQ(operations_.cancel("three").error().code, ErrorCode::not_found);
}

TEST_F(OperationQueue, stopping_ends_the_running_one_and_begins_no_other) {
  Gate gate;
  ASSERT_TRUE(operations_.start(order("one"), gate.work()).has_value());
  gate.arrived.acquire();
  ASSERT_TRUE(operations_.start(order("two"), counting(3)).has_value());
  auto stopped = std::async(std::launch::async, [&] { operations_.stop(); });
  EXPECT_EQ(operations_.wait("two")->phase, Phase::cancelled);
  gate.open.release();
  stopped.get();
  EXPECT_EQ(operations_.find("one")->phase, Phase::cancelled);
  EXPECT_EQ(operations_.start(order("three"), counting(1)).error().code, ErrorCode::unavailable);
  operations_.stop();
}

TEST_F(OperationQueue, a_store_that_does_not_answer_ends_it_as_failed) {
  ASSERT_TRUE(operations_
                  .start(order("one"),
                         [](OperationProgress& progress) -> Status {
                           progress.did();
                           progress.refused("2", {ErrorCode::unavailable, "the disk is full", ""});
                           EXPECT_FALSE(progress.goes_on());
                           return {};
                         })
                  .has_value());
  const OperationState state = *operations_.wait("one");
  EXPECT_EQ(state.phase, Phase::failed);
  EXPECT_EQ(state.error->message, "the disk is full");
  EXPECT_EQ(state.refused, 0) << "the record was not refused";
  ASSERT_TRUE(operations_
                  .start(order("two"),
                         [](OperationProgress&) -> Status { throw std::runtime_error("bug"); })
                  .has_value());
  EXPECT_EQ(operations_.wait("two")->phase, Phase::failed);
}

TEST_F(OperationQueue, only_so_many_may_wait) {
  Gate gate;
  ASSERT_TRUE(operations_.start(order("first"), gate.work()).has_value());
  gate.arrived.acquire();
  for (std::size_t i = 0; i < Operations::waiting_max; ++i) {
    ASSERT_TRUE(operations_.start(order("w" + std::to_string(i)), counting(1)).has_value());
  }
  EXPECT_EQ(operations_.start(order("last"), counting(1)).error().code, ErrorCode::unavailable);
  ASSERT_TRUE(operations_.cancel("w5").has_value());
  EXPECT_TRUE(operations_.start(order("last"), counting(1)).has_value());
  ASSERT_TRUE(operations_.cancel("first").has_value());
  gate.open.release();
  EXPECT_EQ(operations_.wait("last")->phase, Phase::finished);
}

TEST_F(OperationQueue, an_ended_one_is_forgotten_after_a_day) {
  ASSERT_TRUE(operations_.start(order("one"), counting(1)).has_value());
  ASSERT_TRUE(operations_.wait("one").has_value());
  clock_.advance(23h);
  EXPECT_TRUE(operations_.find("one").has_value());
  clock_.advance(2h);
  EXPECT_EQ(operations_.find("one").error().code, ErrorCode::not_found);
  EXPECT_TRUE(operations_.all().empty());
  EXPECT_TRUE(operations_.start(order("one", Json::object({{"other", 1}})), counting(1)))
      << "its id is free again";
}

TEST_F(OperationQueue, only_so_many_ended_ones_are_kept) {
  for (std::size_t i = 0; i < Operations::ended_max + 5; ++i) {
    const std::string id = "o" + std::to_string(i);
    ASSERT_TRUE(operations_.start(order(id), counting(1)).has_value());
    ASSERT_TRUE(operations_.wait(id).has_value());
    clock_.advance(1ms);
  }
  EXPECT_LE(operations_.all().size(), Operations::ended_max);
  EXPECT_FALSE(operations_.find("o0").has_value());
}

TEST_F(OperationQueue, an_id_is_plain_text_and_a_long_order_is_not_kept) {
  for (const std::string& id :
       {std::string(), std::string("a b"), std::string("../x"), std::string("<b>"),
        std::string("ä"), std::string(65, 'a'), std::string("a\0b", 3)}) {
    EXPECT_EQ(operations_.start(order(id), counting(1)).error().code, ErrorCode::invalid) << id;
  }
  const Json details = Json::object({{"note", std::string(5'000, 'x')}, {"all", true}});
  ASSERT_TRUE(operations_.start(order("one", details), counting(1)).has_value());
  const OperationState kept = *operations_.wait("one");
  EXPECT_LT(kept.order.details.size(), 100U);
  EXPECT_EQ(field(kept.order.details, "note.omitted_bytes").integer(), 5'002);
  const Json other = Json::object({{"note", std::string(5'000, 'y')}, {"all", true}});
  EXPECT_EQ(operations_.start(order("one", other), counting(1)).error().code, ErrorCode::conflict);
}

// The routes.

class OperationRoutes : public ReviewApiTest {
 protected:
  OperationRoutes() { as("olga"); }

  Answer start(const std::string& id, const std::string& kind,
               std::vector<std::pair<std::string, Json>> body) {
    body.emplace_back("id", id);
    body.emplace_back("kind", kind);
    return post("/api/v1/operations", Json::object(body));
  }
  /// The operation when it has ended.
  Answer ended(const std::string& id) {
    EXPECT_TRUE(operations_.wait(id).has_value());
    Answer answer = get("/api/v1/operations/" + id);
    EXPECT_TRUE(fits_schema(answer.json(), "Operation"));
    return answer;
  }
  Answer run(const std::string& id, const std::string& kind,
             std::vector<std::pair<std::string, Json>> body) {
    const Answer started = start(id, kind, std::move(body));
    EXPECT_EQ(started.status, 202U) << started.body;
    return started.status == 202 ? ended(id) : started;
  }

  /// A job whose items fail, but those that begin with "good".
  JobId failed(const std::vector<std::string>& keys) {
    const auto never = [](Context&, const std::stop_token&) -> Outcome { return Output{}; };
    WorkflowBuilder build("papers");
    build.stage("convert", never);
    build.stage("publish", never).needs("convert");
    Script script;
    script.then(fails_for_good("no tables"));
    std::vector<NewItem> items;
    for (const std::string& key : keys) {
      if (key.starts_with("good")) script.item(key).then(succeeds());
      items.push_back(
          {.key = key, .category = {}, .data = Json(key), .data_sha256 = {}, .history = {}});
    }
    world_.stage("convert", script);
    const JobId job = world_.submit(testing::built(build), std::move(items));
    world_.run();
    return job;
  }
  TaskId task_of(JobId job, const std::string& key) {
    return task_id(store().records().item(job, key)->id, StageIndex{0});
  }
  Json listed(const std::vector<ReviewId>& reviews, bool with_digest = true) {
    std::vector<Json> all;
    for (const ReviewId id : reviews) {
      all.push_back(with_digest
                        ? Json::object({{"review", id.value()}, {"digest", stored(id).digest}})
                        : Json::object({{"review", id.value()}}));
    }
    return Json::array(all);
  }
};

TEST_F(OperationRoutes, letters_are_retried_in_bulk_and_refusals_are_named) {
  const JobId job = failed({"a", "b", "c"});
  const TaskId taken = task_of(job, "b");
  ASSERT_TRUE(world_.engine().act(Rerun{.task = taken}).has_value());
  const Json ids =
      Json::array({task_of(job, "a").value(), taken.value(), 4711, task_of(job, "c").value()});
  const Answer done = run("retry-1", "dead_letters.retry", {{"ids", ids}, {"note", "with OCR"}});
  EXPECT_EQ(text(done, "phase"), "finished");
  EXPECT_EQ(done.at("done"), "2");
  EXPECT_EQ(done.at("refused"), "2");
  EXPECT_EQ(done.at("expected"), "4");
  EXPECT_EQ(text(done, "refusals[1].error.code"), "not_found");
  EXPECT_EQ(text(done, "by"), "olga");
  const std::vector<AuditEntry> entries =
      *store().records().audit({.actor = "olga", .act = "task.rerun", .limit = 100});
  EXPECT_THAT(entries, SizeIs(2)) << "each act is audited under the name of who asked";
}

TEST_F(OperationRoutes, letters_are_discarded_and_purged_by_a_filter) {
  const JobId job = failed({"a", "b", "good"});
  const Json filter("item = \"a\" or item = \"good\"");
  EXPECT_EQ(start("d0", "dead_letters.discard", {{"filter", filter}}).status, 400U)
      << "without a reason";
  EXPECT_EQ(run("d1", "dead_letters.discard", {{"filter", filter}, {"reason", "blank"}}).at("done"),
            "1");
  EXPECT_EQ(run("p1", "dead_letters.purge", {{"job", job.value()}}).at("done"), "1");
  EXPECT_FALSE(store().records().item(job, "a").has_value());
  EXPECT_TRUE(store().records().item(job, "b").has_value());
}

TEST_F(OperationRoutes, a_request_that_is_sent_twice_is_one_operation) {
  const JobId job = failed({"a"});
  const std::vector<std::pair<std::string, Json>> body{{"job", job.value()}};
  ASSERT_EQ(start("x", "dead_letters.retry", body).status, 202U);
  const Answer first = ended("x");
  const Answer again = start("x", "dead_letters.retry", body);
  EXPECT_EQ(again.status, 202U);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(start("x", "dead_letters.retry", {{"all", true}}).status, 409U);
  EXPECT_EQ(start("a b", "dead_letters.retry", body).status, 400U);
  EXPECT_EQ(column(get("/api/v1/operations"), "operations", "operation").size(), 1U);
}

TEST_F(OperationRoutes, items_of_a_job_are_retried_and_cancelled_by_a_filter) {
  const JobId job = failed({"a1", "a2", "b1", "good"});
  const Json number(job.value());
  const Answer retried =
      run("r", "items.retry", {{"job", number}, {"key_prefix", "a"}, {"note", "again"}});
  EXPECT_EQ(retried.at("done"), "2");
  EXPECT_EQ(retried.at("refused"), "0");
  const Answer from =
      run("f", "items.retry", {{"job", number}, {"state", "succeeded"}, {"from", "convert"}});
  EXPECT_EQ(from.at("done"), "1");
  const Answer cancelled = run("c", "items.cancel", {{"job", number}, {"all", true}});
  EXPECT_EQ(cancelled.at("done"), "3");
  EXPECT_EQ(cancelled.at("refused"), "1") << "b1 has ended";
  EXPECT_THAT(text(cancelled, "refusals[0].error.message"), HasSubstr("has already ended"));
  EXPECT_EQ(start("n", "items.cancel", {{"job", number}}).status, 400U) << "not all by accident";
  EXPECT_EQ(start("n", "items.cancel", {{"all", true}}).status, 400U) << "a job is needed";
  EXPECT_EQ(start("n", "items.retry", {{"job", number}, {"stage", "convrt"}}).status, 404U);
  EXPECT_EQ(start("n", "items.retry", {{"job", 99}, {"all", true}}).status, 404U);
}

TEST_F(OperationRoutes, items_at_a_stage_are_selected_by_it) {
  const JobId job = failed({"a", "b", "good"});
  const Answer retried = run("r", "items.retry", {{"job", job.value()}, {"stage", "convert"}});
  EXPECT_EQ(retried.at("done"), "2");
}

TEST_F(OperationRoutes, reviews_whose_gates_passed_are_approved_as_they_were_seen) {
  as("anna");
  const JobId job = draft({"a", "b", "c"});
  const JobId alone = draft({"d"}, {.bulk = false});
  const JobId bens = draft({"e"}, {.assign = {"ben"}});
  std::vector<ReviewId> ids = reviews_of(job);
  ids.push_back(only_review(alone));
  ids.push_back(only_review(bens));
  const Json seen = listed(ids);
  as("ben");
  ASSERT_EQ(approve(ids[1]).status, 200U);
  as("anna");
  const Answer done = run("approve", "reviews.approve", {{"reviews", seen}});
  EXPECT_EQ(done.at("done"), "2") << done.body;
  EXPECT_EQ(done.at("refused"), "3");
  EXPECT_THAT(text(done, "refusals[0].error.message"), HasSubstr("already answered by ben"));
  EXPECT_THAT(text(done, "refusals[1].error.message"), HasSubstr("bulk: false"));
  EXPECT_EQ(text(done, "refusals[2].error.code"), "forbidden");
  EXPECT_EQ(run("one", "reviews.approve", {{"reviews", listed({ids[3]})}}).at("done"), "1")
      << "one alone is not in bulk";
}

TEST_F(OperationRoutes, an_output_that_a_gate_rejected_is_not_approved_in_bulk) {
  const auto never = [](Context&, const std::stop_token&) -> Outcome { return Output{}; };
  WorkflowBuilder build("judged");
  build.stage("draft", never)
      .gate("tables", [](const GateContext&, const std::stop_token&) { return accepted(); })
      .retry({.max_attempts = 1, .on_exhausted = OnExhausted::escalate})
      .review(ReviewPolicy::on_escalation);
  world_.stage("draft", Script{}.then(succeeds(old_draft())));
  world_.gate("draft", "tables", testing::GateScript{}.then(testing::rejects("no tables")));
  const JobId job = world_.submit(testing::built(build), testing::items({"a"}));
  world_.run();
  const ReviewId id = only_review(job);
  EXPECT_EQ(get(path_of(id)).at("gates_passed"), "false");
  const Answer done = run("approve", "reviews.approve", {{"reviews", listed({id})}});
  EXPECT_EQ(done.at("done"), "0");
  EXPECT_THAT(text(done, "refusals[0].error.message"), HasSubstr("has not passed all gates"));
  EXPECT_EQ(stored(id).status, ReviewStatus::open);
}

TEST_F(OperationRoutes, a_stale_digest_is_refused_in_bulk_too) {
  const ReviewId id = only_review(draft({"a"}));
  const Json stale =
      Json::array({Json::object({{"review", id.value()}, {"digest", "sha256:old"}})});
  EXPECT_EQ(run("x", "reviews.approve", {{"reviews", stale}}).at("refused"), "1");
  EXPECT_EQ(stored(id).status, ReviewStatus::open);
}

TEST_F(OperationRoutes, reviews_are_claimed_and_handed_over_together) {
  as("anna");
  const std::vector<ReviewId> ids = reviews_of(draft({"a", "b"}));
  const Json reviews = listed(ids, false);
  EXPECT_EQ(run("c", "reviews.claim", {{"reviews", reviews}, {"for_s", 60}}).at("done"), "2");
  EXPECT_EQ(stored(ids[1]).claimed_by, "anna");
  as("ben");
  EXPECT_EQ(run("c2", "reviews.claim", {{"reviews", reviews}}).at("refused"), "2");
  EXPECT_EQ(start("c3", "reviews.claim", {{"reviews", reviews}, {"steal", true}}).status, 403U);
  EXPECT_EQ(run("a0", "reviews.assign", {{"reviews", reviews}, {"to", Json::array({"ben"})}})
                .at("refused"),
            "2")
      << "a reviewer hands over only what is assigned to them";
  as("olga");
  EXPECT_EQ(run("c4", "reviews.claim", {{"reviews", reviews}, {"steal", true}}).at("done"), "2");
  EXPECT_EQ(
      run("a", "reviews.assign", {{"reviews", reviews}, {"to", Json::array({"ben"})}}).at("done"),
      "2");
  EXPECT_THAT(stored(ids[0]).assigned, ElementsAre("ben"));
}

TEST_F(OperationRoutes, everything_that_does_not_belong_to_a_kind_is_said_at_once) {
  const Answer wrong =
      start("x", "reviews.approve", {{"reviews", Json::array({})}, {"filter", "x"}, {"job", 1}});
  EXPECT_EQ(wrong.status, 400U);
  EXPECT_THAT(message(wrong), HasSubstr("'job', 'filter'"));
  EXPECT_EQ(start("x", "jobs.delete", {{"all", true}}).status, 400U);
  const Answer forms =
      start("x", "reviews.approve",
            {{"reviews", Json::array({1, Json::object({{"review", 1}}),
                                      Json::object({{"review", -1}, {"digest", "d"}}),
                                      Json::object({{"review", 2}, {"digest", "d"}, {"x", 1}})})}});
  EXPECT_EQ(forms.status, 400U);
  for (const char* part : {"1, {\"review\":1}", "-1", "\"x\":1"}) {
    EXPECT_THAT(message(forms), HasSubstr(part));
  }
  EXPECT_EQ(start("x", "reviews.approve", {}).status, 400U);
  EXPECT_EQ(start("x", "reviews.assign", {{"reviews", listed({ReviewId{1}}, false)}}).status, 400U);
  EXPECT_EQ(start("x", "dead_letters.retry", {{"filter", "error ~"}}).status, 400U);
  EXPECT_TRUE(operations_.all().empty());
}

TEST_F(OperationRoutes, each_kind_needs_the_right_of_its_acts) {
  const JobId job = failed({"a"});
  const Json number(job.value());
  as("anna");
  EXPECT_EQ(start("x", "dead_letters.retry", {{"all", true}}).status, 403U);
  EXPECT_EQ(start("x", "dead_letters.discard", {{"all", true}, {"reason", "x"}}).status, 403U);
  EXPECT_EQ(start("x", "dead_letters.purge", {{"all", true}}).status, 403U);
  EXPECT_EQ(start("x", "items.cancel", {{"job", number}, {"all", true}}).status, 403U);
  EXPECT_EQ(start("x", "reviews.claim", {{"reviews", listed({ReviewId{1}}, false)}}).status, 202U);
  add_person("vic", Role::viewer);
  as("vic");
  EXPECT_EQ(start("y", "reviews.claim", {{"reviews", listed({ReviewId{1}}, false)}}).status, 403U);
  EXPECT_EQ(get("/api/v1/operations").status, 200U);
  EXPECT_EQ(post("/api/v1/operations/x/cancel").status, 403U);
  as_agent("robot");
  EXPECT_EQ(start("y", "reviews.claim", {{"reviews", listed({ReviewId{1}}, false)}}).status, 403U);
  EXPECT_EQ(start("z", "dead_letters.retry", {{"all", true}}).status, 202U);
}

TEST_F(OperationRoutes, the_store_checks_the_person_again_at_every_act) {
  const JobId job = failed({"a", "b"});
  Gate gate;
  ASSERT_TRUE(operations_.start(order("before"), gate.work()).has_value());
  gate.arrived.acquire();
  ASSERT_EQ(start("x", "dead_letters.retry", {{"job", job.value()}}).status, 202U);
  ASSERT_TRUE(store()
                  .people()
                  .change(ChangePerson{.name = "olga", .role = Role::viewer, .groups = {}},
                          Actor{.name = "root"})
                  .has_value());
  ASSERT_TRUE(operations_.cancel("before").has_value());
  gate.open.release();
  const Answer done = ended("x");
  EXPECT_EQ(done.at("done"), "0");
  EXPECT_EQ(done.at("refused"), "2");
  EXPECT_EQ(text(done, "refusals[0].error.code"), "forbidden");
}

TEST_F(OperationRoutes, an_operation_is_cancelled_by_its_owner_or_an_operator) {
  Gate gate;
  ASSERT_TRUE(operations_.start(order("one", Json::object({}), "anna"), gate.work()).has_value());
  gate.arrived.acquire();
  as("ben");
  EXPECT_EQ(post("/api/v1/operations/one/cancel").status, 403U);
  EXPECT_EQ(post("/api/v1/operations/two/cancel").status, 404U);
  as("anna");
  EXPECT_EQ(post("/api/v1/operations/one/cancel").status, 200U);
  gate.open.release();
  EXPECT_EQ(operations_.wait("one")->phase, Phase::cancelled);
  as("olga");
  EXPECT_EQ(text(post("/api/v1/operations/one/cancel"), "phase"), "cancelled");
}

TEST_F(OperationRoutes, a_bulk_retry_that_is_cancelled_in_the_middle_leaves_the_rest_alone) {
  std::vector<std::string> keys;
  for (int i = 0; i < 50; ++i) keys.push_back("k" + std::to_string(i));
  const JobId job = failed(keys);
  struct TwentyRecords : OperationProgress {
    int done = 0;
    void did() override { ++done; }
    void refused(const std::string& id, const Error& why) override {
      ADD_FAILURE() << id << why.text();
    }
    [[nodiscard]] bool goes_on() const override { return done < 20; }
  } progress;
  const Actor olga{.name = "olga", .method = ActorMethod::session};
  const DeadLetterSelection selection{.job = job, .tasks = {}, .filter = {}, .all = true};
  const OperationWork retry =
      work_on_letters(world_.engine(), &retry_dead_letters, selection, {}, olga);
  ASSERT_TRUE(retry(progress).has_value());
  EXPECT_EQ(progress.done, 20);
  const TaskFilter dead{.job = job, .state = StateKind::failed, .discarded = false};
  EXPECT_EQ(store().records().count(dead)->count, 30);
}

TEST_F(OperationRoutes, the_list_is_paged_newest_first) {
  for (int i = 0; i < 5; ++i) {
    const std::string id = "o" + std::to_string(i);
    ASSERT_TRUE(operations_.start(order(id), counting(1)).has_value());
    ASSERT_TRUE(operations_.wait(id).has_value());
  }
  const Answer first = get("/api/v1/operations?limit=2");
  EXPECT_THAT(column(first, "operations", "operation"), ElementsAre("\"o4\"", "\"o3\""));
  const Answer second = get("/api/v1/operations?limit=2&after=" + text(first, "next"));
  EXPECT_THAT(column(second, "operations", "operation"), ElementsAre("\"o2\"", "\"o1\""));
  EXPECT_EQ(get("/api/v1/operations?after=nothing").status, 400U);
}

}  // namespace
}  // namespace pawl::service
