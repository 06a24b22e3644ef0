// What records refer to, and what is reserved.

#include "contract/verified_store.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/invariants.hpp"
#include "pawl/store/results.hpp"

namespace pawl {
namespace {

using namespace verifying;  // NOLINT(google-build-using-namespace): a test of these

class VerifyPayloads : public VerifiedStore {
 protected:
  std::string keep(std::string_view bytes) {
    const Result<std::string> sha256 = drive.store().keep_payload(bytes);
    EXPECT_TRUE(sha256) << (sha256 ? "" : sha256.error().text());
    return *sha256;
  }
  static Json file(const std::string& sha256) {
    return Json::object({{"$file", "sha256:" + sha256}, {"name", "a.txt"}});
  }
  /// A job with one item and this output.
  JobId job_with(const Json& output, std::vector<ArtifactRecord> artifacts = {}) {
    Attempt done = succeeded(output);
    done.artifacts = std::move(artifacts);
    const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
    drive.work(always(done));
    return job;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, VerifyPayloads, testing::ValuesIn(driving::store_kinds()),
                         driving::name_of_kind);

// I13
TEST_P(VerifyPayloads, reads_each_payload_that_records_name_once) {
  const std::string inner = keep("a file inside a large output");
  const std::string large =
      Json::object({{"text", std::string(3'000'000, 'x')}, {"file", file(inner)}}).text();
  const std::string outer = keep(large);
  const std::string log = keep("a log");
  const Json output = payload_reference(outer, large.size());
  job_with(output, {{.name = "log", .reference = "sha256:" + log}});
  job_with(output);
  job_with(Json::object({{"deep", Json::array(std::vector<Json>{file(log)})}}));
  expect_clean();
  const Verification found = verified(drive.records());
  EXPECT_EQ(found.payloads, 3);
  EXPECT_EQ(found.payload_bytes, static_cast<std::int64_t>(large.size()) + 28 + 5);
  const Verification quick =
      verified(drive.records(), {.payloads = VerifyOptions::Payloads::present});
  EXPECT_TRUE(quick.ok()) << told(quick);
  EXPECT_EQ(quick.payloads, 2);  // without reading their bytes
  EXPECT_EQ(quick.payload_bytes, 0);
}

// I13
TEST_P(VerifyPayloads, finds_payloads_that_are_gone_changed_or_of_another_length) {
  const std::string missing = sha256_hex("never kept");
  job_with(payload_reference(missing, 10));
  RecordsDecorator as_it_is(drive.records());
  expect_only(as_it_is, "I13",
              "attempt 1 of task 65536 names the payload " + missing + ", which is not there");
  const Verification quick =
      verified(drive.records(), {.payloads = VerifyOptions::Payloads::present});
  EXPECT_EQ(quick.violation_count, 1) << told(quick);
  EXPECT_EQ(quick.violations[0].invariant, "I13");
  EXPECT_TRUE(verified(drive.records(), {.payloads = VerifyOptions::Payloads::ignored}).ok());
}

// I13
TEST_P(VerifyPayloads, finds_payloads_whose_bytes_have_changed) {
  const std::string sha256 = keep("as it was");
  job_with(payload_reference(sha256, 9));
  expect_clean();
  RecordsDecorator changed(drive.records());
  changed.alter_payload = [](std::string& bytes) { bytes[0] = 'A'; };
  expect_only(changed, "I13", "whose bytes are others");
  RecordsDecorator cut(drive.records());
  cut.alter_payload_size = [](std::int64_t& size) { --size; };
  const Verification quick = verified(cut, {.payloads = VerifyOptions::Payloads::present});
  ASSERT_EQ(quick.violation_count, 1) << told(quick);
  EXPECT_THAT(quick.violations[0].message, testing::HasSubstr("with 9 bytes, where 8 are there"));
}

// I13
TEST_P(VerifyPayloads, finds_files_and_artifacts_that_are_gone) {
  const std::string missing = sha256_hex("never kept");
  job_with(Json::object({{"scan", file(missing)}}));
  RecordsDecorator as_it_is(drive.records());
  expect_only(as_it_is, "I13", "attempt 1 of task 65536 names the payload");
  job_with(Json(1), {{.name = "log", .reference = "sha256:" + missing}});
  expect_only(as_it_is, "I13", "attempt 1 of task 131072 names the payload");
  const std::string outer_text = Json::object({{"scan", file(sha256_hex("nor this"))}}).text();
  job_with(payload_reference(keep(outer_text), outer_text.size()));
  expect_only(as_it_is, "I13", "attempt 1 of task 196608 names the payload");
}

// I13
TEST_P(VerifyPayloads, finds_edits_that_name_what_is_gone) {
  StageDefinition reviewed = stage("a");
  reviewed.review = ReviewPolicy::always;
  const JobId job = drive.submit(workflow("w", {reviewed}), {"x"});
  drive.work(always(succeeded()));
  const Review open = drive.records().reviews({.job = job})->front();
  Answer answer{.outcome = ReviewOutcome::approve_with_edits, .reviewer = "eve"};
  answer.edits = Json::object({{"scan", file(sha256_hex("never kept"))}});
  ASSERT_TRUE(drive.act(AnswerReview{open.id, answer}));
  RecordsDecorator as_it_is(drive.records());
  expect_only(as_it_is, "I13", "review 1 names the payload");
}

// I14
TEST_P(VerifyPayloads, finds_pools_that_are_fuller_or_emptier_than_what_runs) {
  StageDefinition limited = stage("a");
  limited.limits.parallel = 2;
  limited.limits.pool = "gpu";
  drive.submit(workflow("w", {limited}), {"x", "y", "z"});
  const std::vector<Claimed> running = drive.claim(2);
  ASSERT_EQ(running.size(), 2U);
  expect_clean();
  EXPECT_EQ(verified(drive.records()).pools, 1);
  RecordsDecorator fuller(drive.records());
  fuller.alter_pools = [](std::vector<PoolUse>& pools) { ++pools[0].open; };
  expect_only(fuller, "I14", "pool 'gpu' counts 3 open attempts, the rows are 2");
  RecordsDecorator gone(drive.records());
  gone.alter_pools = [](std::vector<PoolUse>& pools) { pools.clear(); };
  expect_only(gone, "I14", "pool 'gpu' counts 0 open attempts, the rows are 2");
  for (const Claimed& one : running) drive.close(one, succeeded());
  drive.work(always(succeeded()));
  expect_clean();
  // If nothing runs, nothing is reserved.
  expect_only(fuller, "I14", "pool 'gpu' counts 1 open attempts, the rows are 0");
}

TEST_P(VerifyPayloads, pools_are_not_judged_while_work_goes_on) {
  StageDefinition limited = stage("a");
  limited.limits.parallel = 2;
  limited.limits.pool = "gpu";
  drive.submit(workflow("w", {limited}), {"1", "2", "3", "4", "5", "6", "7", "8"});
  RecordsDecorator busy(drive.records());
  busy.alter_pools = [&](std::vector<PoolUse>&) { drive.work_once(always(succeeded())); };
  const Verification found = verified(busy);
  EXPECT_TRUE(found.ok()) << told(found);
  EXPECT_TRUE(found.pools_not_judged);
}

TEST(Invariants, are_named_once_and_found_by_their_name) {
  std::string names;
  for (const Invariant& one : invariants()) {
    names += std::string(one.id) + " ";
    EXPECT_EQ(find_invariant(one.id), &one);
    for (const std::string_view text : {one.promise, one.checked, one.meaning, one.way_out}) {
      EXPECT_TRUE(text.ends_with(".")) << text;
    }
  }
  EXPECT_EQ(names, "I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 I13 I14 I15 I16 I17 I18 I19 log database ");
  EXPECT_EQ(find_invariant("i6")->id, "I6");
  EXPECT_EQ(find_invariant("I99"), nullptr);
}

}  // namespace
}  // namespace pawl
