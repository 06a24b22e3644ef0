/// How outputs change from attempt to attempt, and the document that says so beside the criteria.

#include "views/output_changes.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/store/clock.hpp"
#include "pawl/store/results.hpp"
#include "pawl/store/store.hpp"
#include "views/criteria_document.hpp"

namespace pawl::views {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class OutputChanges : public testing::Test {
 protected:
  static Json json(std::string_view text) { return parse_json(text).value(); }

  static std::vector<Attempt> attempts(const std::vector<Json>& outputs) {
    std::vector<Attempt> all;
    for (const Json& output : outputs) {
      Attempt& made = all.emplace_back();
      made.number = static_cast<AttemptNumber>(all.size());
      made.output = output;
    }
    return all;
  }
  std::vector<OutputChange> changes(const std::vector<Json>& outputs) {
    return output_changes(store->records(), attempts(outputs));
  }
  static Json file(char digit, std::int64_t size) {
    return Json::object(
        {{"$file", "sha256:" + std::string(64, digit)}, {"name", "a.md"}, {"size", size}});
  }

  ManualClock clock;
  std::shared_ptr<Store> store = open_memory_store(clock);
};

TEST_F(OutputChanges, are_known_only_of_attempts_with_an_output) {
  EXPECT_THAT(changes({Json(), Json()}), IsEmpty());
  EXPECT_THAT(changes({Json(), json(R"({"a":1})")}),
              ElementsAre(OutputChange{.attempt = 2, .same_as = {}, .difference = {}}));
}

TEST_F(OutputChanges, name_the_earliest_attempt_with_the_same_output_however_it_is_written) {
  const auto found = changes(
      {json(R"({"a":1,"b":"x"})"), json(R"({"a":2})"), json(R"({ "b":"\u0078", "a":1.0 })")});
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[1].same_as, std::nullopt);
  EXPECT_EQ(found[2].same_as, 1U);
  EXPECT_EQ(found[2].difference->from, 2U) << "the difference is to the previous output";
}

TEST_F(OutputChanges, count_the_lines_of_texts_and_the_growth_in_bytes) {
  const auto found = changes({json(R"({"text":"one\ntwo\nthree","words":3})"), Json(),
                              json(R"({"text":"one\n2\nthree\nfour","words":4})")});
  ASSERT_THAT(found, SizeIs(2));
  // "2", "four" and "words: 4" for "two" and "words: 3".
  EXPECT_EQ(found[1].difference,
            (OutputDifference{.from = 1, .bytes = 4, .lines_added = 3, .lines_removed = 2}));
}

TEST_F(OutputChanges, of_equal_outputs_are_none) {
  const auto found = changes({json(R"({"a":1})"), json(R"({"a":1})")});
  EXPECT_EQ(found[1].same_as, 1U);
  EXPECT_EQ(found[1].difference, OutputDifference{.from = 1});
}

TEST_F(OutputChanges, compare_files_by_what_is_recorded_of_them) {
  const auto found =
      changes({Json::object({{"page", file('a', 100)}}), Json::object({{"page", file('a', 100)}}),
               Json::object({{"page", file('b', 500)}}),
               Json::object({{"pages", Json::array({file('b', 500), file('b', 500)})}})});
  ASSERT_THAT(found, SizeIs(4)) << "none of these files has content in the store";
  EXPECT_EQ(found[1].same_as, 1U);
  EXPECT_EQ(found[2].same_as, std::nullopt);
  EXPECT_EQ(found[2].difference,
            (OutputDifference{.from = 2, .bytes = 400, .lines_added = 1, .lines_removed = 1}));
  EXPECT_GT(found[3].difference->bytes, 500);
}

TEST_F(OutputChanges, survive_sizes_that_a_stage_made_up) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const auto found = changes(
      {json(R"({"a":1})"), Json::array({file('a', huge), file('b', huge), file('c', -huge)})});
  EXPECT_GT(found[1].difference->bytes, 0);
}

TEST_F(OutputChanges, of_large_outputs_are_those_of_their_content) {
  const std::string text = R"({"a":1})";
  const std::string kept = store->keep_payload(text).value();
  const auto found = changes({json(R"({"a":1.0})"), payload_reference(kept, text.size()),
                              payload_reference(std::string(64, '0'), 7), json(R"({"a":1})")});
  ASSERT_THAT(found, SizeIs(3)) << "the output of attempt 3 is missing";
  EXPECT_EQ(found[1].same_as, 1U);
  EXPECT_EQ(found[2].difference->from, 2U);
}

TEST_F(OutputChanges, stand_beside_the_criteria_in_the_document) {
  std::vector<Attempt> all = attempts({json(R"({"words":1})"), json(R"({"words":2})"), Json()});
  for (std::size_t i = 0; i < 2; ++i) {
    all[i].assessments = {{.gate = "length",
                           .summary = {},
                           .criteria = {{"words", ">= 3", std::to_string(i + 1), false}},
                           .parts = {}}};
  }
  Task task;
  task.id = task_id(ItemId{7}, StageIndex{0});
  const TaskAttempts whole{task, "draft", "h", all};
  const std::string id = std::to_string(task.id.value());
  EXPECT_EQ(criteria_document(store->records(), whole).text(),
            R"({"stage":"draft","child":null,"task":)" + id +
                R"(,"epoch":1,"attempts":[)"
                R"({"attempt_number":1,"epoch":1,"same_output_as":null,"difference":null},)"
                R"({"attempt_number":2,"epoch":1,"same_output_as":null,)"
                R"("difference":{"from":1,"bytes":0,"lines_added":1,"lines_removed":1}},)"
                R"({"attempt_number":3,"epoch":1,"same_output_as":null,"difference":null}],)"
                R"("rows":[{"gate":"length","name":"words","trend":"converging","cells":[)"
                R"({"attempt_number":1,"passed":false,"expected":">= 3","actual":"1"},)"
                R"({"attempt_number":2,"passed":false,"expected":">= 3","actual":"2"}]}]})");
}

TEST_F(OutputChanges, of_a_child_stand_in_a_document_with_its_key) {
  Task task;
  task.id = task_id(ItemId{7}, StageIndex{0});
  task.child.emplace();
  task.child->key = "page \x1b 3";
  const Json document =
      criteria_document(store->records(), {task, "read", "h", attempts({Json()})});
  ASSERT_TRUE(parse_json(document.text()));
  EXPECT_EQ(field(document, "child").string().value(), "page \x1b 3");
}

}  // namespace
}  // namespace pawl::views
