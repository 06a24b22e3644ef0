/// A person between two stages: what each of the four answers does.
///
/// Shows: a stage whose output always waits for a person; approve, approve with edits that flow
/// downstream, request changes (the note becomes the feedback of the next attempt), reject; and
/// that of two answers to one question the second is told that it came too late.
///
/// Run it: 03_review_with_edits [STORE]      (without STORE: in a temporary folder)

#include <cstdio>
#include <string>

#include "lesson.hpp"
#include "pawl/pawl.hpp"

namespace {

using lesson::must;
using lesson::promise;

std::string text_of(const pawl::Json& object, const char* field) {
  return pawl::JsonView(object)[field].string().value_or("");
}

/// Drafts a letter. Asked for changes, it finds the reviewer's note in its feedback.
pawl::Outcome draft(pawl::Context& context, std::stop_token) {
  std::string body = "Dear " + context.item_key() + ", your order has shipped.";
  if (context.feedback()) body += " (P.S. " + context.feedback()->summary + ")";
  return pawl::Output{.json = pawl::Json::object({{"to", context.item_key()}, {"body", body}}),
                      .summary = body};
}

/// Sends whatever was approved: the draft, or what the reviewer made of it.
pawl::Outcome send(pawl::Context& context, std::stop_token) {
  const auto letter = context.upstream("draft");
  if (!letter) return pawl::final_error(letter.error().text());
  return pawl::Output{.json = pawl::Json::object(
                          {{"sent", text_of(letter->json, "body")}, {"edited", letter->edited}})};
}

/// The open question about one item's draft.
pawl::Review question_about(pawl::Records& records, pawl::JobId job, const std::string& key) {
  const pawl::Item item = must(records.item(job, key));
  for (const pawl::Review& review :
       must(records.reviews({.job = job, .status = pawl::ReviewStatus::open}))) {
    if (review.item == item.id) return review;
  }
  throw lesson::NotAsPromised("no open review for " + key);
}

pawl::StageOutput sent_to(pawl::Records& records, const pawl::Workflow& workflow, pawl::JobId job,
                          const std::string& key) {
  const pawl::Item item = must(records.item(job, key));
  return must(records.output(pawl::task_id(item.id, must(workflow.require_stage("send")))));
}

void review_with_edits(const std::filesystem::path& path) {
  pawl::WorkflowBuilder build("letters");
  build.stage("draft", draft)
      .retry({.max_attempts = 3})
      .review(pawl::ReviewPolicy::always)
      .editable({"body"});  // the address is not the reviewer's to change
  build.stage("send", send).needs("draft");
  const pawl::Program letters = must(build.build());

  const auto store = must(pawl::open_sqlite_store({.path = path}));
  const auto engine = must(pawl::Engine::create(store));
  pawl::Records& records = store->records();
  engine->serve(letters);
  engine->start();
  const pawl::JobId job = must(engine->submit(
      letters.workflow(), {{.key = "Ada"}, {.key = "Ben"}, {.key = "Cleo"}, {.key = "Dov"}}));

  // `wait` returns when only people can bring the job on.
  promise(pawl::waits_for_people(must(engine->wait(job))), "four drafts wait for a person");
  for (const pawl::Review& review : must(records.reviews({.job = job}))) {
    const pawl::Item item = must(records.item(review.item));
    std::printf("review %lld  %-5s  %s\n", static_cast<long long>(review.id.value()),
                item.key.c_str(), must(records.attempts(review.task)).back().summary.c_str());
  }

  // Approve. The digest binds the answer to what was on the screen.
  const pawl::Review ada = question_about(records, job, "Ada");
  (void)must(engine->answer(ada.id, {.reviewer = "grace", .digest = ada.digest}));
  std::printf("\nAda:  grace approves\n");

  // A colleague answers the same question a moment later: one wins, the other is told.
  const auto late = engine->answer(
      ada.id, {.outcome = pawl::ReviewOutcome::reject, .reviewer = "linus", .note = "typo"});
  promise(!late && late.error().code == pawl::ErrorCode::conflict, "the second answer is told");
  std::printf("Ada:  linus rejects, and is told: %s\n", late.error().text().c_str());

  // Approve with edits: the edits replace the output downstream; the original stays recorded.
  const pawl::Review ben = question_about(records, job, "Ben");
  const auto forbidden =
      engine->answer(ben.id, {.outcome = pawl::ReviewOutcome::approve_with_edits,
                              .reviewer = "grace",
                              .edits = pawl::Json::object({{"to", "Zoe"}, {"body", "Dear Zoe"}})});
  promise(!forbidden, "the address may not be edited");
  std::printf("Ben:  grace edits the address: %s\n", forbidden.error().text().c_str());
  (void)must(engine->answer(
      ben.id,
      {.outcome = pawl::ReviewOutcome::approve_with_edits,
       .reviewer = "grace",
       .note = "warmer",
       .edits = pawl::Json::object({{"to", "Ben"}, {"body", "Hello Ben, it is on its way!"}})}));
  std::printf("Ben:  grace approves with an edited body\n");

  // Request changes: the stage runs again and finds the note in its feedback.
  const pawl::Review cleo = question_about(records, job, "Cleo");
  (void)must(engine->answer(cleo.id, {.outcome = pawl::ReviewOutcome::request_changes,
                                      .reviewer = "grace",
                                      .note = "mention the tracking number 4711"}));
  std::printf("Cleo: grace requests changes\n");

  // Reject: the task has failed, and is a dead letter until somebody deals with it.
  const pawl::Review dov = question_about(records, job, "Dov");
  (void)must(engine->answer(dov.id, {.outcome = pawl::ReviewOutcome::reject,
                                     .reviewer = "grace",
                                     .note = "Dov has cancelled the order"}));
  std::printf("Dov:  grace rejects\n");

  // Cleo's second draft asks again; the first question is closed and its attempt is still there.
  promise(pawl::waits_for_people(must(engine->wait(job))), "Cleo's second draft waits");
  const pawl::Review again = question_about(records, job, "Cleo");
  promise(again.attempt == 2, "the new question is about attempt 2");
  (void)must(engine->answer(again.id, {.reviewer = "grace"}));
  std::printf("Cleo: grace approves attempt %u\n\n", again.attempt);

  const pawl::Job done = must(engine->wait(job));
  engine->stop();

  for (const char* key : {"Ada", "Ben", "Cleo"}) {
    const pawl::StageOutput sent = sent_to(records, letters.workflow(), job, key);
    std::printf("sent to %-5s %s\n", key, text_of(sent.output, "sent").c_str());
  }
  std::printf("job: %s, %lld sent, %lld dead letter\n",
              std::string(pawl::name_of(pawl::state_of(done))).c_str(),
              static_cast<long long>(done.items.succeeded),
              static_cast<long long>(done.dead_letters));

  const auto sent = [&](const char* key) {
    return text_of(sent_to(records, letters.workflow(), job, key).output, "sent");
  };
  promise(sent("Ada") == "Dear Ada, your order has shipped.", "Ada got the draft");
  promise(sent("Ben") == "Hello Ben, it is on its way!", "Ben got the edits");
  promise(sent("Cleo").ends_with("(P.S. mention the tracking number 4711)"),
          "Cleo's note reached the stage");
  promise(done.items.succeeded == 3 && done.dead_letters == 1, "Dov's letter was never sent");
  promise(text_of(must(records.attempts(ben.task)).back().output, "body").starts_with("Dear Ben"),
          "the original draft stays in the attempt");
}

}  // namespace

int main(int argc, char** argv) { return lesson::run(argc, argv, review_with_edits); }
