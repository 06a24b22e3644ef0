#include "store/valid_text_store.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/record_text.hpp"
#include "pawl/store/arrival.hpp"
#include "store/forwarding_store.hpp"

namespace pawl {

using namespace store;

// The texts of what only stores are given. These functions are found by their arguments, so they
// stand in the namespace of the records.

template <IsRecord<std::set<std::string>> Record, class Visit>
void each_text_of_set(Record& set, Visit& visit) {
  std::set<std::string> seen;
  for (std::string text : set) {
    visit(text);
    seen.insert(std::move(text));
  }
  if constexpr (!std::is_const_v<Record>) set = std::move(seen);
}

template <IsRecord<WorkerLimits> Record, class Visit>
void each_text(Record& limits, Visit& visit) {
  each_text_of_set(limits.stages, visit);
  each_text_of_set(limits.categories, visit);
  for (auto& left : limits.left) {
    visit(left.stage);
    visit(left.reason);
  }
}

template <IsRecord<WorkerHello> Record, class Visit>
void each_text(Record& hello, Visit& visit) {
  visit(hello.host);
  visit(hello.name);
  each_text(hello.limits, visit);
}

template <IsRecord<NewJob> Record, class Visit>
void each_text(Record& job, Visit& visit) {
  visit(job.key);
  visit(job.params);
  visit(job.labels);
  each_text(job.by, visit);
}

template <IsRecord<NewItem> Record, class Visit>
void each_text(Record& item, Visit& visit) {
  visit(item.key);
  visit(item.category);
  visit(item.data);
  visit(item.data_sha256);
  if (!item.history) return;
  for (auto& attempt : item.history->attempts) each_text(attempt, visit);
}

/// Acts without text: of operators on whole jobs and items.
template <class Record, class Visit>
  requires(IsRecord<Record, CancelJob> || IsRecord<Record, PauseJob> ||
           IsRecord<Record, ResumeJob> || IsRecord<Record, ReviveJob> ||
           IsRecord<Record, SetBudget> || IsRecord<Record, ReopenSubmission> ||
           IsRecord<Record, CancelItem> || IsRecord<Record, PurgeItem> ||
           IsRecord<Record, PauseStage> || IsRecord<Record, ResumeStage>)
void each_text(Record&, Visit&) {}

template <IsRecord<Rerun> Record, class Visit>
void each_text(Record& act, Visit& visit) {
  visit(act.note);
  visit(act.by);
}

template <IsRecord<AnswerReview> Record, class Visit>
void each_text(Record& act, Visit& visit) {
  each_text(act.answer, visit);
}

template <class Record, class Visit>
  requires(IsRecord<Record, UndoAnswer> || IsRecord<Record, ClaimReview> ||
           IsRecord<Record, ReleaseReview> || IsRecord<Record, TrustJob>)
void each_text(Record& act, Visit& visit) {
  visit(act.by);
}

template <IsRecord<AssignReview> Record, class Visit>
void each_text(Record& act, Visit& visit) {
  for (auto& name : act.to) visit(name);
  visit(act.note);
  visit(act.by);
}

template <class Record, class Visit>
  requires(IsRecord<Record, DiscardDeadLetter> || IsRecord<Record, SkipTask>)
void each_text(Record& act, Visit& visit) {
  visit(act.reason);
  visit(act.by);
}

template <IsRecord<ArrivingItem> Record, class Visit>
void each_text(Record& arriving, Visit& visit) {
  each_text(arriving.item, visit);
}

template <IsRecord<ArrivingTask> Record, class Visit>
void each_text(Record& arriving, Visit& visit) {
  each_text(arriving.task, visit);
  visit(arriving.category);
}

template <IsRecord<ArrivingReview> Record, class Visit>
void each_text(Record& arriving, Visit& visit) {
  each_text(arriving.review, visit);
  for (auto& given : arriving.answers) each_text(given, visit);
}

template <IsRecord<ArrivingAudit> Record, class Visit>
void each_text(Record& arriving, Visit& visit) {
  auto& entry = arriving.entry;
  each_text(entry.actor, visit);
  visit(entry.act);
  visit(entry.target);
  visit(entry.details);
  visit(entry.reason);
  visit(entry.origin);
}

template <IsRecord<ArrivingEvents> Record, class Visit>
void each_text(Record& arriving, Visit& visit) {
  for (auto& event : arriving.events) each_text(event, visit);
}

template <IsRecord<ArrivedWhole> Record, class Visit>
void each_text(Record& arrived, Visit& visit) {
  each_text(arrived.job, visit);
}

/// The id of the export is kept in JSON and compared with the file's: it stays as it is.
template <IsRecord<BeginArrival> Record, class Visit>
void each_text(Record& begun, Visit& visit) {
  each_text(begun.job, visit);
  if (begun.originals) each_text(*begun.originals, visit);
  each_text(begun.by, visit);
}

template <IsRecord<EndArrival> Record, class Visit>
void each_text(Record& ended, Visit& visit) {
  each_text(ended.as_it_was, visit);
  visit(ended.accepted_by);
  each_text(ended.by, visit);
}

template <class Record, class Visit>
  requires(IsRecord<Record, Act> || IsRecord<Record, ArrivingRecord>)
void each_text(Record& any, Visit& visit) {
  std::visit([&](auto& one) { each_text(one, visit); }, any);
}

namespace {

/// What was given, where it is valid; else a repaired copy.
template <class Record>
class Valid {
 public:
  explicit Valid(const Record& given) : given_(given) {
    if (has_valid_text(given)) return;
    repaired_ = given;
    make_text_valid(*repaired_);
  }
  const Record& operator*() const { return repaired_ ? *repaired_ : given_; }

 private:
  const Record& given_;
  std::optional<Record> repaired_;
};

/// The same for many, which are copied together.
template <class Record>
class ValidList {
 public:
  explicit ValidList(std::span<const Record> given) : given_(given) {
    if (std::ranges::all_of(given, [](const Record& one) { return has_valid_text(one); })) return;
    repaired_.assign(given.begin(), given.end());
    for (Record& one : repaired_) make_text_valid(one);
  }
  [[nodiscard]] std::span<const Record> all() const {
    return repaired_.empty() ? given_ : std::span<const Record>(repaired_);
  }

 private:
  std::span<const Record> given_;
  std::vector<Record> repaired_;
};

class ValidTextStore final : public ForwardingStore, public Receiver {
 public:
  using ForwardingStore::ForwardingStore;

  Result<WorkerId> enlist(const WorkerHello& hello) override {
    return inner().enlist(*Valid(hello));
  }
  Status note_limits(WorkerId worker, const WorkerLimits& limits) override {
    return inner().note_limits(worker, *Valid(limits));
  }
  Result<Job> create_job(const NewJob& job) override { return inner().create_job(*Valid(job)); }
  Result<Added> add_items(const AddItems& chunk) override {
    const ValidList items(chunk.items);
    return inner().add_items(with_items(chunk, items));
  }
  Result<Submitted> submit(const NewJob& job, const AddItems& chunk) override {
    const ValidList items(chunk.items);
    return inner().submit(*Valid(job), with_items(chunk, items));
  }
  using Store::act;
  Result<Job> act(const Act& act, const Actor& actor) override {
    return inner().act(*Valid(act), *Valid(actor));
  }
  Receiver& receiver() override { return *this; }
  Result<Arriving> receive(const Arrival& arrival) override {
    Receiver& inner_receiver = inner().receiver();
    if (const auto* begun = std::get_if<BeginArrival>(&arrival)) {
      return inner_receiver.receive(*Valid(*begun));
    }
    if (const auto* ended = std::get_if<EndArrival>(&arrival)) {
      return inner_receiver.receive(*Valid(*ended));
    }
    AddArrival piece = std::get<AddArrival>(arrival);
    const ValidList records(piece.records);
    piece.records = records.all();
    return inner_receiver.receive(piece);
  }

 private:
  static AddItems with_items(AddItems chunk, const ValidList<NewItem>& items) {
    chunk.items = items.all();
    return chunk;
  }
};

}  // namespace

std::shared_ptr<Store> store::with_valid_text(std::shared_ptr<Store> store) {
  return std::make_shared<ValidTextStore>(std::move(store));
}

}  // namespace pawl
