/// Edits of outputs: their types, what the gates say about them, and the files in them.

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/file_value.hpp"
#include "service/review_api_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::Script;

class ReviewEdits : public ReviewApiTest {
 protected:
  /// A review of an output with a file, by a workflow file with gates.
  ReviewId converted(const std::string& key = "a", int approvals = 1) {
    const std::filesystem::path file = folder_ / "convert.yaml";
    std::ofstream(file) << R"(version: 1
workflow: convert
params:
  least: { type: integer, default: 4 }
stages:
  convert:
    run: [convert]
    in: { source: "${item.value}" }
    out: { report: file, tables: integer, title: string, extra: json }
    gates:
      - name: structure
        expect:
          tables: { at_least: "${params.least}" }
          title: { not_equals: "${in.source}" }
      - name: style
        run: [style]
      - name: shape
        schema: { type: object, properties: { tables: { maximum: 9 } } }
      - name: either
        any:
          - expect: { tables: { equals: 6 } }
          - expect: { title: { matches: "^annual" } }
    review: { when: always, approvals: )"
                        << approvals << R"( }
)";
    world_.stage("convert",
                 Script{}.then(testing::does([this](Context&, const std::stop_token&) -> Outcome {
                   return Output{.json = output_with(kept("# report", "report.md"))};
                 })));
    world_.gate("convert", "style", testing::GateScript{}.then(testing::accepts()));
    const JobId job = world_.submit(testing::loaded(file), testing::items({key}));
    world_.run();
    return only_review(job);
  }

  /// A file of the store.
  Json kept(const std::string& bytes, const std::string& name) {
    return codec::file_value({.sha256 = *store().keep_payload(bytes),
                              .name = name,
                              .size = static_cast<std::int64_t>(bytes.size())});
  }
  static Json output_with(const Json& report, const Json& tables = 5,
                          const Json& title = "annual") {
    return Json::object(
        {{"report", report}, {"tables", tables}, {"title", title}, {"extra", Json()}});
  }
  Answer edit(ReviewId id, const Json& edits) {
    return answer(id, {{"outcome", "approve_with_edits"}, {"edits", edits}});
  }
  Answer check(ReviewId id, const Json& edits) {
    return post(path_of(id, "check"), Json::object({{"edits", edits}}));
  }
  Answer upload(ReviewId id, const std::string& name, const std::string& bytes,
                const std::string& type = "application/octet-stream") {
    Request request{.method = "POST",
                    .target = path_of(id, "files") + "?name=" + name,
                    .headers = {},
                    .body = bytes,
                    .peer = "127.0.0.1"};
    request.headers.add("Host", "127.0.0.1:7878");
    request.headers.add("Content-Type", type);
    return send(request);
  }
  Json own_report(ReviewId id) { return *field(get(path_of(id)).json(), "output.report").json(); }
};

TEST_F(ReviewEdits, edits_of_wrong_types_are_refused_with_every_fault) {
  const ReviewId id = converted();
  const Json wrong = Json::object({{"report", "report.md"}, {"tables", "six"}, {"titel", 3}});
  for (const Answer& answered : {edit(id, wrong), check(id, wrong)}) {
    for (const char* part :
         {"\"report\" is a file", "\"tables\" must be of type integer", "no field \"titel\"",
          "lacks field \"title\"", "lacks field \"extra\""}) {
      std::string said = answered.body;
      std::erase(said, '\\');
      EXPECT_THAT(said, HasSubstr(part));
    }
  }
  EXPECT_EQ(edit(id, wrong).status, 400U);
  EXPECT_EQ(stored(id).status, ReviewStatus::open);
}

TEST_F(ReviewEdits, a_check_says_what_the_gates_would_say_and_stores_nothing) {
  const ReviewId id = converted();
  const Review before = stored(id);
  const Answer good = check(id, output_with(own_report(id), 6));
  ASSERT_EQ(good.status, 200U) << good.body;
  EXPECT_TRUE(fits_schema(good.json(), "EditCheck"));
  EXPECT_EQ(good.at("ok"), "true");
  EXPECT_EQ(good.at("changes"), "true");
  EXPECT_EQ(good.at("criteria_passed"), "5");
  EXPECT_EQ(good.at("criteria_total"), "5");
  EXPECT_EQ(good.at("gates_not_evaluated"), "1");
  EXPECT_EQ(text(good, "gates[1].why_not"), "it runs a command");

  const Answer bad = check(id, output_with(own_report(id), 2, "a"));
  EXPECT_EQ(bad.at("ok"), "true") << "a person may approve what the gates do not";
  EXPECT_EQ(bad.at("criteria_passed"), "1") << "only the schema is content";
  EXPECT_EQ(text(bad, "gates[0].verdict"), "rejected");
  EXPECT_EQ(text(bad, "gates[0].criteria[0].actual"), "2");
  EXPECT_EQ(bad.at("gates[0].criteria[1].passed"), "false") << "the title is the input";
  EXPECT_EQ(text(bad, "gates[3].verdict"), "rejected") << "neither part accepts";

  const Answer same = check(id, output_with(own_report(id)));
  EXPECT_EQ(same.at("changes"), "false");
  EXPECT_EQ(text(same, "gates[3].verdict"), "accepted");
  EXPECT_EQ(same.at("gates[3].criteria[0].passed"), "false");
  EXPECT_EQ(same.at("criteria_total"), "4") << "one part of the last gate is enough";
  EXPECT_EQ(stored(id), before);
  EXPECT_TRUE(store().records().answers(id)->empty());
}

TEST_F(ReviewEdits, gates_that_are_code_are_not_asked) {
  const ReviewId id = only_review(draft({"a"}));
  const Answer checked = check(id, new_draft());
  EXPECT_EQ(checked.at("ok"), "true");
  EXPECT_EQ(checked.at("gates"), "[]");
  EXPECT_EQ(check(id, Json()).at("ok"), "false");
  EXPECT_EQ(post(path_of(id, "check")).status, 400U) << "there are no edits";
}

TEST_F(ReviewEdits, an_uploaded_file_takes_the_place_of_the_attempts_own) {
  const ReviewId id = converted();
  const Answer file = upload(id, "better.md", "# better");
  ASSERT_EQ(file.status, 201U) << file.body;
  EXPECT_TRUE(fits_schema(file.json(), "ReviewFile"));
  EXPECT_EQ(check(id, output_with(file.json())).at("ok"), "true");
  EXPECT_EQ(edit(id, output_with(file.json())).status, 200U);
  EXPECT_EQ(stored(id).answer->edits, output_with(file.json()));
  EXPECT_TRUE(world_.violations().empty());
}

TEST_F(ReviewEdits, the_attempts_own_file_may_stay_or_get_another_name) {
  const ReviewId id = converted();
  const Json own = own_report(id);
  const auto file = codec::file_of(own);
  ASSERT_TRUE(file.has_value()) << own.text() << ": the document has no paths";
  const Json renamed =
      codec::file_value({.sha256 = file->sha256, .name = "renamed.md", .size = file->size});
  EXPECT_EQ(check(id, output_with(renamed, 6)).at("ok"), "true");
  EXPECT_EQ(edit(id, output_with(own, 6)).status, 200U);
}

TEST_F(ReviewEdits, a_file_that_is_not_of_this_review_is_refused_wherever_it_stands) {
  const ReviewId id = converted("a");
  const ReviewId other = converted("b");
  const Json of_other = upload(other, "secret.md", "# secret").json();
  const Json in_store = kept("# somewhere in the store", "x.md");
  const auto own = *codec::file_of(own_report(id));
  const Json wrong_size =
      codec::file_value({.sha256 = own.sha256, .name = own.name, .size = own.size + 1});
  for (const Json& foreign : {of_other, in_store, wrong_size}) {
    const Answer refused = edit(id, output_with(foreign));
    EXPECT_EQ(refused.status, 400U) << foreign.text();
    EXPECT_THAT(message(refused), HasSubstr("neither made by an attempt of this review"));
    EXPECT_EQ(check(id, output_with(foreign)).at("ok"), "false");
    const Json nested = Json::object({{"report", own_report(id)},
                                      {"tables", 5},
                                      {"title", "annual"},
                                      {"extra", Json::array({Json::object({{"deep", foreign}})})}});
    EXPECT_EQ(edit(id, nested).status, 400U);
  }
  const Json strange = Json::object(
      {{"report", own_report(id)},
       {"tables", 5},
       {"title", "annual"},
       {"extra", Json::object({{"$file", "sha256:" + own.sha256}, {"path", "/etc/passwd"}})}});
  EXPECT_EQ(edit(id, strange).status, 400U);
  EXPECT_EQ(stored(id).status, ReviewStatus::open);
}

TEST_F(ReviewEdits, an_upload_is_forgotten_after_a_day) {
  const ReviewId id = converted();
  const Json file = upload(id, "better.md", "# better").json();
  world_.pass(23h);
  EXPECT_EQ(check(id, output_with(file)).at("ok"), "true");
  world_.pass(2h);
  EXPECT_EQ(check(id, output_with(file)).at("ok"), "false");
}

TEST_F(ReviewEdits, only_those_who_may_answer_upload_and_only_for_open_reviews) {
  const ReviewId id = converted();
  EXPECT_EQ(upload(id, "a.md", "x", "text/plain").status, 415U)
      << "a form of another site can send text";
  EXPECT_EQ(upload(id, "a.md", "x", "multipart/form-data").status, 415U);
  for (const char* name : {"..", "a%2Fb", "%00", "."}) {
    EXPECT_EQ(upload(id, name, "x").status, 400U) << name;
  }
  EXPECT_EQ(upload(id, "empty", "").status, 201U);
  as_agent("robot");
  EXPECT_EQ(upload(id, "a.md", "x").status, 403U);
  as("anna");
  const ReviewId bens = only_review(draft({"b"}, {.assign = {"ben"}}));
  EXPECT_EQ(upload(bens, "a.md", "x").status, 403U);
  ASSERT_EQ(answer(id, {{"outcome", "reject"}, {"note", "no"}}).status, 200U);
  EXPECT_EQ(upload(id, "a.md", "x").status, 409U);
  EXPECT_EQ(upload(ReviewId{77}, "a.md", "x").status, 404U);
}

TEST_F(ReviewEdits, a_review_takes_only_so_many_files) {
  const ReviewId id = converted();
  for (std::size_t i = 0; i < UploadedFiles::files_per_review_max; ++i) {
    uploads_.add(id, "digest " + std::to_string(i), 1);
  }
  EXPECT_EQ(upload(id, "a.md", "x").status, 409U);
  EXPECT_EQ(upload(converted("b"), "a.md", "x").status, 201U);
}

TEST_F(ReviewEdits, the_files_of_edits_that_were_given_before_may_stay) {
  const ReviewId id = converted("a", 2);
  const Json file = upload(id, "better.md", "# better").json();
  ASSERT_EQ(edit(id, output_with(file)).status, 200U);
  world_.pass(48h);
  as("ben");
  EXPECT_EQ(edit(id, output_with(file, 7)).status, 200U) << "the record names the file";
  EXPECT_EQ(text(get(path_of(id)), "proposed.edited_by"), "ben");
}

}  // namespace
}  // namespace pawl::service
