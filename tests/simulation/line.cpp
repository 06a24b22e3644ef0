#include "simulation/line.hpp"

#include <utility>

namespace pawl::simulation {

namespace {

std::unexpected<Error> no_answer() {
  return fail(ErrorCode::unavailable, "the store does not answer");
}

std::string words_of(BatchNumber batch, std::span<const Step> steps,
                     const Result<Committed>& answer) {
  std::string text = "is answered batch " + std::to_string(batch) + ":";
  if (!answer) return text + " " + answer.error().message;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    constexpr const char* outcomes[] = {"applied", "fenced", "stale"};
    text += " task " + std::to_string(steps[i].next.id.value()) + " " +
            outcomes[static_cast<std::size_t>(answer->steps[i].outcome)];
    if (!answer->steps[i].opened.empty()) {
      text += " (" + std::to_string(answer->steps[i].opened.size()) + " opened)";
    }
  }
  if (!answer->claims.opened.empty()) {
    text += ", " + std::to_string(answer->claims.opened.size()) + " refilled";
  }
  return text;
}

/// A chunk with its own copy of its items.
class OwnedItems {
 public:
  explicit OwnedItems(const AddItems& chunk)
      : items_(chunk.items.begin(), chunk.items.end()), chunk_(chunk) {}
  [[nodiscard]] AddItems chunk() const {
    AddItems whole = chunk_;
    whole.items = items_;
    return whole;
  }

 private:
  std::vector<NewItem> items_;
  AddItems chunk_;
};

}  // namespace

/// Reads fail while the line is down.
class Line::CutRecords final : public Records {
 public:
  explicit CutRecords(Line& line) : line_(line) {}

  Result<Job> job(JobId id) override { return read(&Records::job, id); }
  Result<std::vector<Job>> jobs(const JobFilter& filter) override {
    return read(&Records::jobs, filter);
  }
  Result<Workflow> workflow(std::string_view hash) override {
    return read(&Records::workflow, hash);
  }
  Result<Item> item(ItemId id) override {
    if (line_.misses_read()) return no_answer();
    return inner().item(id);
  }
  Result<Item> item(JobId job, std::string_view key) override {
    if (line_.misses_read()) return no_answer();
    return inner().item(job, key);
  }
  Result<std::vector<Item>> items(const ItemFilter& filter) override {
    return read(&Records::items, filter);
  }
  Result<Task> task(TaskId id) override { return read(&Records::task, id); }
  Result<std::vector<Task>> tasks(const TaskFilter& filter) override {
    return read(&Records::tasks, filter);
  }
  Result<std::vector<Task>> tasks_of(ItemId item) override {
    return read(&Records::tasks_of, item);
  }
  Result<std::vector<Attempt>> attempts(TaskId task) override {
    return read(&Records::attempts, task);
  }
  Result<std::vector<StageOutput>> outputs(ItemId item) override {
    return read(&Records::outputs, item);
  }
  Result<StageOutput> output(TaskId task) override { return read(&Records::output, task); }
  Result<Review> review(ReviewId id) override { return read(&Records::review, id); }
  Result<std::vector<Review>> reviews(const ReviewFilter& filter) override {
    return read(&Records::reviews, filter);
  }
  Result<std::vector<Review>> inbox(const InboxFilter& filter) override {
    return read(&Records::inbox, filter);
  }
  Result<std::vector<GivenAnswer>> answers(ReviewId review) override {
    return read(&Records::answers, review);
  }
  Result<std::vector<AuditEntry>> audit(const AuditFilter& filter) override {
    return read(&Records::audit, filter);
  }
  Result<Tally> count(const ItemFilter& filter) override {
    return read<Tally, const ItemFilter&>(&Records::count, filter);
  }
  Result<Tally> count(const TaskFilter& filter) override {
    return read<Tally, const TaskFilter&>(&Records::count, filter);
  }
  Result<Tally> count(const InboxFilter& filter) override {
    return read<Tally, const InboxFilter&>(&Records::count, filter);
  }
  Result<EventSeq> last_event() override { return read(&Records::last_event); }
  Result<std::vector<Event>> events(const EventFilter& filter) override {
    return read(&Records::events, filter);
  }
  Result<std::vector<WorkerRecord>> workers() override { return read(&Records::workers); }
  Result<WorkerRecord> worker(WorkerId id) override { return read(&Records::worker, id); }
  Result<std::string> payload(std::string_view sha256) override {
    return read(&Records::payload, sha256);
  }
  Result<std::filesystem::path> payload_path(std::string_view sha256) override {
    return read(&Records::payload_path, sha256);
  }

 private:
  Records& inner() { return line_.store_->records(); }
  template <class Row, class... Given, class... Arguments>
  Result<Row> read(Result<Row> (Records::*verb)(Given...), const Arguments&... arguments) {
    if (line_.misses_read()) return no_answer();
    return (inner().*verb)(arguments...);
  }
  Line& line_;
};

Line::Line(std::shared_ptr<Store> store, Ports ports)
    : store_(std::move(store)),
      ports_(std::move(ports)),
      records_(std::make_unique<CutRecords>(*this)),
      met_setbacks_(store_->setbacks()) {}
Line::~Line() = default;

bool Line::meets_setback() {
  return std::exchange(met_setbacks_, store_->setbacks()) != store_->setbacks();
}

template <class Call, class Own>
auto Line::carry(const char* verb, Repeats repeats, Call call, Own own) -> decltype(call()) {
  if (is_down() || meets_setback()) return no_answer();
  return carry_as_ever(verb, repeats, std::move(call), std::move(own));
}

template <class Call, class Own>
auto Line::carry_as_ever(const char* verb, Repeats repeats, Call call, Own own)
    -> decltype(call()) {
  if (is_down()) return no_answer();
  const Fate fate = ports_.fate(verb);
  switch (fate) {
    case Fate::refused:
      return no_answer();
    case Fate::dies_before:
      is_dead_ = true;
      return no_answer();
    case Fate::dies_sending:
      is_dead_ = true;
      ports_.under_way(own());
      return no_answer();
    case Fate::comes_late:
      ports_.meanwhile();
      if (is_cut && !is_dead_) return no_answer();
      break;
    default:
      break;
  }
  auto answer = call();
  if (fate == Fate::comes_twice && repeats != Repeats::never) (void)call();
  if (fate == Fate::comes_again && repeats == Repeats::later) ports_.under_way(own());
  if (fate == Fate::dies_after) is_dead_ = true;
  if (fate == Fate::answers_late) ports_.meanwhile();
  if (fate == Fate::answer_lost || is_down()) return no_answer();
  return answer;
}

/// Reports how long a step makes its process wait.
void Line::note_waits(std::span<const Step> steps) {
  for (const Step& step : steps) {
    const auto* waits = std::get_if<RetryScheduled>(&step.next.state);
    const bool is_slowed = step.closed && step.closed->error &&
                           step.closed->error->error_class == ErrorClass::rate_limited;
    if (waits != nullptr && is_slowed) ports_.holds_back(waits->next_run_at);
  }
}
void Line::note_rates(const Claims& claims) {
  for (const Claims::HeldRate& held : claims.held_rates) ports_.holds_back(held.until);
}

Records& Line::records() { return *records_; }

Result<WorkerId> Line::enlist(const WorkerHello& hello) {
  return carry(
      "enlist", Repeats::later, [&] { return store_->enlist(hello); },
      [&] { return [store = store_, hello] { (void)store->enlist(hello); }; });
}
/// A lease is renewed on its own connection, which does not notice setbacks.
Status Line::renew(WorkerId worker, Timestamp holds_since) {
  const Status answer = carry_as_ever(
      "renew", Repeats::at_once, [&] { return store_->renew(worker, holds_since); },
      [&] {
        return [store = store_, worker, holds_since] { (void)store->renew(worker, holds_since); };
      });
  if (ports_.said && !answer) ports_.said("cannot renew its lease: " + answer.error().message);
  return answer;
}
Status Line::retire(WorkerId worker) {
  return carry(
      "retire", Repeats::later, [&] { return store_->retire(worker); },
      [&] { return [store = store_, worker] { (void)store->retire(worker); }; });
}
Result<Job> Line::create_job(const NewJob& job) {
  return carry(
      "create_job", Repeats::never, [&] { return store_->create_job(job); },
      [&] { return [store = store_, job] { (void)store->create_job(job); }; });
}
Result<Added> Line::add_items(const AddItems& chunk) {
  return carry(
      "add_items", Repeats::later, [&] { return store_->add_items(chunk); },
      [&] {
        return
            [store = store_, owned = OwnedItems(chunk)] { (void)store->add_items(owned.chunk()); };
      });
}
Result<Submitted> Line::submit(const NewJob& job, const AddItems& items) {
  return carry(
      "submit", Repeats::later, [&] { return store_->submit(job, items); },
      [&] {
        return [store = store_, job, owned = OwnedItems(items)] {
          (void)store->submit(job, owned.chunk());
        };
      });
}
Result<std::vector<LaneHead>> Line::ready_lanes() {
  if (is_down()) return no_answer();
  return store_->ready_lanes();
}
Result<Claims> Line::claim(const ClaimRequest& request) {
  Result<Claims> answer = carry(
      "claim", Repeats::never, [&] { return store_->claim(request); },
      [&] { return [store = store_, request] { (void)store->claim(request); }; });
  if (answer) note_rates(*answer);
  if (ports_.said) {
    ports_.said("is answered a claim: " +
                (answer ? std::to_string(answer->opened.size()) + " opened, " +
                              std::to_string(answer->conditional.size()) + " to be looked at, " +
                              std::to_string(answer->refused.size()) + " jobs refuse, " +
                              std::to_string(answer->held_rates.size()) + " rates hold"
                        : answer.error().message));
  }
  return answer;
}
Result<Committed> Line::commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                               const Refill& refill) {
  note_waits(steps);
  Result<Committed> answer = carry(
      "commit", Repeats::at_once, [&] { return store_->commit(worker, batch, steps, refill); },
      [&] {
        return
            [store = store_, worker, batch, owned = std::vector<Step>(steps.begin(), steps.end()),
             refill] { (void)store->commit(worker, batch, owned, refill); };
      });
  if (answer) note_rates(answer->claims);
  if (answer) ports_.acknowledged_steps(steps, *answer);
  if (ports_.said) ports_.said(words_of(batch, steps, answer));
  return answer;
}
Result<Swept> Line::sweep(const SweepRequest& request) {
  return carry(
      "sweep", Repeats::later, [&] { return store_->sweep(request); },
      [&] { return [store = store_, request] { (void)store->sweep(request); }; });
}
Result<Job> Line::act(const Act& act, const Actor& actor) {
  Result<Job> answer = carry(
      "act", Repeats::later, [&] { return store_->act(act, actor); },
      [&] { return [store = store_, act, actor] { (void)store->act(act, actor); }; });
  if (answer) ports_.acknowledged_act(act, actor);
  return answer;
}
Result<std::string> Line::keep_payload(std::string_view bytes) {
  return carry(
      "keep_payload", Repeats::later, [&] { return store_->keep_payload(bytes); },
      [&] {
        return [store = store_, owned = std::string(bytes)] { (void)store->keep_payload(owned); };
      });
}
Result<KeptFile> Line::keep_stream(const ByteSource& source) {
  return carry(
      "keep_stream", Repeats::later, [&] { return store_->keep_stream(source); },
      [&] { return [store = store_, source] { (void)store->keep_stream(source); }; });
}

}  // namespace pawl::simulation
