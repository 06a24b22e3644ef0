/// I18: an imported job neither runs nor is adopted from until it is accepted, by an operator or by
/// the key that signed it.

#include <gmock/gmock.h>

#include "contract/records_decorator.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/store/arrival.hpp"
#include "transfer/busy_job.hpp"
#include "transfer/mortal_store.hpp"
#include "transfer/story.hpp"

namespace pawl::driving {
namespace {

using testing::HasSubstr;

// Keys for these tests only.
constexpr const char* private_key =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIGpUvJfGBJk/NHDBNjXwiGG88kdIRq+OAGo6EuyKgVZO\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* public_key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAIwH1R+66KT32cs49moSvqk6KwHTccz8p1VIQUKClSsQ=\n"
    "-----END PUBLIC KEY-----\n";
/// As printed by `openssl pkey -pubin -outform DER | sha256sum`.
constexpr const char* fingerprint =
    "SHA256:bca695a350dc2c1d45d6e9f4f71975d462fc76850a58beef033ff493f000f3bb";
constexpr const char* private_key_of_another =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEICKpGE9sj7E03J9nA5teBfux5fuH16AkmzyZJZnTPeCC\n"
    "-----END PRIVATE KEY-----\n";

Workflow plain() { return workflow("plain", {stage("a"), stage("b", {"a"})}); }

/// The number of adopted items.
std::int64_t submit_adopting(Drive& drive, std::vector<std::string> keys) {
  const Job job = *drive.store().create_job({.workflow = plain()});
  std::vector<NewItem> items;
  for (const std::string& key : keys) {
    items.push_back({.key = key, .data = Json(key), .data_sha256 = "d" + key});
  }
  return drive.store()
      .add_items({.job = job.id, .items = items, .adopt = true, .close = true})
      ->adopted;
}

class TrustInImports : public testing::TestWithParam<StoreKind> {
 protected:
  void TearDown() override { to.expect_sound(); }

  /// A paused job with work for workers and for reviewers.
  JobId waiting_job() {
    const JobId job = busy_job(from);
    EXPECT_TRUE(from.act(ResumeJob{job}));
    EXPECT_TRUE(from.act(Rerun{.task = from.task_of(job, "dead")}));
    EXPECT_TRUE(from.act(PauseJob{job}));
    return job;
  }
  JobId finished_job() {
    (void)submit_adopting(from, {"x", "y"});
    from.work(
        [](const Claimed& claimed) { return Work{.closed = succeeded(Json(claimed.item_key))}; });
    return from.records().jobs({})->front().id;
  }
  std::vector<EventType> trust_events(JobId job) {
    std::vector<EventType> types;
    const Result<std::vector<Event>> events = to.records().events({.job = job, .limit = 10'000});
    for (const Event& event : *events) {
      if (event.type == EventType::job_imported || event.type == EventType::job_trusted) {
        types.push_back(event.type);
      }
    }
    return types;
  }
  static void expect_violation(Records& records, std::string_view part) {
    const Verification found = *verify(records);
    const bool is_there = std::ranges::any_of(found.violations, [&](const Violation& one) {
      return one.invariant == "I18" && one.message.contains(part);
    });
    EXPECT_TRUE(is_there) << part;
  }

  Drive from{store_kinds()[0]};
  Drive to{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Stores, TrustInImports, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(TrustInImports, nothing_of_an_untrusted_job_runs_until_it_is_accepted) {
  const Imported here = imported(to.store(), exported(from.records(), waiting_job()), wary());
  const JobId job = here.job.id;
  EXPECT_EQ(here.job.trust, Trust::untrusted);
  EXPECT_EQ(here.signed_by, "");
  EXPECT_EQ(trust_events(job), std::vector{EventType::job_imported});

  const ReviewId review = review_of(to, job, "asked").id;
  const Timestamp later = to.clock().now() + 1h;
  for (const Act& act : std::vector<Act>{
           ResumeJob{job}, ReviveJob{job, {}}, SetBudget{job, {}}, ReopenSubmission{job},
           Rerun{.task = to.task_of(job, "rejected", 1)}, AnswerReview{review, {.reviewer = "eve"}},
           ClaimReview{review, "eve", later}}) {
    const Result<Job> done = to.act(act);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::refused);
    EXPECT_THAT(done.error().text(), HasSubstr("was imported and is not trusted yet"));
    EXPECT_THAT(done.error().text(), HasSubstr("pawl job trust " + std::to_string(job.value())));
  }
  const std::vector<NewItem> items{{.key = "new"}};
  EXPECT_FALSE(to.store().add_items({.job = job, .items = items}));

  // Time changes waiting rows, but opens nothing.
  to.clock().advance(48h);
  EXPECT_TRUE(to.store().renew(to.worker()));
  const Swept swept = *to.store().sweep({.self = to.worker()});
  EXPECT_GT(swept.woken + swept.answered, 0);
  EXPECT_EQ(to.claim().size(), 0U);
  EXPECT_EQ(to.job(job).attempts_open, 0);
  EXPECT_EQ(to.job(job).attempts_opened, here.job.attempts_opened);
  to.expect_sound();

  const Result<Job> trusted = to.act(TrustJob{job, "eve"});
  ASSERT_TRUE(trusted) << trusted.error().text();
  EXPECT_EQ(trusted->trust, Trust::accepted);
  EXPECT_EQ(to.job(job).trusted_by, "eve");
  EXPECT_EQ(to.job(job).trusted_at, to.store().now());
  EXPECT_EQ(trust_events(job), (std::vector{EventType::job_imported, EventType::job_trusted}));
  EXPECT_EQ(to.claim().size(), 0U) << "it is still paused";
  EXPECT_TRUE(to.act(TrustJob{job, "bob"})) << "a second time changes nothing";
  EXPECT_EQ(to.job(job).trusted_by, "eve");
  finish(to, job);
  EXPECT_TRUE(to.job(job).has_ended());
}

TEST_P(TrustInImports, what_ends_or_deletes_is_allowed_before) {
  const std::string file = exported(from.records(), waiting_job());
  const JobId job = imported(to.store(), file, wary()).job.id;
  EXPECT_TRUE(to.act(PauseJob{job}));
  EXPECT_TRUE(to.act(CancelItem{to.item(job, "asked").id}));
  EXPECT_TRUE(to.act(DiscardDeadLetter{to.task_of(job, "rejected", 1), "enough", "eve"}));
  EXPECT_TRUE(to.act(CancelJob{job}));
  EXPECT_EQ(state_of(to.job(job)), JobState::cancelled);
}

TEST_P(TrustInImports, an_own_job_needs_none_and_an_act_needs_a_name) {
  const JobId own = to.submit(plain(), {"x"});
  const Result<Job> refused = to.act(TrustJob{own, "eve"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("was submitted here"));
  const JobId job = imported(to.store(), exported(from.records(), waiting_job()), wary()).job.id;
  EXPECT_EQ(to.act(TrustJob{job, ""}).error().code, ErrorCode::invalid);
  EXPECT_EQ(to.act(TrustJob{JobId{77}, "eve"}).error().code, ErrorCode::not_found);
}

TEST_P(TrustInImports, an_ended_job_is_not_run_again_before_it_is_accepted) {
  const JobId job = imported(to.store(), exported(from.records(), finished_job()), wary()).job.id;
  EXPECT_FALSE(to.act(Rerun{.task = to.task_of(job, "x")}));
  EXPECT_TRUE(to.job(job).has_ended());
  EXPECT_TRUE(to.act(TrustJob{job, "eve"}));
  EXPECT_TRUE(to.act(Rerun{.task = to.task_of(job, "x")}));
  EXPECT_EQ(to.claim().size(), 1U);
}

TEST_P(TrustInImports, nothing_is_adopted_from_an_untrusted_job) {
  const JobId job = imported(to.store(), exported(from.records(), finished_job()), wary()).job.id;
  EXPECT_EQ(submit_adopting(to, {"x", "y"}), 0);
  EXPECT_TRUE(to.act(TrustJob{job, "eve"}));
  EXPECT_EQ(submit_adopting(to, {"x", "y"}), 2) << "accepted, it is as if it had run here";
}

TEST_P(TrustInImports, an_older_job_of_ones_own_is_adopted_from_behind_an_untrusted_one) {
  (void)submit_adopting(to, {"x"});
  to.work(always(succeeded(Json("mine"))));
  (void)imported(to.store(), exported(from.records(), finished_job()), wary());
  ASSERT_EQ(submit_adopting(to, {"x", "y"}), 1);
  const JobId newest = to.records().jobs({})->front().id;
  EXPECT_EQ(to.records().outputs(to.item(newest, "x").id)->front().output, Json("mine"));
}

TEST_P(TrustInImports, nothing_is_adopted_from_a_half_import) {
  const std::string file = exported(from.records(), finished_job());
  MortalStore store(to.store());
  store.lives = 1'000'000;
  {
    Drive whole(GetParam());
    MortalStore counting(whole.store());
    counting.lives = 1'000'000;
    (void)imported(counting, file, wary());
    store.lives = 1'000'000 - counting.lives - 1;
  }
  ASSERT_FALSE(import_text(store, file, trusting()));
  EXPECT_EQ(submit_adopting(to, {"x", "y"}), 0);
}

TEST_P(TrustInImports, what_items_were_adopted_from_is_accepted_with_their_job) {
  (void)finished_job();
  ASSERT_EQ(submit_adopting(from, {"x", "z"}), 1);
  const JobId old = from.records().jobs({})->front().id;
  EXPECT_TRUE(from.act(PauseJob{old}));
  const Imported here = imported(to.store(), exported(from.records(), old), wary());
  ASSERT_TRUE(here.originals);
  EXPECT_EQ(to.job(here.originals).trust, Trust::untrusted);
  EXPECT_EQ(submit_adopting(to, {"x"}), 0);
  EXPECT_TRUE(to.act(TrustJob{here.job.id, "eve"}));
  EXPECT_EQ(to.job(here.originals).trust, Trust::accepted);
  EXPECT_EQ(submit_adopting(to, {"x"}), 1);
}

TEST_P(TrustInImports, a_signature_by_a_trusted_key_accepts_the_job) {
  std::ostringstream out;
  const Result<Exported> done =
      export_job(from.records(), waiting_job(), out, {.signing_key = private_key});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->signed_by, fingerprint);
  const Imported here =
      imported(to.store(), out.str(), {.records_per_chunk = 5, .trusted_keys = {public_key}});
  EXPECT_EQ(here.signed_by, fingerprint);
  EXPECT_EQ(here.job.trust, Trust::accepted);
  EXPECT_EQ(here.job.trusted_by, std::string("key ") + fingerprint);
  EXPECT_EQ(trust_events(here.job.id),
            (std::vector{EventType::job_imported, EventType::job_trusted}));
  EXPECT_TRUE(to.act(ResumeJob{here.job.id}));
  EXPECT_GT(to.claim().size(), 0U);
}

TEST_P(TrustInImports, a_signature_by_an_unknown_key_is_reported_and_accepts_nothing) {
  const JobId job = waiting_job();
  const std::string file =
      exported(from.records(), job, {.page = 7, .signing_key = private_key_of_another});
  const Imported here =
      imported(to.store(), file, {.records_per_chunk = 5, .trusted_keys = {public_key}});
  EXPECT_EQ(here.job.trust, Trust::untrusted);
  EXPECT_THAT(here.signed_by, HasSubstr("SHA256:"));
  EXPECT_NE(here.signed_by, fingerprint);
}

TEST_P(TrustInImports, a_bad_signature_is_refused_and_nothing_is_written) {
  const std::string file =
      exported(from.records(), waiting_job(), {.page = 7, .signing_key = private_key});
  const auto refusal = [&](const std::string& text) {
    const Result<Imported> taken =
        import_text(to.store(), text, {.records_per_chunk = 5, .trusted_keys = {public_key}});
    EXPECT_FALSE(taken);
    EXPECT_EQ(to.records().jobs({})->size(), 0U);
    return taken ? std::string() : taken.error().text();
  };
  const std::size_t signature = file.rfind("{\"signature\":");
  ASSERT_NE(signature, std::string::npos);
  // An edited file with a recomputed digest.
  std::string edited = file;
  const std::size_t key = edited.find("\"key\":\"asked\"");
  ASSERT_NE(key, std::string::npos);
  edited.replace(key, 13, "\"key\":\"bskee\"");
  const std::size_t last = edited.rfind("{\"end\":");
  edited.replace(edited.rfind("\"sha256\":\"") + 10, 64,
                 sha256_hex(std::string_view(edited).substr(0, last)));
  EXPECT_THAT(refusal(edited), HasSubstr("the signature does not match this export"));
  // A signature that was cut off or belongs to another file.
  EXPECT_THAT(refusal(file.substr(0, signature)), HasSubstr("its signature is missing"));
  EXPECT_NE(refusal(file + file.substr(signature)), "");
  std::string flipped = file;
  const std::size_t value = flipped.rfind("\"value\":\"") + 9;
  flipped[value] = flipped[value] == 'A' ? 'B' : 'A';
  EXPECT_THAT(refusal(flipped), HasSubstr("the signature does not match this export"));
}

TEST_P(TrustInImports, bad_keys_are_refused_before_anything_is_written) {
  const JobId job = waiting_job();
  std::ostringstream out;
  for (const char* key : {"no key", public_key}) {
    const Result<Exported> refused = export_job(from.records(), job, out, {.signing_key = key});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
    EXPECT_THAT(refused.error().text(), HasSubstr("openssl genpkey -algorithm ed25519"));
  }
  EXPECT_EQ(out.str(), "");
  EXPECT_FALSE(
      import_text(to.store(), exported(from.records(), job), {.trusted_keys = {private_key}}));
  EXPECT_EQ(to.records().jobs({})->size(), 0U);
  EXPECT_EQ(*key_fingerprint(public_key), fingerprint);
  EXPECT_EQ(*key_fingerprint(private_key), fingerprint);
  EXPECT_FALSE(key_fingerprint("no key"));
}

TEST_P(TrustInImports, an_untrusted_job_is_exported_but_not_signed) {
  const JobId job = imported(to.store(), exported(from.records(), waiting_job()), wary()).job.id;
  std::ostringstream out;
  const Result<Exported> refused = export_job(to.records(), job, out, {.signing_key = private_key});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("pawl job trust"));
  // Trust is not exported: the next store asks again.
  EXPECT_TRUE(to.act(TrustJob{job, "eve"}));
  Drive next(GetParam());
  const Imported there = imported(next.store(), exported(to.records(), job), wary());
  EXPECT_EQ(there.job.trust, Trust::untrusted);
  next.expect_sound();
}

TEST_P(TrustInImports, labels_that_claim_an_arrival_are_not_believed) {
  NewJob about{.workflow = busy_workflow()};
  about.labels = Json::object(
      {{"pawl.abandoned", Json::object({})}, {"pawl.arriving", Json::object({})}, {"mine", 1}});
  const JobId job = imported(to.store(), exported(from.records(), busy_job(from, about))).job.id;
  EXPECT_FALSE(is_arriving(to.job(job)));
  EXPECT_EQ(field(to.job(job).labels, "mine").json(), Json(1));
  EXPECT_FALSE(JsonView(to.job(job).labels)["pawl.abandoned"].exists());
  EXPECT_TRUE(to.act(ResumeJob{job}));
}

TEST_P(TrustInImports, verify_finds_an_attempt_that_opened_before_the_job_was_accepted) {
  const JobId job = imported(to.store(), exported(from.records(), waiting_job()), wary()).job.id;
  EXPECT_TRUE(to.act(TrustJob{job, "eve"}));
  EXPECT_TRUE(to.act(ResumeJob{job}));
  EXPECT_GT(to.work_once(busy_work), 0);
  to.expect_sound();
  RecordsDecorator never(to.records());
  never.drop_event = [](const Event& event) { return event.type == EventType::job_trusted; };
  expect_violation(never, "was imported and before it was accepted");
  expect_violation(never, "is trusted by its row, and the log does not say");
}

TEST_P(TrustInImports, verify_finds_work_under_way_in_an_untrusted_job) {
  const JobId job = imported(to.store(), exported(from.records(), waiting_job())).job.id;
  EXPECT_TRUE(to.act(ResumeJob{job}));
  const std::vector<Claimed> held = to.claim();
  ASSERT_GT(held.size(), 0U);
  RecordsDecorator untrusted(to.records());
  untrusted.alter_job = [&](Job& row) {
    if (row.id == job) row.trust = Trust::untrusted;
  };
  expect_violation(untrusted, "is untrusted, and has");
  for (const Claimed& one : held) to.close(one, succeeded());
}

TEST_P(TrustInImports, verify_finds_an_adoption_from_an_untrusted_job) {
  const JobId job = imported(to.store(), exported(from.records(), finished_job())).job.id;
  ASSERT_EQ(submit_adopting(to, {"x"}), 1);
  to.expect_sound();
  RecordsDecorator untrusted(to.records());
  untrusted.alter_job = [&](Job& row) {
    if (row.id == job) row.trust = Trust::untrusted;
  };
  expect_violation(untrusted, "item 'x' was adopted from job 1, which was imported");
}

}  // namespace
}  // namespace pawl::driving
