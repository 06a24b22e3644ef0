/// The results of jobs, and the files that records name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/file_value.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/store/results.hpp"
#include "service/api/file_reply.hpp"
#include "service/job_api_test.hpp"

namespace pawl::service {
namespace {

using namespace std::string_literals;
using testing::does;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::items;
using testing::Script;
using ::testing::SizeIs;
using testing::succeeds;

const auto never = [](Context&, const std::stop_token&) -> Outcome { return Output{}; };

class ResultRoutes : public JobApiTest {
 protected:
  /// The bytes in the store, as a value of an output.
  Json kept(const std::string& bytes, const std::string& name) {
    const Result<std::string> sha256 = store().keep_payload(bytes);
    EXPECT_TRUE(sha256.has_value());
    return codec::file_value(
        {.sha256 = *sha256, .name = name, .size = static_cast<std::int64_t>(bytes.size())});
  }
  /// A job of one stage and one for the whole job, with these outputs.
  JobId job_with(std::vector<NewItem> some, const Json& output, const Json& total = Json()) {
    WorkflowBuilder build("letters");
    build.stage("write", never);
    build.all_items_stage("total", never).needs("write");
    world_.stage("write", Script{}.then(succeeds(output)));
    world_.stage("total", Script{}.then(succeeds(total)));
    return start(build, std::move(some));
  }
  /// The file with these bytes, of the only item.
  Answer fetch(const std::string& bytes, const std::string& name,
               const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    const JobId job = job_with(items({"a"}), Json::object({{"file", kept(bytes, name)}}));
    return get(at_item(job, "a", "/files/" + sha256_hex(bytes)), headers);
  }
  static std::string header(const Answer& answer, std::string_view name) {
    return std::string(answer.headers.find(name).value_or("none"));
  }
};

TEST_F(ResultRoutes, results_are_those_of_each_item_and_then_of_the_job) {
  const JobId job = job_with(items({"a", "b", "c"}), Json::object({{"words", 3}}), Json("all"));
  const Answer results = get(at_job(job, "/results"));
  ASSERT_EQ(results.status, 200U) << results.body;
  EXPECT_THAT(column(results, "results", "item"), ElementsAre("\"a\"", "\"b\"", "\"c\"", "null"));
  EXPECT_EQ(results.at("results[0].outputs"), R"({"write":{"words":3}})");
  EXPECT_EQ(results.at("results[3].outputs"), R"({"total":"all"})");
  for (const Json& row : elements(field(results.json(), "results"))) {
    EXPECT_TRUE(fits_schema(row, "ItemResult"));
  }
  for (const char* limit : {"1", "2", "3", "4", "5"}) {
    EXPECT_THAT(all_pages(at_job(job, "/results?limit="s + limit), "results", "item"), SizeIs(4))
        << limit;
  }
  EXPECT_THAT(column(get(at_job(job, "/results?stage=total")), "results", "item"),
              ElementsAre("null"));
  EXPECT_THAT(column(get(at_job(job, "/results?stage=write")), "results", "item"), SizeIs(3));
  EXPECT_EQ(get(at_job(job, "/results?stage=x")).status, 404U);
  EXPECT_EQ(get(at_job(job, "/results?after=x")).status, 400U);
}

TEST_F(ResultRoutes, a_table_has_a_column_for_each_output_and_no_formulas) {
  const JobId job = job_with(items({"=a", "b"}), Json("=HYPERLINK(1)"));
  const Answer csv = get(at_job(job, "/results"), {{"Accept", "text/csv"}});
  EXPECT_EQ(csv.body,
            "item,state,write,total\n'=a,succeeded,'=HYPERLINK(1),\nb,succeeded,'=HYPERLINK(1),\n"
            ",completed,,\n");
  EXPECT_EQ(header(csv, "Content-Disposition"), "attachment; filename=\"results.csv\"");
  const Answer only = get(at_job(job, "/results?stage=write"), {{"Accept", "text/csv"}});
  EXPECT_THAT(only.body, HasSubstr("item,state,write\n"));
  const Answer lines = get(at_job(job, "/results"), {{"Accept", "application/jsonl"}});
  EXPECT_THAT(lines.body, HasSubstr("{\"item\":\"=a\",\"job\":"));
}

TEST_F(ResultRoutes, large_outputs_make_more_pages_instead_of_a_large_one) {
  const JobId job = job_with(items({"a", "b", "c", "d"}), Json(std::string(3'000'000, 'x')));
  const Answer page = get(at_job(job, "/results"));
  EXPECT_LT(page.body.size(), 7'000'000U);
  EXPECT_THAT(all_pages(at_job(job, "/results?limit=100"), "results", "item"), SizeIs(5));
}

TEST_F(ResultRoutes, a_file_is_served_only_through_a_record_that_names_it) {
  const Json file = kept("hello", "a.txt");
  const JobId job = job_with(items({"a"}), Json::object({{"deep", Json::array({file})}}));
  const JobId other = job_with(items({"b"}), Json());
  const std::string digest = sha256_hex("hello");
  EXPECT_EQ(get(at_item(job, "a", "/files/" + digest)).body, "hello");
  EXPECT_EQ(get(at_item(other, "b", "/files/" + digest)).status, 404U);
  EXPECT_EQ(get(at_job(job, "/files/" + digest)).status, 404U) << "no job-wide stage names it";
  ASSERT_TRUE(store().keep_payload("secret of somebody else").has_value());
  EXPECT_EQ(get(at_item(job, "a", "/files/" + sha256_hex("secret of somebody else"))).status, 404U);
  for (const std::string& wrong :
       {"x"s, "..%2F..%2Fetc%2Fpasswd"s, digest.substr(1), digest + "0", "A" + digest.substr(1)}) {
    EXPECT_EQ(get(at_item(job, "a", "/files/" + wrong)).status, 404U) << wrong;
  }
  sign_out();
  EXPECT_EQ(get(at_item(job, "a", "/files/" + digest)).status, 401U);
}

TEST_F(ResultRoutes, a_digest_that_is_only_mentioned_is_not_a_name) {
  ASSERT_TRUE(store().keep_payload("secret").has_value());
  const std::string digest = sha256_hex("secret");
  const JobId job = job_with(
      items({"a"}), Json::object({{"text", "sha256:" + digest},
                                  {"like", Json::object({{"$file", "sha256:" + digest}})}}));
  EXPECT_EQ(get(at_item(job, "a", "/files/" + digest)).status, 404U);
}

TEST_F(ResultRoutes, artifacts_logs_large_outputs_and_data_name_files_too) {
  const std::string log = *store().keep_payload("what it wrote");
  const std::string artifact = *store().keep_payload("a picture");
  const Json inner = kept("inside", "inner.txt");
  const Json large = Json::object({{"filler", std::string(200'000, 'x')}, {"file", inner}});
  WorkflowBuilder build("letters");
  build.stage("write", never);
  world_.stage("write", Script{}.then(does([&](Context&, const std::stop_token&) -> Outcome {
    return Output{.json = large,
                  .artifacts = {{.kind = ArtifactKind::standard_output,
                                 .name = "stdout",
                                 .reference = {},
                                 .sha256 = log,
                                 .size = 13,
                                 .summary = {}},
                                {.kind = ArtifactKind::file,
                                 .name = "p.bin",
                                 .reference = "sha256:" + artifact,
                                 .sha256 = artifact,
                                 .size = 9,
                                 .summary = {}}}};
  })));
  const Json own = kept("brought along", "own.md");
  const JobId job =
      start(build, {{.key = "a", .category = {}, .data = Json::object({{"doc", own}})}});
  const auto fetched = [&](const std::string& digest) {
    return get(at_item(job, "a", "/files/" + digest));
  };
  EXPECT_EQ(fetched(log).body, "what it wrote");
  EXPECT_THAT(header(fetched(log), "Content-Disposition"), HasSubstr("write-1-stdout.txt"));
  EXPECT_EQ(fetched(artifact).body, "a picture");
  EXPECT_EQ(fetched(sha256_hex("inside")).body, "inside") << "named inside a large output";
  EXPECT_EQ(fetched(sha256_hex("brought along")).body, "brought along");
  const Answer attempts = get(at_item(job, "a", "/attempts"));
  const std::string reference = text(attempts, "attempts[0].output.$ref");
  ASSERT_THAT(reference, HasSubstr("sha256:"));
  const Answer output = fetched(reference.substr(7));
  EXPECT_EQ(output.body, large.text());
  EXPECT_EQ(header(output, "Content-Type"), "application/json; charset=utf-8");
}

TEST_F(ResultRoutes, a_reviewer_gets_the_files_of_what_is_reviewed) {
  WorkflowBuilder build("letters");
  build.stage("write", never);
  build.stage("check", never).needs("write").review(ReviewPolicy::always);
  world_.stage("write", Script{}.then(succeeds(Json::object({{"file", kept("in", "in.txt")}}))));
  world_.stage("check", Script{}.then(succeeds(Json::object({{"file", kept("out", "o.txt")}}))));
  const JobId job = start(build, items({"a"}));
  sign_in_as("rita", Role::reviewer);
  const std::string at =
      "/api/v1/reviews/" + std::to_string(world_.open_reviews(job).front().id.value()) + "/files/";
  EXPECT_EQ(get(at + sha256_hex("in")).body, "in") << "the input of the stage";
  EXPECT_EQ(get(at + sha256_hex("out")).body, "out");
  EXPECT_EQ(get(at + sha256_hex("else")).status, 404U);
  EXPECT_EQ(get("/api/v1/reviews/99/files/" + sha256_hex("in")).status, 404U);
}

TEST_F(ResultRoutes, a_file_that_only_an_edit_brought_is_named_by_it) {
  WorkflowBuilder build("letters");
  build.stage("check", never).review(ReviewPolicy::always);
  world_.stage("check", Script{}.then(succeeds(Json::object({{"file", kept("old", "o.txt")}}))));
  const JobId job = start(build, items({"a"}));
  const Json edits = Json::object({{"file", kept("new", "n.txt")}});
  const Result<Job> answered =
      world_.engine().act(AnswerReview{.review = world_.open_reviews(job).front().id,
                                       .answer = {.outcome = ReviewOutcome::approve_with_edits,
                                                  .reviewer = "olga",
                                                  .edits = edits}},
                          {.name = "olga"});
  ASSERT_TRUE(answered.has_value()) << answered.error().text();
  const Answer edited = get(at_item(job, "a", "/files/" + sha256_hex("new")));
  EXPECT_EQ(edited.body, "new");
  EXPECT_THAT(header(edited, "Content-Disposition"), HasSubstr("n.txt"));
}

TEST_F(ResultRoutes, job_wide_stages_have_files_of_their_own) {
  const JobId job = job_with(items({"a"}), Json(), Json::object({{"report", kept("sum", "r.md")}}));
  EXPECT_EQ(get(at_job(job, "/files/" + sha256_hex("sum"))).body, "sum");
  EXPECT_EQ(get(at_item(job, "a", "/files/" + sha256_hex("sum"))).status, 404U);
}

TEST_F(ResultRoutes, few_types_are_shown_and_all_others_are_downloads) {
  const auto type = [](std::string_view bytes, std::string_view name) {
    return std::string(type_of(bytes, false, name));
  };
  EXPECT_EQ(type("plain", "a"), "text/plain");
  EXPECT_EQ(type("", "empty"), "text/plain");
  EXPECT_EQ(type("{\"a\":1}", "a.json"), "application/json");
  EXPECT_EQ(type("{\"a\":1}", "a.txt"), "text/plain");
  EXPECT_EQ(type("<script>alert(1)</script>", "a.html"), "text/plain") << "shown as its source";
  EXPECT_EQ(type("<svg onload=alert(1)>", "a.svg"), "text/plain");
  EXPECT_EQ(type("%PDF-1.7\n\x01", "a.txt"), "application/pdf");
  EXPECT_EQ(type(" %PDF-1.7\n\x01", "a.pdf"), "application/octet-stream");
  EXPECT_EQ(type("\x89PNG\r\n\x1A\n\x00"s, "a.txt"), "image/png");
  EXPECT_EQ(type("\xFF\xD8\xFF\xE0", "a.png"), "image/jpeg");
  EXPECT_EQ(type("GIF89a\x01\x00"s, "a.gif"), "application/octet-stream");
  EXPECT_EQ(type("a\0b"s, "a.txt"), "application/octet-stream");
  EXPECT_EQ(type("\xFE\xFF", "a.txt"), "application/octet-stream") << "not UTF-8";
  EXPECT_EQ(type_of("abc\xC3", true, "a"), "text/plain") << "a character may be cut in the middle";
  EXPECT_EQ(type_of("abc\xC3", false, "a"), "application/octet-stream");
}

TEST_F(ResultRoutes, nothing_in_a_file_runs_in_a_browser) {
  const Answer text_file = fetch("<script>alert(1)</script>", "x.html");
  EXPECT_EQ(header(text_file, "Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(header(text_file, "X-Content-Type-Options"), "nosniff");
  EXPECT_THAT(header(text_file, "Content-Security-Policy"), HasSubstr("sandbox"));
  EXPECT_THAT(header(text_file, "Content-Security-Policy"), HasSubstr("default-src 'none'"));
  EXPECT_EQ(header(text_file, "Cache-Control"), "private, no-cache");
  const Answer binary = fetch("\x7F"s + "ELF\0\0"s, "x.html");
  EXPECT_EQ(header(binary, "Content-Type"), "application/octet-stream");
  EXPECT_THAT(header(binary, "Content-Disposition"), HasSubstr("attachment; "));
  const Answer pdf = fetch("%PDF-1.7\n\x01", "x.pdf");
  EXPECT_THAT(header(pdf, "Content-Security-Policy"), HasSubstr("frame-ancestors 'self'"));
}

TEST_F(ResultRoutes, hostile_names_stay_inside_their_header) {
  EXPECT_EQ(content_disposition("inline", "a b.md"),
            "inline; filename=\"a b.md\"; filename*=UTF-8''a%20b.md");
  EXPECT_EQ(content_disposition("inline", "ä.md"),
            "inline; filename=\"__.md\"; filename*=UTF-8''%C3%A4.md");
  for (const std::string& name : {"a\"; filename=\"evil.exe"s, "a\r\nSet-Cookie: x=1"s,
                                  "../../etc/passwd"s, "a\0b"s, "\xE2\x80\xAEgpj.exe"s, "%2e%2e"s,
                                  "\\\\host\\share"s, ""s, std::string(5'000, 'n'), "\xFF\xFE"s}) {
    const std::string value = content_disposition("attachment", name);
    EXPECT_EQ(value.find_first_of("\r\n\0/"s), std::string::npos) << value;
    EXPECT_EQ(std::ranges::count(value, '"'), 2) << value;
    EXPECT_LT(value.size(), 1'000U);
    EXPECT_TRUE(std::ranges::all_of(value, [](char c) { return c >= 0x20 && c < 0x7F; })) << value;
    EXPECT_EQ(value.find("%E2%80%AE"), std::string::npos) << "it would turn the name around";
  }
}

TEST_F(ResultRoutes, a_file_that_the_client_has_is_not_sent_again) {
  const std::string etag = "\"" + sha256_hex("hello") + "\"";
  const JobId job = job_with(items({"a"}), Json::object({{"file", kept("hello", "a.txt")}}));
  const std::string at = at_item(job, "a", "/files/" + sha256_hex("hello"));
  EXPECT_EQ(header(get(at), "ETag"), etag);
  for (const std::string& known : {etag, "W/" + etag, "\"x\", " + etag, "*"s}) {
    const Answer same = get(at, {{"If-None-Match", known}});
    EXPECT_EQ(same.status, 304U) << known;
    EXPECT_EQ(same.body, "");
  }
  EXPECT_EQ(get(at, {{"If-None-Match", "\"x\""}}).status, 200U);
}

TEST_F(ResultRoutes, a_viewer_may_ask_for_a_part_of_a_file) {
  const JobId job = job_with(items({"a"}), Json::object({{"file", kept("0123456789", "a.txt")}}));
  const std::string at = at_item(job, "a", "/files/" + sha256_hex("0123456789"));
  const auto part = [&](const std::string& range) { return get(at, {{"Range", range}}); };
  const Answer middle = part("bytes=2-4");
  EXPECT_EQ(middle.status, 206U);
  EXPECT_EQ(middle.body, "234");
  EXPECT_EQ(header(middle, "Content-Range"), "bytes 2-4/10");
  EXPECT_EQ(part("bytes=7-").body, "789");
  EXPECT_EQ(part("bytes=-3").body, "789");
  EXPECT_EQ(part("bytes=-99").body, "0123456789");
  EXPECT_EQ(part("bytes=8-99").body, "89");
  EXPECT_EQ(part("bytes=0-0").body, "0");
  for (const char* behind : {"bytes=10-", "bytes=10-12", "bytes=-0"}) {
    const Answer refused = part(behind);
    EXPECT_EQ(refused.status, 416U) << behind;
    EXPECT_EQ(header(refused, "Content-Range"), "bytes */10");
  }
  for (const char* ignored : {"bytes=4-2", "bytes=a-b", "bytes=", "bytes=-", "bytes=0-1,3-4",
                              "chars=0-1", "bytes=1", "bytes=99999999999999999999-"}) {
    const Answer whole = part(ignored);
    EXPECT_EQ(whole.status, 200U) << ignored;
    EXPECT_EQ(whole.body, "0123456789");
  }
  EXPECT_EQ(get(at, {{"Range", "bytes=0-1"}, {"If-Range", "\"other\""}}).status, 200U)
      << "the part that the client has is of another version";
}

TEST_F(ResultRoutes, a_large_file_is_sent_in_pieces_and_checked) {
  std::string bytes;
  while (bytes.size() < 3'000'000) bytes += std::to_string(bytes.size()) + "\n";
  EXPECT_TRUE(fetch(bytes, "a.txt").body == bytes);
  const ServedFile changed{
      .sha256 = sha256_hex("other"),
      .name = "a",
      .size = static_cast<std::int64_t>(bytes.size()),
      .read = [&](std::int64_t from, std::size_t most) {
        return Result<std::string>(bytes.substr(static_cast<std::size_t>(from), most));
      }};
  const Result<Response> response = file_response({.method = "GET", .target = "/"}, changed);
  ASSERT_TRUE(response.has_value());
  std::string sent;
  BodyStream::Piece piece;
  do {
    piece = response->stream->next();
    sent += piece.bytes;
  } while (piece.state == BodyStream::State::more);
  EXPECT_EQ(piece.state, BodyStream::State::cut) << "the client notices";
  EXPECT_LT(sent.size(), bytes.size());
  ServedFile small = changed;
  small.size = 10;
  const Result<Response> refused = file_response({.method = "GET", .target = "/"}, small);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
}

class ItemSource : public ResultRoutes {
 protected:
  /// A job with an item for each file of docs/, and a script that adoption compares.
  std::string submit_docs() {
    write("docs/a.md", "the source");
    write("run.sh", "true");
    flow("docs.yaml",
         "version: 1\nworkflow: docs\nitems: { glob: \"docs/*\" }\n"
         "stages: { s: { run: [sh, run.sh] } }\n");
    const Answer submitted =
        post("/api/v1/jobs", Json::object({{"workflow", "docs"}, {"new", true}}));
    EXPECT_EQ(submitted.status, 201U) << submitted.body;
    const auto all = store().records().items({.job = JobId{std::stoll(submitted.at("job"))}});
    return "/api/v1/items/" + std::to_string(all->front().id.value()) + "/source";
  }
};

TEST_F(ItemSource, the_file_of_an_item_is_served_while_it_is_unchanged) {
  const std::string at = submit_docs();
  const Answer served = get(at);
  ASSERT_EQ(served.status, 200U) << served.body;
  EXPECT_EQ(served.body, "the source");
  EXPECT_EQ(header(served, "ETag"), "\"" + sha256_hex("the source") + "\"");
  EXPECT_EQ(get(at, {{"Range", "bytes=4-"}}).body, "source");
  write("docs/a.md", "the sourcf");
  const Answer changed = get(at);
  EXPECT_EQ(changed.status, 409U);
  EXPECT_THAT(message(changed), HasSubstr("has changed"));
  std::filesystem::remove(flows() / "docs/a.md");
  EXPECT_EQ(get(at).status, 404U);
}

TEST_F(ItemSource, a_symbolic_link_in_its_place_is_refused_whatever_is_behind_it) {
  const std::string at = submit_docs();
  write("../outside.md", "the source");
  std::filesystem::remove(flows() / "docs/a.md");
  std::filesystem::create_symlink(folder_ / "outside.md", flows() / "docs/a.md");
  EXPECT_EQ(get(at).status, 409U) << "the bytes are the same, the place is not";
  std::filesystem::remove_all(flows() / "docs");
  write("../elsewhere/a.md", "the source");
  std::filesystem::create_directory_symlink(folder_ / "elsewhere", flows() / "docs");
  EXPECT_EQ(get(at).status, 409U);
}

TEST_F(ItemSource, an_item_that_was_not_made_of_a_file_has_none) {
  add_greeting();
  const JobId job{std::stoll(submit())};
  const auto all = store().records().items({.job = job});
  const Answer refused =
      get("/api/v1/items/" + std::to_string(all->front().id.value()) + "/source");
  EXPECT_EQ(refused.status, 409U);
  EXPECT_THAT(message(refused), HasSubstr("was not made of a file"));
}

TEST_F(ItemSource, a_path_that_leads_out_of_the_project_is_refused) {
  write("../outside.md", "the source");
  WorkflowBuilder build("letters");
  build.stage("write", never);
  for (const std::string& path :
       {"../outside.md"s, (folder_ / "outside.md").string(), "docs/../../outside.md"s, "."s, ""s}) {
    const JobId job = start(
        build,
        {{.key = "a",
          .category = {},
          .data = Json::object({{"path", path}}),
          .data_sha256 = sha256_hex("the source")}},
        {.labels = Json::object({{"project", flows().string()},
                                 {"items", Json::object({{"kind", "glob"}, {"source", "*"}})}})});
    const Answer refused = get(at_item(job, "a", "/source"));
    EXPECT_EQ(refused.status, 409U) << path << refused.body;
  }
}

}  // namespace
}  // namespace pawl::service
