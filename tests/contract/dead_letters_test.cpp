#include "pawl/store/dead_letters.hpp"

#include <chrono>
#include <set>

#include <gmock/gmock.h>

#include "contract/drive.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/views/documents.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using driving::always;
using driving::Drive;
using driving::failed;
using driving::rejected;
using driving::stage;
using driving::StoreKind;
using driving::succeeded;
using driving::Work;
using driving::workflow;

class DeadLetters : public testing::TestWithParam<StoreKind> {
 protected:
  Drive drive{GetParam()};
  Workflow scan = workflow("invoices", {stage("scan")});

  Result<DeadLetterPage> list(std::string_view filter = {}) {
    DeadLetterQuery query;
    if (!filter.empty()) query.filter = *parse_dead_letter_filter(filter);
    return list_dead_letters(drive.store(), query);
  }
  std::vector<std::string> keys(std::string_view filter = {}) {
    std::vector<std::string> found;
    const DeadLetterPage page = *list(filter);
    for (const DeadLetter& letter : page.letters) found.push_back(letter.item_key);
    return found;
  }
  static DeadLetterSelection select(std::string_view filter) {
    return {.filter = *parse_dead_letter_filter(filter)};
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, DeadLetters, testing::ValuesIn(driving::store_kinds()),
                         driving::name_of_kind);

std::vector<AttemptNumber> numbers(const DeadLetter& letter) {
  std::vector<AttemptNumber> out;
  for (const FailedAttempt& attempt : letter.failure_history) out.push_back(attempt.number);
  return out;
}

TEST_P(DeadLetters, an_item_that_fails_again_and_again_is_one_letter_with_its_whole_history) {
  const JobId job = drive.submit(scan, {"ada"});
  const TaskId task = drive.task_of(job, "ada");
  for (AttemptNumber round = 1; round <= 3; ++round) {
    drive.work(always(failed("no luck " + std::to_string(round), ErrorClass::final)));
    const Result<DeadLetter> letter = show_dead_letter(drive.store(), task);
    ASSERT_TRUE(letter) << letter.error().text();
    EXPECT_EQ(letter->failure_count, round);
    EXPECT_EQ(letter->failure_history.back().number, round);
    EXPECT_EQ(letter->failure_history.back().epoch, round);
    EXPECT_EQ(list()->letters.size(), 1U);
    if (round == 3) break;
    const Result<DeadLetterTally> retried =
        retry_dead_letters(drive.store(), {.tasks = {task}}, {.by = "eve"});
    ASSERT_TRUE(retried) << retried.error().text();
    EXPECT_EQ(retried->done, 1);
    EXPECT_TRUE(list()->letters.empty());
  }
  const DeadLetter letter = *show_dead_letter(drive.store(), task);
  EXPECT_EQ(numbers(letter), (std::vector<AttemptNumber>{1, 2, 3}));
  EXPECT_EQ(letter.error, "no luck 3");
  EXPECT_EQ(letter.error_class, ErrorClass::final);
  EXPECT_EQ(drive.job(job).dead_letters, 1);
}

TEST_P(DeadLetters, failure_count_counts_failures_timeouts_and_rejections_and_nothing_else) {
  StageDefinition busy = stage("scan");
  busy.retry.max_attempts = 4;
  const JobId job = drive.submit(workflow("w", {busy}), {"ada"});
  int call = 0;
  drive.work([&](const Claimed&) -> Work {
    switch (++call) {
      case 1:
        return {.closed = failed("reset by peer")};
      case 2: {
        Attempt interrupted;
        interrupted.result = AttemptResult::interrupted;
        return {.closed = interrupted};
      }
      case 3: {
        Attempt late;
        late.result = AttemptResult::timed_out;
        return {.closed = late};
      }
      default:
        return {.closed = rejected("tables lost")};
    }
  });
  const DeadLetter letter = *show_dead_letter(drive.store(), drive.task_of(job, "ada"));
  EXPECT_EQ(numbers(letter), (std::vector<AttemptNumber>{1, 3, 4, 5}));
  EXPECT_EQ(letter.failure_count, 4U);
  EXPECT_EQ(letter.attempts, 5U);
  EXPECT_EQ(letter.error, "tables lost");
  EXPECT_EQ(letter.cause, FailCause::exhausted);
  EXPECT_FALSE(letter.error_class.has_value());
}

TEST_P(DeadLetters, a_persons_rejection_is_told_in_their_words) {
  StageDefinition checked = stage("check");
  checked.review = ReviewPolicy::always;
  const JobId job = drive.submit(workflow("w", {checked}), {"ada"});
  drive.work(always(succeeded()));
  const Review review = drive.records().reviews({.job = job})->front();
  ASSERT_TRUE(drive.act(AnswerReview{
      review.id, {.outcome = ReviewOutcome::reject, .reviewer = "eve", .note = "tables lost"}}));
  const DeadLetter letter = *show_dead_letter(drive.store(), drive.task_of(job, "ada"));
  EXPECT_EQ(letter.error, "rejected in review: tables lost");
  EXPECT_EQ(letter.signature, "rejected in review: tables lost");
  EXPECT_EQ(keys(R"(error = "rejected in review: tables lost" and cause = "rejected_by_review")"),
            std::vector<std::string>{"ada"});
}

TEST_P(DeadLetters, a_task_that_has_not_failed_is_no_letter) {
  const JobId job = drive.submit(scan, {"ada"});
  const Result<DeadLetter> ready = show_dead_letter(drive.store(), drive.task_of(job, "ada"));
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, ErrorCode::refused);
  EXPECT_EQ(show_dead_letter(drive.store(), TaskId{999}).error().code, ErrorCode::not_found);
}

TEST_P(DeadLetters, every_field_can_be_asked_for) {
  const JobId job = drive.submit(scan, {"ada", "bob"});
  drive.work([](const Claimed& claimed) -> Work {
    if (claimed.item_key == "ada") {
      return {.closed = failed("encrypted pdf", ErrorClass::final, ErrorKind::exit, "65")};
    }
    return {.closed = failed("no route")};
  });
  drive.clock().advance(20min);
  const std::vector<std::string> ada{"ada"};
  const std::vector<std::string> both{"ada", "bob"};
  EXPECT_EQ(keys("error ~ 'PDF'"), ada);
  EXPECT_EQ(keys("error_class = 'final'"), ada);
  EXPECT_EQ(keys("error_kind = 'exit' and code = 65"), ada);
  EXPECT_EQ(keys("item = 'ada'"), ada);
  EXPECT_EQ(keys("signature = 'final exit 65: encrypted pdf'"), ada);
  EXPECT_EQ(keys("cause = 'final_error'"), ada);
  EXPECT_EQ(keys("cause = 'exhausted'"), std::vector<std::string>{"bob"});
  EXPECT_EQ(keys("stage = 'scan' and category = ''"), both);
  EXPECT_EQ(keys("job = " + std::to_string(job.value())), both);
  EXPECT_EQ(keys("failure_count = 1 and attempts = 1"), both);
  EXPECT_EQ(keys("age >= 20m and age < 21m"), both);
  EXPECT_EQ(keys("age < 15m"), std::vector<std::string>{});
  EXPECT_EQ(keys("not discarded"), both);
}

TEST(DeadLetterFilter, a_misspelt_field_or_word_is_an_error) {
  EXPECT_EQ(parse_dead_letter_filter("eror = 'x'").error().help, "did you mean 'error'?");
  EXPECT_EQ(parse_dead_letter_filter("error_class = 'finla'").error().help,
            "did you mean 'final'?");
  EXPECT_FALSE(parse_dead_letter_filter(""));
}

TEST_P(DeadLetters, pages_follow_each_other_without_gap_or_overlap) {
  std::vector<std::string> items;
  for (int i = 0; i < 25; ++i) items.push_back("item" + std::to_string(i));
  drive.submit(scan, items);
  drive.work(always(failed("x")));
  DeadLetterQuery query{.limit = 10};
  std::vector<std::string> seen;
  std::vector<std::size_t> sizes;
  do {
    const Result<DeadLetterPage> page = list_dead_letters(drive.store(), query);
    ASSERT_TRUE(page);
    sizes.push_back(page->letters.size());
    for (const DeadLetter& letter : page->letters) seen.push_back(letter.item_key);
    query.after = page->next;
  } while (query.after);
  EXPECT_EQ(seen, items);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{10, 10, 5}));
}

TEST_P(DeadLetters, a_dry_run_of_a_retry_tells_what_would_happen_and_changes_nothing) {
  const JobId job = drive.submit(scan, {"ada", "bob", "cy"});
  drive.work([](const Claimed& claimed) -> Work {
    return {.closed = failed(claimed.item_key == "cy" ? "other" : "busy")};
  });
  const auto told = [&](bool dry_run) {
    std::vector<std::string> answers;
    const Result<DeadLetterTally> tally = retry_dead_letters(
        drive.store(), select("error = 'busy'"), {.by = "eve", .dry_run = dry_run},
        [&](const DeadLetterAnswer& answer) {
          answers.push_back(answer.item_key + (answer.refusal ? " refused" : ""));
        });
    EXPECT_EQ(*tally, (DeadLetterTally{.done = 2, .refused = 0, .dry_run = dry_run}));
    return answers;
  };
  const std::vector<std::string> expected{"ada", "bob"};
  EXPECT_EQ(told(true), expected);
  EXPECT_EQ(drive.job(job).dead_letters, 3);
  EXPECT_EQ(told(false), expected);
  EXPECT_EQ(drive.job(job).dead_letters, 1);
  EXPECT_EQ(drive.task(job, "ada").cause, Cause::manual);
  EXPECT_EQ(drive.task(job, "ada").epoch, 2U);
}

TEST_P(DeadLetters, a_retry_that_the_store_refuses_is_answered_with_the_refusal_dry_or_not) {
  const JobId job =
      drive.submit(scan, {"ada"}, NewJob{.workflow = scan, .budget = {.max_total_attempts = 1}});
  drive.work(always(failed("x")));
  const TaskId task = drive.task_of(job, "ada");
  for (const bool dry_run : {true, false}) {
    std::vector<ErrorCode> codes;
    const Result<DeadLetterTally> tally = retry_dead_letters(
        drive.store(), {.tasks = {task, TaskId{77}}}, {.dry_run = dry_run},
        [&](const DeadLetterAnswer& answer) { codes.push_back(answer.refusal->code); });
    EXPECT_EQ(tally->refused, 2);
    EXPECT_EQ(tally->done, 0);
    EXPECT_EQ(codes, (std::vector<ErrorCode>{ErrorCode::refused, ErrorCode::not_found}));
  }
  EXPECT_EQ(drive.job(job).dead_letters, 1);
}

TEST_P(DeadLetters, what_was_skipped_after_a_failure_runs_once_its_letter_is_retried) {
  const JobId job =
      drive.submit(workflow("w", {stage("a"), stage("b", {"a"}), stage("c", {"b"})}), {"ada"});
  drive.work(always(failed("x", ErrorClass::final)));
  EXPECT_EQ(drive.task(job, "ada", 2).kind(), StateKind::skipped);
  EXPECT_TRUE(drive.job(job).has_ended());
  EXPECT_EQ(list()->letters.size(), 1U);
  ASSERT_EQ(retry_dead_letters(drive.store(), {.all = true}, {})->done, 1);
  drive.work(always(succeeded()));
  EXPECT_EQ(drive.task(job, "ada", 2).kind(), StateKind::succeeded);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(DeadLetters, nothing_selected_is_an_error_and_not_everything) {
  drive.submit(scan, {"ada"});
  drive.work(always(failed("x")));
  const Result<DeadLetterTally> none = retry_dead_letters(drive.store(), {}, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::invalid);
  EXPECT_FALSE(discard_dead_letters(drive.store(), {}, {.note = "why"}));
  EXPECT_FALSE(purge_dead_letters(drive.store(), {}, {}));
  EXPECT_EQ(list()->letters.size(), 1U);
}

TEST_P(DeadLetters, a_discard_wants_a_reason_and_takes_the_letter_off_the_list) {
  const JobId job = drive.submit(scan, {"ada", "bob"});
  drive.work(always(failed("x")));
  EXPECT_EQ(discard_dead_letters(drive.store(), {.all = true}, {.note = "  "}).error().code,
            ErrorCode::invalid);
  const TaskId ada = drive.task_of(job, "ada");
  const Result<DeadLetterTally> done =
      discard_dead_letters(drive.store(), {.tasks = {ada}}, {.by = "eve", .note = "known broken"});
  EXPECT_EQ(done->done, 1);
  EXPECT_EQ(keys(), std::vector<std::string>{"bob"});
  EXPECT_EQ(keys("discarded"), std::vector<std::string>{"ada"});
  EXPECT_EQ(list_dead_letters(drive.store(), {.include_discarded = true})->letters.size(), 2U);
  EXPECT_EQ(show_dead_letter(drive.store(), ada)->failure_count, 1U);
  EXPECT_EQ(drive.job(job).dead_letters, 1);
  // A discarded letter is neither discarded nor retried a second time.
  EXPECT_EQ(discard_dead_letters(drive.store(), {.tasks = {ada}}, {.note = "again"})->refused, 1);
  EXPECT_EQ(retry_dead_letters(drive.store(), {.tasks = {ada}}, {})->refused, 1);
}

TEST_P(DeadLetters, a_purge_deletes_the_items_of_discarded_letters_and_only_those) {
  const JobId job = drive.submit(workflow("w", {stage("a"), stage("b")}), {"ada", "bob", "cy"});
  drive.work([](const Claimed& claimed) -> Work {
    if (claimed.item_key == "cy") return {.closed = succeeded()};
    return {.closed = failed("x")};
  });
  // ada: both letters; bob: one of two.
  ASSERT_EQ(discard_dead_letters(drive.store(), select("item = 'ada'"), {.note = "gone"})->done, 2);
  ASSERT_EQ(discard_dead_letters(drive.store(), {.tasks = {drive.task_of(job, "bob", 0)}},
                                 {.note = "gone"})
                ->done,
            1);
  for (const bool dry_run : {true, false}) {
    std::vector<std::string> answers;
    const Result<DeadLetterTally> tally = purge_dead_letters(
        drive.store(), {.all = true}, {.dry_run = dry_run}, [&](const DeadLetterAnswer& answer) {
          answers.push_back(answer.item_key + (answer.refusal ? " refused" : " purged"));
        });
    ASSERT_TRUE(tally) << tally.error().text();
    EXPECT_EQ(answers, (std::vector<std::string>{"ada purged", "bob refused"}));
    EXPECT_EQ(*tally, (DeadLetterTally{.done = 1, .refused = 1, .dry_run = dry_run}));
    EXPECT_EQ(drive.job(job).items.total, dry_run ? 3 : 2);
  }
  EXPECT_EQ(drive.records().item(job, "ada").error().code, ErrorCode::not_found);
  EXPECT_EQ(drive.job(job).dead_letters, 1);
}

TEST(ErrorSignature, puts_aside_what_differs_from_one_failure_to_the_next) {
  const auto of = [](std::string_view message) {
    return error_signature(std::nullopt, std::nullopt, "", message);
  };
  EXPECT_EQ(of("encrypted pdf"), "encrypted pdf");
  EXPECT_EQ(of("item 42 took 1.5s on 2026-03-01 10:00:00"), "item # took #s on # #");
  EXPECT_EQ(of("bad pointer 0xdeadBEEF at 7f3a2b10"), "bad pointer # at #");
  EXPECT_EQ(of("no user 'bob' in \"db 7\""), "no user \"…\" in \"…\"");
  EXPECT_EQ(of("can't open it, can't close it"), "can't open it, can't close it");
  EXPECT_EQ(of("cannot read /tmp/a b/../c.pdf: denied."), "cannot read <path> b/../c.pdf: denied.");
  EXPECT_EQ(of("cannot read /tmp/x-1.pdf: denied"), "cannot read <path>: denied");
  EXPECT_EQ(of("GET https://host:8080/a?b=1 failed"), "GET <url> failed");
  EXPECT_EQ(of("request a1b2c3d4-e5f6-7890-abcd-ef1234567890 lost"), "request # lost");
  EXPECT_EQ(of("  a \n\t b  "), "a b");
  EXPECT_EQ(of("facade decade"), "facade decade");
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(error_signature(ErrorClass::final, ErrorKind::exit, "65", "page 3"),
            "final exit 65: page #");
  EXPECT_EQ(error_signature(ErrorClass::final, ErrorKind::exit, "65", ""), "final exit 65");
  const std::string cut = of(std::string(150, 'x') + std::string("ä") + std::string(300, 'y'));
  EXPECT_LT(cut.size(), 220U);
  EXPECT_TRUE(cut.ends_with("…"));
}

TEST_P(DeadLetters, an_export_has_the_documented_fields) {
  const JobId job = drive.submit(scan, {"ada"});
  drive.work(always(failed("encrypted \"pdf\"", ErrorClass::final, ErrorKind::exit, "65")));
  std::string text;
  const Result<std::int64_t> count =
      export_dead_letters(drive.store(), {}, [&](std::string_view line) {
        text += line;
        return Status{};
      });
  EXPECT_EQ(*count, 1);
  ASSERT_TRUE(text.ends_with("\n"));
  const Result<Json> line = parse_json(text);
  ASSERT_TRUE(line) << line.error().text();
  EXPECT_EQ(field(*line, "item").json(), Json("ada"));
  EXPECT_EQ(field(*line, "stage").json(), Json("scan"));
  EXPECT_EQ(field(*line, "job").json(), Json(job.value()));
  EXPECT_EQ(field(*line, "failure_count").json(), Json(1));
  EXPECT_EQ(field(*line, "cause").json(), Json("final_error"));
  EXPECT_EQ(field(*line, "error_class").json(), Json("final"));
  EXPECT_EQ(field(*line, "failure_history[0].attempt_number").json(), Json(1));
  EXPECT_EQ(field(*line, "failure_history[0].error_class").json(), Json("final"));
  EXPECT_EQ(field(*line, "failure_history[0].message").json(), Json("encrypted \"pdf\""));
  EXPECT_EQ(field(*line, "failure_history[0].at").json(), Json("2023-11-14T22:13:20Z"));

  const Result<std::int64_t> full = export_dead_letters(drive.store(), {}, [](std::string_view) {
    return Status(fail(ErrorCode::unavailable, "disk full"));
  });
  EXPECT_EQ(full.error().message, "disk full");
}

TEST_P(DeadLetters, ten_thousand_failures_are_listed_grouped_exported_retried_and_purged) {
  constexpr int count = 10'000;
  std::vector<std::string> items;
  for (int i = 0; i < count; ++i) items.push_back("item" + std::to_string(i));
  const JobId job = drive.submit(scan, items);
  drive.work([](const Claimed& claimed) -> Work {
    const int place = std::stoi(claimed.item_key.substr(4));
    if (place % 10 == 0) {
      return {.closed = failed("page " + std::to_string(place) + " is torn", ErrorClass::final)};
    }
    return {.closed = failed("no answer from 10.0.0." + std::to_string(place % 250))};
  });
  EXPECT_EQ(drive.job(job).dead_letters, count);

  std::set<std::string> listed;
  DeadLetterQuery query{.limit = 999};
  do {
    const Result<DeadLetterPage> page = list_dead_letters(drive.store(), query);
    for (const DeadLetter& letter : page->letters) listed.insert(letter.item_key);
    query.after = page->next;
  } while (query.after);
  EXPECT_EQ(listed.size(), items.size());

  const DeadLetterAnalysis analysis = *analyse_dead_letters(drive.store(), {});
  ASSERT_EQ(analysis.groups.size(), 2U);
  EXPECT_EQ(analysis.letters, count);
  EXPECT_EQ(analysis.ungrouped, 0);
  EXPECT_EQ(analysis.groups[0].count, 9'000);
  EXPECT_EQ(analysis.groups[1].count, 1'000);
  EXPECT_EQ(analysis.groups[1].signature, "final reported: page # is torn");
  EXPECT_EQ(analysis.groups[1].stage, "scan");
  EXPECT_EQ(analysis.groups[1].examples.size(), dead_letter_examples_max);

  const DeadLetterSelection torn = select(analysis.groups[1].filter);
  EXPECT_EQ(retry_dead_letters(drive.store(), torn, {.dry_run = true})->done, 1'000);
  EXPECT_EQ(retry_dead_letters(drive.store(), torn, {})->done, 1'000);
  EXPECT_EQ(drive.job(job).dead_letters, 9'000);
  EXPECT_EQ(drive.work(always(succeeded())), 1'000);

  std::int64_t lines = 0;
  const Result<std::int64_t> exported =
      export_dead_letters(drive.store(), {}, [&](std::string_view) {
        ++lines;
        return Status{};
      });
  EXPECT_EQ(*exported, 9'000);
  EXPECT_EQ(lines, 9'000);

  EXPECT_EQ(discard_dead_letters(drive.store(), {.all = true}, {.note = "host is gone"})->done,
            9'000);
  EXPECT_EQ(drive.job(job).dead_letters, 0);
  const DeadLetterSelection some{
      .tasks = {drive.task_of(job, "item1"), drive.task_of(job, "item2")}};
  EXPECT_EQ(purge_dead_letters(drive.store(), some, {})->done, 2);
  EXPECT_EQ(drive.job(job).items.total, count - 2);
}

TEST_P(DeadLetters, signatures_beyond_the_bound_are_counted_and_not_held) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < dead_letter_groups_max + 5; ++i)
    items.push_back("i" + std::to_string(i));
  drive.submit(scan, items);
  drive.work([](const Claimed& claimed) -> Work {
    std::string word;
    for (const char digit : claimed.item_key.substr(1))
      word += static_cast<char>('g' + (digit - '0'));
    return {.closed = failed(word)};
  });
  const DeadLetterAnalysis analysis = *analyse_dead_letters(drive.store(), {});
  EXPECT_EQ(analysis.groups.size(), dead_letter_groups_max);
  EXPECT_EQ(analysis.ungrouped, 5);
  EXPECT_EQ(analysis.letters, static_cast<std::int64_t>(dead_letter_groups_max) + 5);
}

TEST_P(DeadLetters, a_failed_child_is_a_letter_of_its_own_and_is_retried_alone) {
  const JobId job = drive.submit(workflow("w", {stage("fan")}), {"ada"});
  const auto script = [](const Claimed& claimed) -> Work {
    if (!claimed.task.child) {
      Attempt expanded;
      expanded.result = AttemptResult::expanded;
      return {.closed = expanded, .children = {{"x", Json(1)}, {"y", Json(2)}, {"z", Json(3)}}};
    }
    return {.closed = claimed.task.child->key == "y" ? failed("torn") : succeeded()};
  };
  drive.work(script);
  const DeadLetterPage page = *list();
  ASSERT_EQ(page.letters.size(), 2U);
  EXPECT_EQ(page.letters[0].error, "too many of its children failed");
  EXPECT_EQ(page.letters[0].cause, FailCause::tolerance);
  EXPECT_EQ(page.letters[1].child_key, "y");
  EXPECT_EQ(page.letters[1].item_key, "ada");
  ASSERT_EQ(retry_dead_letters(drive.store(), {.tasks = {page.letters[1].task}}, {})->done, 1);
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_TRUE(list()->letters.empty());
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(DeadLetters, a_stage_and_its_failed_child_are_retried_together) {
  const JobId job = drive.submit(workflow("w", {stage("fan")}), {"ada"});
  drive.work([](const Claimed& claimed) -> Work {
    if (claimed.task.child) return {.closed = failed("torn")};
    Attempt expanded;
    expanded.result = AttemptResult::expanded;
    return {.closed = expanded, .children = {{"x", Json(1)}, {"y", Json(2)}}};
  });
  const DeadLetterPage page = *list();
  ASSERT_EQ(page.letters.size(), 3U);
  const std::vector<TaskId> all = {page.letters[0].task, page.letters[1].task,
                                   page.letters[2].task};
  EXPECT_EQ(*retry_dead_letters(drive.store(), {.tasks = all}, {}),
            (DeadLetterTally{.done = 3, .refused = 0, .dry_run = false}));
  EXPECT_EQ(drive.work(always(succeeded())), 2);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
  // A letter that an earlier call has retried is refused.
  EXPECT_EQ(retry_dead_letters(drive.store(), {.tasks = all}, {})->refused, 3);
}

}  // namespace
}  // namespace pawl
