/// Hostile bytes in every text of every record: no store refuses them, all stores hold the same,
/// and replacements are visible.

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "contract/contract.hpp"
#include "contract/mirrored_store.hpp"
#include "contract/store_kinds.hpp"
#include "core/record_text.hpp"
#include "pawl/codec/digest.hpp"

namespace pawl::driving {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

/// Every kind of invalid text: Latin-1, NUL, a broken and a truncated sequence, an overlong form, a
/// surrogate, a code point that does not exist; and valid text that is hostile to terminals.
const std::string hostile_bytes =
    "Gr\xF6\xDF"
    "e \0 \xC3( \xE2\x82 \xC0\x80 \xED\xA0\x80 \xF4\x90\x80\x80 \u202Eabc\u2066 "
    "\x1B[31m \r\n \\u0000 \" ' 日本 \xF0\x9F\x98"s;
const std::string shown_bytes =
    "Gr\uFFFD\uFFFDe \uFFFD \uFFFD( \uFFFD \uFFFD\uFFFD \uFFFD\uFFFD\uFFFD \uFFFD\uFFFD\uFFFD\uFFFD \u202Eabc\u2066 \x1B[31m \r\n \\u0000 \" ' 日本 \uFFFD"s;

/// Collects the texts of records.
struct Gathered {
  std::string all;
  void operator()(const std::string& text) { all += text + "\n"; }
  void operator()(const Json& json) { all += json.text() + "\n"; }
};

class HostileText : public testing::Test {
 protected:
  /// Hostile text with a mark, which must be found in the records at the end.
  std::string hostile(const std::string& mark) {
    marks_.insert("<" + mark + ">");
    return "<" + mark + "> " + hostile_bytes;
  }
  static std::string shown(const std::string& mark) { return "<" + mark + "> " + shown_bytes; }
  /// Too long for a page of any database.
  std::string endless(const std::string& mark) {
    return hostile(mark) + std::string(300'000, 'x') + "\xFF\0 end"s;
  }
  Json hostile_json(const std::string& mark) {
    marks_.insert("<" + mark + ">");
    return Json::trusted("{\"<" + mark + ">\":\"\\ud800 \\u0000 \\udc00\\ud800 \xFF \0\"}"s);
  }
  static Json shown_json(const std::string& mark) {
    return Json::trusted("{\"<" + mark + ">\":\"\uFFFD \\u0000 \uFFFD\uFFFD \uFFFD \uFFFD\"}");
  }

  Store& store() { return drive.store(); }

  JobId submit(const Workflow& flow, const std::string& mark) {
    const std::vector<NewItem> items{{.key = hostile(mark + " item key"),
                                      .category = hostile(mark + " category"),
                                      .data = hostile_json(mark + " data"),
                                      .data_sha256 = hostile(mark + " data digest"),
                                      .history = {}}};
    const Result<Submitted> submitted = store().submit({.workflow = flow,
                                                        .key = hostile(mark + " job key"),
                                                        .params = hostile_json(mark + " params"),
                                                        .labels = hostile_json(mark + " labels")},
                                                       {.job = {}, .items = items, .close = true});
    EXPECT_TRUE(submitted) << (submitted ? "" : submitted.error().text());
    return submitted->job.id;
  }

  /// Every field that an attempt may have.
  Attempt attempt(const std::string& mark, AttemptResult result) {
    Attempt closed;
    closed.result = result;
    closed.summary = endless(mark + " summary");
    closed.artifacts = {{.name = hostile(mark + " artifact"),
                         .reference = hostile(mark + " reference"),
                         .sha256 = hostile(mark + " artifact digest"),
                         .size = 1,
                         .summary = hostile_json(mark + " artifact summary")}};
    closed.usage = {.cost_microusd = 1, .tokens = 2};
    return closed;
  }
  Attempt success(const std::string& mark) {
    Attempt closed = attempt(mark, AttemptResult::success);
    closed.output = hostile_json(mark + " output");
    return closed;
  }
  Attempt failure(const std::string& mark, ErrorClass error_class = ErrorClass::retryable) {
    Attempt closed = attempt(mark, AttemptResult::failure);
    closed.error = StageError{.error_class = error_class,
                              .code = hostile(mark + " error code"),
                              .message = endless(mark + " error message"),
                              .details = hostile_json(mark + " error details"),
                              .classified_by = hostile(mark + " classifier")};
    return closed;
  }
  Attempt rejection(const std::string& mark) {
    Attempt closed = success(mark);
    closed.verdict = Verdict::rejected;
    closed.feedback = Feedback{.summary = endless(mark + " feedback"),
                               .criteria = {{.name = hostile(mark + " criterion"),
                                             .expected = hostile(mark + " expected"),
                                             .actual = hostile(mark + " actual")}},
                               .guidance = hostile_json(mark + " guidance")};
    return closed;
  }
  Attempt doubt(const std::string& mark) {
    Attempt closed = success(mark);
    closed.verdict = Verdict::uncertain;
    closed.verdict_reason = endless(mark + " doubt");
    return closed;
  }

  /// Claims the only Ready task and closes it.
  void work(Attempt closed, std::vector<NewChild> children = {}) {
    const std::vector<Claimed> claimed = drive.claim();
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(drive.close(claimed.front(),
                          {.closed = std::move(closed), .children = std::move(children)}),
              StepOutcome::applied);
  }
  void act(const Act& act) {
    const Result<Job> acted = drive.act(act);
    EXPECT_TRUE(acted) << (acted ? "" : acted.error().text());
  }
  Review open_review(JobId job) {
    const auto open = *drive.records().reviews({.job = job, .status = ReviewStatus::open});
    EXPECT_EQ(open.size(), 1U);
    return open.empty() ? Review{} : open.front();
  }
  TaskId only_failed_task(JobId job) {
    const auto failed = *drive.records().tasks({.job = job, .state = StateKind::failed});
    EXPECT_EQ(failed.size(), 1U);
    return failed.empty() ? TaskId{} : failed.front().id;
  }

  /// All stores hold the same, every invariant holds, all text is valid, and none is missing.
  void expect_same_and_valid() {
    mirrored_->compare();
    const Snapshot rows = snapshot_of(store());
    Gathered texts;
    const auto look_at = [&](const auto& list) {
      for (const auto& row : list) {
        EXPECT_TRUE(has_valid_text(row));
        each_text(row, texts);
      }
    };
    look_at(rows.jobs);
    look_at(rows.items);
    look_at(rows.tasks);
    look_at(rows.attempts);
    look_at(rows.reviews);
    look_at(rows.answers);
    look_at(rows.events);
    for (const AuditEntry& entry : rows.audit) {
      texts(entry.actor.name + "\n" + entry.actor.address + "\n" + entry.details + "\n" +
            entry.reason);
    }
    for (const WorkerRecord& worker : rows.workers) texts(worker.host + "\n" + worker.name);
    EXPECT_TRUE(is_valid_text(texts.all));
    for (const std::string& mark : marks_) EXPECT_THAT(texts.all, HasSubstr(mark));
  }

  std::set<std::string> marks_;
  std::shared_ptr<MirroredStore> mirrored_;
  Drive drive{StoreKind{.name = "all", .open = [this](const Clock& clock) {
                          std::vector<MirroredStore::Mirror> mirrors;
                          mirrors.push_back({"sqlite", open_temporary_sqlite_store(clock)});
                          mirrors.push_back({"postgres", open_temporary_postgres_store(clock)});
                          mirrored_ = std::make_shared<MirroredStore>(open_memory_store(clock),
                                                                      std::move(mirrors));
                          return mirrored_;
                        }}};
};

TEST_F(HostileText, of_stages_and_gates_is_held_alike_by_every_store) {
  StageDefinition one = stage("one");
  one.retry.max_attempts = 4;
  one.retry.backoff = {.initial = Duration{0}};
  StageDefinition two = stage("two", {"one"});
  const JobId job = submit(workflow("w", {one, two}), "a");
  work(failure("first"));
  work(rejection("second"));
  work(attempt("third", AttemptResult::expanded),
       {{hostile("one child"), hostile_json("one child's data")},
        {hostile("other child"), hostile_json("other child's data")}});
  const TaskId parent = drive.task_of(job, hostile("a item key"));
  EXPECT_EQ(drive.work_once(always(success("of a child"))), 2);
  work(attempt("skip", AttemptResult::skipped));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);

  const std::vector<Attempt> attempts = *drive.records().attempts(parent);
  EXPECT_THAT(attempts[0].summary, testing::StartsWith(shown("first summary")));
  EXPECT_THAT(attempts[0].summary, testing::EndsWith("\uFFFD\uFFFD end"));
  EXPECT_EQ(attempts[0].error->code, shown("first error code"));
  EXPECT_EQ(attempts[0].error->details, shown_json("first error details"));
  EXPECT_EQ(attempts[0].artifacts.front().name, shown("first artifact"));
  EXPECT_EQ(attempts[1].feedback->criteria.front().actual, shown("second actual"));
  EXPECT_EQ(attempts[1].output, shown_json("second output"));
  const std::vector<Task> children = *drive.records().tasks({.parent = parent});
  EXPECT_EQ(children.front().child->key, shown("one child"));
  EXPECT_EQ(children.front().child->data, shown_json("one child's data"));
  expect_same_and_valid();
}

TEST_F(HostileText, of_people_is_held_alike_by_every_store) {
  StageDefinition one = stage("one");
  one.review = ReviewPolicy::always;
  const JobId job = submit(workflow("w", {one}), "a");
  work(success("first"));
  Review review = open_review(job);
  act(ClaimReview{review.id, hostile("claimer"), drive.clock().now() + 1h});
  act(ReleaseReview{review.id, hostile("claimer")});
  act(ClaimReview{review.id, hostile("claimer"), drive.clock().now() + 1h});
  act(AnswerReview{review.id,
                   {.outcome = ReviewOutcome::request_changes,
                    .reviewer = hostile("claimer"),
                    .note = endless("changes")}});
  work(doubt("second"));
  review = open_review(job);
  act(AnswerReview{review.id,
                   {.reviewer = hostile("hesitant"), .effective_at = drive.clock().now() + 30s}});
  act(UndoAnswer{review.id, hostile("hesitant")});
  act(AnswerReview{review.id,
                   {.outcome = ReviewOutcome::reject,
                    .reviewer = hostile("rejecter"),
                    .note = endless("rejection")}});
  act(Rerun{.task = only_failed_task(job), .note = endless("rerun"), .by = hostile_bytes});
  work(success("third"));
  act(AnswerReview{open_review(job).id,
                   {.outcome = ReviewOutcome::approve_with_edits,
                    .reviewer = hostile("approver"),
                    .note = hostile("approval"),
                    .edits = hostile_json("edits")}});
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
  const Review last = drive.records().reviews({.job = job, .limit = 10})->back();
  EXPECT_EQ(last.answer->reviewer, shown("approver"));
  EXPECT_EQ(*last.answer->edits, shown_json("edits"));

  const JobId skipped = submit(workflow("s", {stage("one"), stage("two", {"one"})}), "c");
  const Actor skipper{.name = hostile("skipper"), .address = hostile("address of the skipper")};
  const Item item = drive.records().items({.job = skipped})->front();
  const TaskId task = task_id(item.id, StageIndex{});
  EXPECT_TRUE(drive.act(SkipTask{.task = task, .reason = endless("skip"), .by = {}}, skipper));
  EXPECT_TRUE(drive.act(PauseStage{skipped, StageIndex{1}}, skipper));
  EXPECT_TRUE(drive.act(ResumeStage{skipped, StageIndex{1}}, skipper));
  work(success("after the skip"));

  const JobId dead = submit(workflow("v", {stage("one")}), "b");
  work(failure("broken", ErrorClass::final));
  act(DiscardDeadLetter{
      .task = only_failed_task(dead), .reason = endless("discard"), .by = hostile("discarder")});
  expect_same_and_valid();
}

TEST_F(HostileText, of_deciders_old_checkpoints_and_workers_is_held_alike_by_every_store) {
  EXPECT_TRUE(store().enlist({.host = hostile("host"), .pid = 1, .name = endless("worker name")}));

  StageDefinition moody = stage("moody");
  moody.decider = "moods";
  const Workflow flow = workflow("m", {moody});
  submit(flow, "moody");
  const Claimed claimed = drive.claim().front();
  Attempt closed = failure("decided");
  closed.decider = "moods";
  closed.ended_at = drive.clock().now();
  const Advice advice = MarkDead{.reason = endless("advice")};
  const Step step = close(flow.stage(StageIndex{}), claimed.task, closed, {}, &advice);
  EXPECT_TRUE(is_valid_text(step.closed->decision.reason))
      << "verify decides again from the record";
  EXPECT_EQ(drive.commit(step).outcome, StepOutcome::applied);

  const Workflow old = workflow("old", {stage("one")});
  const Result<Job> job = store().create_job({.workflow = old, .key = hostile("old job key")});
  ASSERT_TRUE(job);
  Attempt past = failure("past");
  past.number = 1;
  past.opened_at = past.started_at = past.ended_at = drive.clock().now();
  past.decision = {
      .kind = DecisionKind::fail, .rule = Rule::imported, .fail_cause = FailCause::exhausted};
  const std::vector<NewItem> items{{.key = hostile("old item key"),
                                    .data = hostile_json("old data"),
                                    .history = ItemHistory{.attempts = {past}, .dead = true}}};
  ASSERT_TRUE(store().add_items({.job = job->id, .items = items, .close = true}));
  expect_same_and_valid();
}

TEST_F(HostileText, is_compared_in_the_form_that_is_stored) {
  const Workflow flow = workflow("w", {stage("one")});
  const JobId job = submit(flow, "a");
  const Result<Submitted> again =
      store().submit({.workflow = flow, .key = hostile("a job key")}, {.job = {}, .items = {}});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->was_known);
  EXPECT_EQ(again->job.id, job);

  for (const StoreKind& kind : store_kinds()) {
    SCOPED_TRACE(kind.name);
    Drive one(kind);
    const std::vector<NewItem> items{{.key = "a\xFF", .category = "c\0"s, .data = 1},
                                     {.key = "a\xFE", .category = "c\xFF", .data = 2}};
    const JobId fresh = one.store().submit({.workflow = flow}, {.job = {}, .items = items})->job.id;
    EXPECT_EQ(one.item(fresh, "a\0"s).key, "a\uFFFD");
    EXPECT_EQ(one.item(fresh, "a\xFF#2").data, Json(2));
    EXPECT_EQ(one.records().items({.job = fresh, .category = "c\xC3"})->size(), 2U);
    EXPECT_EQ(one.records().jobs({.workflow_name = "\xFF"})->size(), 0U);
    // The same source again gives the same items.
    EXPECT_TRUE(one.act(ReopenSubmission{.job = fresh}));
    const Result<Added> added =
        one.store().add_items({.job = fresh, .items = items, .close = true});
    ASSERT_TRUE(added);
    EXPECT_EQ(added->added, 0);
    EXPECT_EQ(added->present, 2);
  }
}

/// Digits that no database can compress.
std::string random_text(std::size_t length) {
  std::string text;
  for (int i = 0; text.size() < length; ++i) text += sha256_hex(std::to_string(i));
  return text.substr(0, length);
}

TEST_F(HostileText, may_be_long_where_it_is_looked_up) {
  const Workflow flow = workflow("w", {stage("one")});
  const std::string text = random_text(2'000);
  const std::vector<NewItem> items{{.key = text, .category = text, .data = 1, .data_sha256 = text}};
  const Result<Submitted> done =
      store().submit({.workflow = flow, .key = text}, {.job = {}, .items = items, .close = true});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(drive.item(done->job.id, text).category, text);
  work(success("a"));
  expect_same_and_valid();
}

TEST(LongText, that_an_index_of_postgres_cannot_hold_is_refused_with_the_reason) {
  Drive drive(store_kinds().back());
  const Workflow flow = workflow("w", {stage("one")});
  const std::vector<NewItem> items{{.key = random_text(20'000), .data = 1}};
  const Result<Submitted> done =
      drive.store().submit({.workflow = flow}, {.job = {}, .items = items, .close = true});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::invalid) << done.error().text();
  EXPECT_THAT(done.error().text(), HasSubstr("2,000 bytes"));
  EXPECT_TRUE(drive.records().jobs({})->empty());
}

/// A database without its own encoding; it is dropped with this object.
class PlainDatabase {
 public:
  PlainDatabase() {
    place_.execute("CREATE DATABASE " + place_.schema() +
                   " ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
  }
  PlainDatabase(const PlainDatabase&) = delete;
  PlainDatabase& operator=(const PlainDatabase&) = delete;
  ~PlainDatabase() { place_.execute("DROP DATABASE " + place_.schema() + " WITH (FORCE)"); }

  [[nodiscard]] std::string url() const {
    return place_.server().substr(0, place_.server().rfind('/') + 1) + place_.schema();
  }

 private:
  PostgresPlace place_;
};

TEST(HostileTextInSqlAscii, reads_back_as_it_was_written) {
  const PlainDatabase database;
  Drive drive({.name = "plain", .open = [&](const Clock& clock) {
                 return open_postgres_store({.url = database.url()}, clock).value();
               }});
  const JobId job = drive.submit(workflow("w", {stage("one")}), {"日本", hostile_bytes});
  Attempt closed = failed(hostile_bytes, ErrorClass::final);
  closed.summary = "日本" + hostile_bytes;
  EXPECT_EQ(drive.work(always(closed)), 2);
  for (const std::string& key : {"日本"s, hostile_bytes}) {
    const Attempt stored = drive.records().attempts(drive.task_of(job, key))->front();
    EXPECT_EQ(stored.summary, "日本" + shown_bytes);
    EXPECT_EQ(stored.error->message, shown_bytes);
  }
  drive.expect_sound();
}

}  // namespace
}  // namespace pawl::driving
