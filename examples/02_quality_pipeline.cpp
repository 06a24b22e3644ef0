/// Eight documents through a pipeline that judges its own work.
///
/// Shows: gates that reject with criteria and guidance, stages that do better when told what was
/// wrong, bounded retries that escalate to a person, a final error that becomes a dead letter, a
/// stage that is a person, and a report over all documents. The pipeline itself is in
/// document_pipeline.cpp; read that first.
///
/// Run it: 02_quality_pipeline [STORE]      (without STORE: in a temporary folder)

#include <algorithm>
#include <cstdio>
#include <string>

#include "document_pipeline.hpp"
#include "document_report.hpp"
#include "lesson.hpp"
#include "pawl/pawl.hpp"

namespace {

using lesson::must;
using lesson::promise;

/// What a person types in where the machine had too little to work with.
constexpr const char* full_notice =
    "# Ferry Notice\n\n"
    "There is no ferry on Sunday because the Coast Guard holds an exercise between Pier Head and "
    "Ferry Slip. The Harbour Board regrets it. Tickets stay valid; the Harbour Office exchanges "
    "them until Tuesday.\n\n"
    "| Day | Ferry |\n|---|---|\n| Saturday | as usual |\n| Sunday | none |\n";

void quality_pipeline(const std::filesystem::path& path) {
  const pawl::Program pipeline = must(documents::document_pipeline(std::chrono::milliseconds(0)));
  const auto store = must(pawl::open_sqlite_store({.path = path}));
  const auto engine = must(pawl::Engine::create(store));
  pawl::Records& records = store->records();
  engine->serve(pipeline);
  engine->start();
  const pawl::JobId job = must(
      engine->submit(pipeline.workflow(), documents::documents_in(documents::shipped_documents())));

  // Everything that needs no person runs by itself.
  promise(pawl::waits_for_people(must(engine->wait(job))), "only people are left to ask");
  std::printf("Everything that needs no person is done:\n");
  documents::print_progress(records, job);

  std::printf("\norchard-survey.txt succeeded only after feedback:\n");
  const auto refined =
      documents::print_attempts_by_criterion(records, job, "orchard-survey.txt", "pdf_to_markdown");
  promise(refined.size() == 2, "it took two attempts");
  promise(refined[0].verdict == pawl::Verdict::rejected &&
              refined[0].feedback->summary == "2 criteria not met",
          "the gate rejected the first");
  promise(refined[1].verdict == pawl::Verdict::accepted &&
              refined[1].cause == pawl::Cause::gate_feedback,
          "and accepted the second, which knew why");

  std::printf("\nferry-notice.txt is too short, however often it is read:\n");
  const auto escalated =
      documents::print_attempts_by_criterion(records, job, "ferry-notice.txt", "pdf_to_markdown");
  promise(escalated.size() == 3, "three attempts are the budget");
  promise(escalated.back().decision.review_reason == pawl::ReviewReason::exhausted,
          "then a person is asked");

  std::printf("\nA person is asked:\n");
  const auto reviews = documents::print_open_reviews(records, job);
  promise(reviews.size() == 7, "one escalation and six final reviews wait");
  promise(documents::print_dead_letters(*store, job) == 1, "one document is a dead letter");

  // The person writes the missing text; it flows on as if the stage had made it.
  for (const pawl::Review& review : reviews) {
    if (review.reason != pawl::ReviewReason::exhausted) continue;
    (void)must(engine->answer(
        review.id,
        {.outcome = pawl::ReviewOutcome::approve_with_edits,
         .reviewer = "edith",
         .note = "asked the Harbour Board for the rest",
         .edits = pawl::Json::object({{"title", "Ferry Notice"}, {"markdown", full_notice}})}));
  }
  promise(pawl::waits_for_people(must(engine->wait(job))), "the edited document went on");

  // Now all final reviews are open, that of the edited document too.
  const auto last = must(records.reviews({.job = job, .status = pawl::ReviewStatus::open}));
  promise(last.size() == 7, "seven documents wait for the final review");
  for (const pawl::Review& review : last) {
    (void)must(engine->answer(review.id, {.reviewer = "edith"}));
  }
  const pawl::Job done = must(engine->wait(job));
  engine->stop();

  std::printf("\nAfter the reviews:\n");
  documents::print_results(records, job);
  const pawl::Json report = documents::corpus_report_of(records, job);
  std::printf("\ncorpus_report: %s\n", report.text().c_str());
  std::printf("\nDead letters:\n");
  promise(documents::print_dead_letters(*store, job) == 1, "the encrypted one is still there");
  promise(done.items.succeeded == 7 && done.items.failed == 1, "seven of eight are through");
  promise(pawl::elements(pawl::field(report, "published")).size() == 7, "the report has them");
}

}  // namespace

int main(int argc, char** argv) { return lesson::run(argc, argv, quality_pipeline); }
