/// What is moved with a job, and what can be done with it afterwards.

#include <gmock/gmock.h>

#include "contract/store_kinds.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/store/people.hpp"
#include "transfer/busy_job.hpp"
#include "transfer/story.hpp"

namespace pawl::driving {
namespace {

using testing::HasSubstr;

/// Moves from the kind of store in the parameter to the next kind.
class Transfer : public testing::TestWithParam<StoreKind> {
 protected:
  static StoreKind other_kind() {
    const std::vector<StoreKind> kinds = store_kinds();
    const auto self = std::ranges::find(kinds, GetParam().name, &StoreKind::name);
    return std::next(self) == kinds.end() ? kinds.front() : *std::next(self);
  }
  void TearDown() override {
    from.expect_sound();
    to.expect_sound();
  }
  Imported move(JobId job) { return imported(to.store(), exported(from.records(), job)); }
  static void expect_refused(const Result<Exported>& answer, ErrorCode code, const char* part) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, code);
    EXPECT_THAT(answer.error().text(), HasSubstr(part));
  }

  Drive from{GetParam()};
  Drive to{other_kind()};
};

INSTANTIATE_TEST_SUITE_P(Stores, Transfer, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(Transfer, everything_of_a_job_arrives_and_it_is_paused_as_it_was) {
  const JobId job = busy_job(from);
  to.submit(busy_workflow(), {"asked", "another"});
  const Imported here = move(job);
  expect_moved(from.records(), job, to.records(), here);
  EXPECT_EQ(here.from, job);
  EXPECT_NE(here.job.id, job);
  EXPECT_FALSE(here.went_on);
  EXPECT_EQ(state_of(here.job), JobState::paused);
  EXPECT_EQ(here.moved.items, 7);
  EXPECT_EQ(here.moved.reviews, 5);
  EXPECT_GT(here.moved.events, 20);
  EXPECT_EQ(here.verified.tasks, here.moved.tasks);
}

TEST_P(Transfer, the_source_is_not_changed) {
  const JobId job = busy_job(from);
  const Snapshot before = snapshot_of(from.store());
  (void)move(job);
  expect_same(before, snapshot_of(from.store()));
}

TEST_P(Transfer, a_paused_job_is_not_worked_on_until_it_is_resumed) {
  const JobId job = move(busy_job(from)).job.id;
  EXPECT_EQ(to.work_once(busy_work), 0);
  EXPECT_TRUE(to.act(ResumeJob{job}));
  EXPECT_GT(to.work(busy_work), 0);
}

TEST_P(Transfer, reviews_are_answered_after_the_move_and_answers_take_effect_at_their_moment) {
  const JobId job = move(busy_job(from)).job.id;
  const Review asked = review_of(to, job, "asked");
  EXPECT_EQ(asked.status, ReviewStatus::open);
  EXPECT_TRUE(to.act(AnswerReview{asked.id, {.reviewer = "bob", .digest = asked.digest}}));
  EXPECT_EQ(to.task(job, "asked", 1).kind(), StateKind::succeeded);

  EXPECT_EQ(to.task(job, "answered", 1).kind(), StateKind::awaiting_review);
  to.clock().advance(2h);
  EXPECT_EQ(to.store().sweep({.self = to.worker()})->answered, 1);
  EXPECT_EQ(to.task(job, "answered", 1).kind(), StateKind::succeeded);
  EXPECT_EQ(to.records().output(to.task_of(job, "edited", 1))->output, Json("better"));
  EXPECT_TRUE(to.records().output(to.task_of(job, "edited", 1))->edited);
}

TEST_P(Transfer, a_retry_keeps_its_moment_to_the_microsecond) {
  const JobId old = busy_job(from);
  const Task before = from.task(old, "retried");
  const JobId job = move(old).job.id;
  const auto due = std::get<RetryScheduled>(to.task(job, "retried").state).next_run_at;
  EXPECT_EQ(due, std::get<RetryScheduled>(before.state).next_run_at);
  to.clock().advance_to(due - 1us);
  EXPECT_EQ(to.store().sweep({.self = to.worker()})->woken, 0);
  to.clock().advance_to(due);
  EXPECT_EQ(to.store().sweep({.self = to.worker()})->woken, 1);
  EXPECT_EQ(to.task(job, "retried").attempts, 1U);
}

TEST_P(Transfer, a_dead_letter_is_retried_after_the_move_with_the_next_number) {
  const JobId job = move(busy_job(from)).job.id;
  EXPECT_EQ(to.job(job).dead_letters, 2);
  EXPECT_TRUE(to.act(ResumeJob{job}));
  EXPECT_TRUE(to.act(Rerun{.task = to.task_of(job, "dead"), .note = "once more"}));
  EXPECT_EQ(to.work_once(always(succeeded())), 1);
  EXPECT_EQ(to.records().attempts(to.task_of(job, "dead"))->back().number, 2U);
}

TEST_P(Transfer, children_belong_to_their_parent) {
  const JobId old = busy_job(from);
  const JobId job = move(old).job.id;
  const TaskId parent = to.task_of(job, "split");
  const auto children = *to.records().tasks({.parent = parent, .limit = 10});
  ASSERT_EQ(children.size(), 3U);
  for (const Task& child : children) {
    EXPECT_EQ(child.item, to.item(job, "split").id);
    EXPECT_EQ(child.job, job);
  }
}

TEST_P(Transfer, an_ended_job_stays_ended_and_can_be_run_again) {
  const JobId old = busy_job(from);
  finish(from, old);
  ASSERT_TRUE(from.job(old).has_ended());
  const Imported here = move(old);
  expect_moved(from.records(), old, to.records(), here);
  EXPECT_EQ(here.job.ended_at, from.job(old).ended_at);
  EXPECT_EQ(state_of(here.job), state_of(from.job(old)));
  EXPECT_TRUE(to.act(Rerun{.task = to.task_of(here.job.id, "dead")}));
  EXPECT_FALSE(to.job(here.job.id).has_ended());
  finish(to, here.job.id);
  EXPECT_EQ(to.task(here.job.id, "dead").kind(), StateKind::succeeded);
}

TEST_P(Transfer, a_cancelled_job_stays_cancelled) {
  const JobId old = busy_job(from);
  EXPECT_TRUE(from.act(CancelJob{old}));
  const Imported here = move(old);
  expect_moved(from.records(), old, to.records(), here);
  EXPECT_EQ(state_of(here.job), JobState::cancelled);
  to.clock().advance(2h);
  EXPECT_TRUE(to.store().sweep({.self = to.worker()}));
  EXPECT_EQ(to.task(here.job.id, "answered", 1).kind(), StateKind::awaiting_review)
      << "in a cancelled job nothing is decided any more";
}

TEST_P(Transfer, budgets_deadline_and_what_was_used_are_kept) {
  NewJob about{.workflow = busy_workflow()};
  about.budget = {.max_total_attempts = 100, .deadline = 24h, .cost_microusd = 500};
  about.tolerate_failures.count = 5;
  about.parallel = 3;
  about.priority = -2;
  about.params = Json::object({{"x", 1}});
  about.labels = Json::object({{"project", "somewhere"}});
  const JobId old = busy_job(from, about);
  const Job before = from.job(old);
  const Job after = move(old).job;
  EXPECT_EQ(after.budget, before.budget);
  EXPECT_EQ(after.deadline_at, before.deadline_at);
  EXPECT_EQ(after.attempts_opened, before.attempts_opened);
  EXPECT_EQ(after.used, before.used);
  EXPECT_EQ(after.params, before.params);
  EXPECT_EQ(after.priority, -2);
  EXPECT_EQ(field(after.labels, "project").json(), Json("somewhere"));
}

TEST_P(Transfer, a_source_that_is_read_again_finds_its_items_present) {
  const JobId job = move(busy_job(from)).job.id;
  EXPECT_TRUE(to.act(ReopenSubmission{job}));
  const std::vector<NewItem> again{{.key = "asked"}, {.key = "fresh"}};
  const Result<Added> added = to.store().add_items({.job = job, .items = again, .close = true});
  ASSERT_TRUE(added);
  EXPECT_EQ(added->present, 1);
  EXPECT_EQ(added->added, 1);
}

TEST_P(Transfer, adopted_items_bring_what_they_were_adopted_from) {
  const Workflow flow = workflow("plain", {stage("a"), stage("b", {"a"})});
  const auto submit = [&](Drive& drive, std::vector<std::string> keys) {
    const Job job = *drive.store().create_job({.workflow = flow});
    std::vector<NewItem> items;
    for (const std::string& key : keys) {
      items.push_back({.key = key, .data = Json(key), .data_sha256 = "d" + key});
    }
    const auto added =
        *drive.store().add_items({.job = job.id, .items = items, .adopt = true, .close = true});
    return std::pair(job.id, added.adopted);
  };
  const auto [first, none] = submit(from, {"x", "y"});
  from.work([](const Claimed& claimed) {
    return Work{.closed = succeeded(Json(claimed.item_key + " was here"))};
  });
  const auto [second, adopted] = submit(from, {"x", "z"});
  ASSERT_EQ(adopted, 1);
  EXPECT_TRUE(from.act(PauseJob{second}));

  const Imported here = move(second);
  expect_moved(from.records(), second, to.records(), here);
  ASSERT_TRUE(here.originals);
  const auto outputs = *to.records().outputs(to.item(here.job.id, "x").id);
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs.front().output, Json("x was here"));
  EXPECT_EQ(here.job.items.adopted, 1);
  const Job originals = to.job(here.originals);
  EXPECT_TRUE(originals.has_ended());
  EXPECT_EQ(originals.items.succeeded, 1);

  // Adopts from it again, here and once more elsewhere.
  const auto [third, again] = submit(to, {"x"});
  EXPECT_EQ(again, 1);
  Drive back{GetParam()};
  const Imported home = imported(back.store(), exported(to.records(), here.job.id));
  EXPECT_EQ(back.records().outputs(back.item(home.job.id, "x").id)->front().output,
            Json("x was here"));
  back.expect_sound();
  (void)first, (void)none, (void)third;
}

TEST_P(Transfer, payload_files_come_along_whatever_their_size) {
  const std::string large(5'000'003, 'x');
  std::string binary;
  for (int i = 0; i < 1'500'000; ++i) binary += static_cast<char>(i * 7);
  Store& store = from.store();
  const std::string file = *store.keep_payload(binary);
  const std::string log = *store.keep_payload("a log");
  const std::string nothing = *store.keep_payload("");
  const Json whole = Json::object(
      {{"text", large}, {"report", Json::object({{"$file", "sha256:" + file}, {"name", "r"}})}});
  const std::string output = *store.keep_payload(whole.text());
  const std::string lost = sha256_hex("lost");

  const JobId old = from.submit(workflow("files", {stage("a")}), {"x", "y"});
  from.work([&](const Claimed& claimed) {
    if (claimed.item_key == "y") {
      return Work{.closed = succeeded(
                      Json::object({{"gone", Json::object({{"$file", "sha256:" + lost}})},
                                    {"none", Json::object({{"$file", "sha256:" + nothing}})}}))};
    }
    Attempt closed =
        succeeded(Json::object({{"$ref", "sha256:" + output}, {"size", whole.text().size()}}));
    closed.artifacts.push_back({.kind = ArtifactKind::standard_output,
                                .name = "stdout",
                                .reference = "sha256:" + log,
                                .sha256 = log,
                                .size = 5});
    return Work{.closed = closed};
  });
  std::ostringstream out;
  const Result<Exported> done = export_job(from.records(), old, out);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->moved.payloads, 4);
  EXPECT_EQ(done->payloads_missing, 1);
  std::size_t longest = 0;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  EXPECT_LT(longest, 1'500'000U) << "pieces of at most 1 MiB";

  (void)imported(to.store(), out.str());
  EXPECT_EQ(*to.records().payload(file), binary);
  EXPECT_EQ(*to.records().payload(log), "a log");
  EXPECT_EQ(*to.records().payload(nothing), "");
  EXPECT_EQ(*to.records().payload(output), whole.text());
  EXPECT_FALSE(to.records().payload(lost));
  // What was missing there is missing here, and is reported until it is found.
  for (Drive* one : {&from, &to}) {
    EXPECT_EQ(verify(one->records())->violation_count, 1);
    ASSERT_TRUE(one->store().keep_payload("lost"));
  }
}

TEST_P(Transfer, a_job_that_does_not_hold_still_is_refused_with_the_way_out) {
  const JobId job = from.submit(workflow("w", {stage("a")}), {"x", "y"});
  std::ostringstream out;
  expect_refused(export_job(from.records(), job, out), ErrorCode::refused, "pawl job pause 1");
  const std::vector<Claimed> held = from.claim(1);
  EXPECT_TRUE(from.act(PauseJob{job}));
  expect_refused(export_job(from.records(), job, out), ErrorCode::refused, "1 attempts open");
  EXPECT_EQ(out.str(), "") << "nothing is written";
  from.close(held.front(), succeeded());
  EXPECT_TRUE(export_job(from.records(), job, out));
  expect_refused(export_job(from.records(), JobId{77}, out), ErrorCode::not_found, "no job 77");
}

TEST_P(Transfer, a_job_that_changes_while_it_is_read_is_a_conflict) {
  const JobId job = busy_job(from);
  // The log is read after the tasks; the letter is discarded in between.
  struct Meddling final : std::stringbuf {
    std::function<void()> act;
    int sync() override { return 0; }
    std::streamsize xsputn(const char* text, std::streamsize size) override {
      if (act &&
          std::string_view(text, static_cast<std::size_t>(size)).starts_with(R"({"events":)"))
        std::exchange(act, {})();
      return std::stringbuf::xsputn(text, size);
    }
  } meddling;
  meddling.act = [&] {
    EXPECT_TRUE(from.act(DiscardDeadLetter{from.task_of(job, "dead"), "enough", "eve"}));
  };
  std::ostream out(&meddling);
  expect_refused(export_job(from.records(), job, out), ErrorCode::conflict, "changed while");
  const Result<Imported> taken = import_text(to.store(), meddling.str());
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().text(), HasSubstr("cut short"));
}

TEST_P(Transfer, a_key_that_is_taken_is_a_conflict_that_names_the_job) {
  NewJob about{.workflow = busy_workflow(), .key = "monday"};
  const JobId old = busy_job(from, about);
  const JobId there = to.submit(busy_workflow(), {"x"}, about);
  const Result<Imported> taken = import_text(to.store(), exported(from.records(), old));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::conflict);
  EXPECT_THAT(taken.error().text(), HasSubstr("job " + std::to_string(there.value())));
  EXPECT_EQ(to.records().jobs({})->size(), 1U);
}

TEST_P(Transfer, the_same_export_is_imported_once) {
  const std::string file = exported(from.records(), busy_job(from));
  const JobId job = imported(to.store(), file).job.id;
  const Result<Imported> again = import_text(to.store(), file);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::conflict);
  EXPECT_THAT(again.error().text(), HasSubstr("it is job " + std::to_string(job.value())));
}

/// A time in the log is found by binary search; rows that arrive late are not in the order of time.
TEST_P(Transfer, events_since_a_time_are_found_before_behind_and_among_those_that_arrived) {
  const Workflow flow = workflow("plain", {stage("a")});
  const JobId old = from.submit(flow, {"1", "2", "3", "4", "5", "6", "7", "8"});
  from.work(always(succeeded()));
  const std::string file = exported(from.records(), old);
  const auto found = [&](Timestamp since) {
    return to.records().events({.since = since, .limit = 1'000})->size();
  };
  const auto all_of = [&](Timestamp since) {
    const auto all = *to.records().events({.limit = 1'000});
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const Event& event) { return event.at >= since; }));
  };
  to.clock().advance(10h);
  std::vector<Timestamp> times{from.clock().now() - 1h, from.clock().now() + 1h};
  const auto work_here = [&] {
    to.clock().advance(1h);
    times.push_back(to.clock().now());
    to.submit(flow, {"x", "y", "z"});
    to.work(always(succeeded()));
    to.clock().advance(1h);
    times.push_back(to.clock().now());
  };
  work_here();
  work_here();
  (void)imported(to.store(), file);
  for (const Timestamp since : times) EXPECT_EQ(found(since), all_of(since));
  work_here();
  work_here();
  for (const Timestamp since : times) EXPECT_EQ(found(since), all_of(since));
}

TEST_P(Transfer, an_import_needs_an_operator_and_leaves_an_entry_of_who_did_it) {
  const std::string file = exported(from.records(), busy_job(from));
  People& people = to.store().people();
  const auto in_session = [](const std::string& name) {
    return Actor{.name = name, .method = ActorMethod::session};
  };
  ASSERT_TRUE(people.change(AddPerson{"vera", Role::reviewer}, {.name = "root"}));
  ASSERT_TRUE(people.change(AddPerson{"olga", Role::operate}, {.name = "root"}));
  const std::int64_t before = to.records().audit({})->back().number;

  const Result<Imported> refused = import_text(to.store(), file, {.by = in_session("vera")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
  EXPECT_TRUE(to.records().jobs({})->empty());
  EXPECT_EQ(to.records().audit({})->back().number, before);

  const Result<Imported> by_another =
      import_text(to.store(), file, {.accepted_by = "vera", .by = in_session("olga")});
  ASSERT_FALSE(by_another) << "nobody accepts a job in the name of somebody else";
  EXPECT_THAT(by_another.error().text(), HasSubstr("in the name of 'vera'"));

  const Imported here =
      imported(to.store(), file, {.accepted_by = "olga", .by = in_session("olga")});
  std::vector<std::string> entries;
  const std::vector<AuditEntry> trail = *to.records().audit({.after = before, .limit = 100});
  for (const AuditEntry& entry : trail) {
    const std::string text = entry.actor.name + ": " + entry.act + ", " + entry.details;
    if (entry.origin.empty()) entries.push_back(text);
  }
  EXPECT_EQ(entries, (std::vector<std::string>{"olga: job.import, export " + here.export_id,
                                               "olga: job.trust, accepted by olga"}));
}

TEST_P(Transfer, an_export_from_a_pipe_is_kept_in_a_file_meanwhile) {
  const JobId job = busy_job(from);
  struct Pipe final : std::stringbuf {
    using std::stringbuf::stringbuf;
    pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
      return -1;
    }
  } pipe(exported(from.records(), job));
  std::istream in(&pipe);
  const Result<Imported> here = import_job(to.store(), in);
  ASSERT_TRUE(here) << here.error().text();
  expect_moved(from.records(), job, to.records(), *here);
}

}  // namespace
}  // namespace pawl::driving
