#include "store/ledger/ledger_store.hpp"

#include <algorithm>
#include <utility>

#include "pawl/core/text.hpp"
#include "pawl/store/edits.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/results.hpp"
#include "store/no_such.hpp"

namespace pawl::store {

/// One transaction around one verb of the ledger.
template <class Answer, class Verb>
Result<Answer> LedgerStore::write(const Expected& expected, Verb verb) {
  std::optional<Result<Answer>> answer;
  const Status written = transact(expected, [&](Rows& rows, Timestamp now) -> Status {
    Ledger ledger(rows, now);
    answer.emplace(verb(ledger));
    if (!*answer) return std::unexpected(answer->error());
    return {};
  });
  if (!written) return std::unexpected(written.error());
  return *std::move(answer);
}

Result<WorkerId> LedgerStore::enlist(const WorkerHello& hello) {
  WorkerId enlisted;
  const Status written = transact({}, [&](Rows& rows, Timestamp now) -> Status {
    enlisted = rows.insert_worker({.host = hello.host,
                                   .pid = hello.pid,
                                   .name = hello.name,
                                   .started_at = now,
                                   .lease_until = now + hello.lease,
                                   .limits = hello.limits});
    return {};
  });
  if (!written) return std::unexpected(written.error());
  return enlisted;
}

Status LedgerStore::note_limits(WorkerId worker, const WorkerLimits& limits) {
  return transact({}, [&](Rows& rows, Timestamp) -> Status {
    if (!rows.put_limits(worker, limits)) return no_such(worker);
    return {};
  });
}

Status LedgerStore::retire(WorkerId worker) {
  return transact({}, [&](Rows& rows, Timestamp) -> Status {
    if (!rows.retire_worker(worker)) return no_such(worker);
    return {};
  });
}

Result<Job> LedgerStore::create_job(const NewJob& job) {
  return write<Job>({}, [&](Ledger& ledger) { return ledger.create_job(job); });
}

Result<Added> LedgerStore::add_items(const AddItems& chunk) {
  return write<Added>(&chunk, [&](Ledger& ledger) { return ledger.add_items(chunk); });
}

Result<Submitted> LedgerStore::submit(const NewJob& job, const AddItems& items) {
  return write<Submitted>(&items, [&](Ledger& ledger) { return ledger.submit(job, items); });
}

Result<Claims> LedgerStore::claim(const ClaimRequest& request) {
  return write<Claims>(&request, [&](Ledger& ledger) { return ledger.claim(request); });
}

Result<Committed> LedgerStore::commit(WorkerId worker, BatchNumber batch,
                                      std::span<const Step> steps, const Refill& refill) {
  const StepBatch expected{.worker = worker, .number = batch, .steps = steps, .refill = &refill};
  return write<Committed>(
      &expected, [&](Ledger& ledger) { return ledger.commit(worker, batch, steps, refill); });
}

Result<std::optional<Swept>> LedgerStore::idle_sweep(const SweepRequest&) { return std::nullopt; }

Result<Swept> LedgerStore::sweep(const SweepRequest& request) {
  const Result<std::optional<Swept>> idle = idle_sweep(request);
  if (!idle) return std::unexpected(idle.error());
  if (*idle) return **idle;
  return write<Swept>({}, [&](Ledger& ledger) { return Result<Swept>(ledger.sweep(request)); });
}

/// Edits of an output that is kept as a payload are checked here: its bytes are not read inside of
/// a transaction. What is not there is reported by the act itself.
Status LedgerStore::check_large_edits(const Act& act) {
  const auto* answered = std::get_if<AnswerReview>(&act);
  if (answered == nullptr || !answered->answer.edits) return {};
  const Result<Review> review = records().review(answered->review);
  if (!review) return {};
  const Result<std::vector<Attempt>> attempts = records().attempts(review->task);
  if (!attempts) return std::unexpected(attempts.error());
  const AttemptNumber number = answered->answer.attempt.value_or(review->attempt);
  const auto attempt = std::ranges::find(*attempts, number, &Attempt::number);
  if (attempt == attempts->end() || !is_payload_reference(attempt->output)) return {};
  const Result<Json> output = whole_output(records(), attempt->output);
  if (!output) return std::unexpected(output.error());
  const Result<Job> job = records().job(review->job);
  if (!job) return std::unexpected(job.error());
  const Result<Workflow> workflow = records().workflow(job->workflow_hash);
  if (!workflow) return std::unexpected(workflow.error());
  return check_edits(workflow->stage(stage_of(review->task)), *output, *answered->answer.edits);
}

Result<Job> LedgerStore::act(const Act& act, const Actor& actor) {
  if (const Status good = check_large_edits(act); !good) return std::unexpected(good.error());
  return write<Job>({}, [&](Ledger& ledger) { return ledger.act(act, actor); });
}

Status LedgerStore::change(const PeopleChange& change, const Actor& actor) {
  return transact({}, [&](Rows& rows, Timestamp now) -> Status {
    return Ledger(rows, now).change(change, actor);
  });
}

template <class Read>
auto LedgerStore::look_up(Read read) -> Result<decltype(read(std::declval<PeopleRows&>()))> {
  std::optional<decltype(read(std::declval<PeopleRows&>()))> found;
  if (const Status done = read_people([&](PeopleRows& rows) { found.emplace(read(rows)); });
      !done) {
    return std::unexpected(done.error());
  }
  return *std::move(found);
}

namespace {

template <class T>
Result<T> required(Result<std::optional<T>> found, const std::string& missing, std::string help) {
  if (!found) return std::unexpected(found.error());
  if (!*found) return fail(ErrorCode::not_found, missing, std::move(help));
  return **std::move(found);
}

}  // namespace

Result<std::vector<Person>> LedgerStore::all() {
  return look_up([](PeopleRows& rows) { return rows.people(); });
}

Result<Person> LedgerStore::person(std::string_view name) {
  return required(
      look_up([&](PeopleRows& rows) { return rows.person(valid_text(std::string(name))); }),
      "no person '" + std::string(name) + "'", "people are listed by: pawl user list");
}

Result<std::vector<TokenRecord>> LedgerStore::tokens() {
  return look_up([](PeopleRows& rows) { return rows.tokens(); });
}

Result<TokenRecord> LedgerStore::token(std::string_view sha256) {
  const std::string digest = valid_text(std::string(sha256));
  return required(look_up([&](PeopleRows& rows) { return rows.token_with_digest(digest); }),
                  "no such token", "tokens are listed by: pawl token list");
}

Result<SessionRecord> LedgerStore::session(std::string_view sha256) {
  const std::string digest = valid_text(std::string(sha256));
  return required(look_up([&](PeopleRows& rows) { return rows.session(digest); }),
                  "no such session", "sign in again");
}

Status LedgerStore::note_use(std::int64_t number) {
  constexpr Duration resolution = std::chrono::minutes(1);
  const auto is_recent = [&](const TokenRecord& token, Timestamp now) {
    return token.used_at != no_time && now - token.used_at < resolution;
  };
  // Most uses need no transaction.
  const Result<std::optional<TokenRecord>> known =
      look_up([&](PeopleRows& rows) { return rows.token(number); });
  if (!known) return std::unexpected(known.error());
  if (*known && is_recent(**known, now())) return {};
  return transact({}, [&](Rows& rows, Timestamp now) -> Status {
    const std::optional<TokenRecord> token = rows.people().token(number);
    if (!token) return fail(ErrorCode::not_found, "no token " + std::to_string(number));
    if (!is_recent(*token, now)) rows.people().note_token_use(number, now);
    return {};
  });
}

Result<Standing> LedgerStore::standing(const Actor& actor) {
  return look_up([&](PeopleRows& rows) {
    return standing_of(actor, rows.person(valid_text(actor.name)), !rows.is_empty());
  });
}

Result<Arriving> LedgerStore::receive(const Arrival& arrival) {
  return write<Arriving>({}, [&](Ledger& ledger) { return ledger.receive(arrival); });
}

}  // namespace pawl::store
