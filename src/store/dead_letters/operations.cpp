// Retry, discard and purge: one walk over the selected letters, one act for each.

#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "pawl/codec/names.hpp"
#include "store/dead_letters/reader.hpp"

namespace pawl {

using namespace store;

namespace {

using Want = DeadLetterReader::Want;

/// Does the act on one letter, or says why it would be refused.
using Doer = std::function<Status(const DeadLetter&)>;

struct Verb {
  bool wants_discarded;  ///< works on discarded letters, and only on them
  Doer act;
  Doer foresee;                                        ///< what `act` would answer
  std::function<bool(const DeadLetter&)> is_new = {};  ///< false: it was answered with another one
};

class Walk {
 public:
  Walk(Store& store, const Verb& verb, const DeadLetterOrder& order, const DeadLetterListener& each)
      : store_(store), reader_(store), verb_(verb), order_(order), each_(each) {
    reader_.ask(order.goes_on);
    tally_.dry_run = order.dry_run;
  }

  Result<DeadLetterTally> over(const DeadLetterSelection& selection) {
    if (selection.tasks.empty() && !selection.filter && !selection.all) {
      return fail(ErrorCode::invalid, "no dead letter is selected",
                  "name dead letters, give a filter, or say that all are meant");
    }
    const Status done = selection.tasks.empty() ? over_all(selection) : over_named(selection);
    if (!done) return std::unexpected(done.error());
    return tally_;
  }

 private:
  Status over_named(const DeadLetterSelection& selection) {
    // All letters are read before the first one changes: it may take others along.
    std::vector<Result<DeadLetter>> letters;
    for (const TaskId task : selection.tasks) {
      if (!goes_on()) return {};
      const Result<Task> row = store_.records().task(task);
      Result<DeadLetter> letter =
          row ? reader_.select(*row, selection.filter, Want::named) : std::unexpected(row.error());
      if (letter && selection.job && letter->job != selection.job) {
        letter = fail(ErrorCode::refused,
                      "task " + std::to_string(task.value()) + " belongs to another job");
      }
      letters.push_back(std::move(letter));
    }
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (!goes_on()) return {};
      Result<DeadLetter>& letter = letters[i];
      if (letter) {
        deal_with(*letter);
      } else if (letter.error().code == ErrorCode::not_found ||
                 letter.error().code == ErrorCode::refused) {
        answer(DeadLetterAnswer{.task = selection.tasks[i], .refusal = std::move(letter.error())});
      } else {
        return std::unexpected(std::move(letter.error()));
      }
    }
    return {};
  }

  [[nodiscard]] bool goes_on() const { return !order_.goes_on || order_.goes_on(); }

  Status over_all(const DeadLetterSelection& selection) {
    const DeadLetterQuery query{.job = selection.job,
                                .filter = selection.filter,
                                .include_discarded = verb_.wants_discarded};
    return reader_.each(query, Want::named, [&](const DeadLetter& letter) {
      // Only letters named one by one are refused for being, or not being, discarded.
      if (letter.discarded == verb_.wants_discarded) deal_with(letter);
      return true;
    });
  }

  void deal_with(const DeadLetter& letter) {
    if (verb_.is_new && !verb_.is_new(letter)) return;
    DeadLetterAnswer told{.task = letter.task,
                          .item = letter.item,
                          .job = letter.job,
                          .item_key = letter.item_key,
                          .stage = letter.stage,
                          .child_key = letter.child_key};
    Status done = fits(letter);
    if (done) done = tally_.dry_run ? verb_.foresee(letter) : verb_.act(letter);
    if (!done) told.refusal = std::move(done.error());
    answer(told);
  }

  [[nodiscard]] Status fits(const DeadLetter& letter) const {
    if (letter.discarded == verb_.wants_discarded) return {};
    if (letter.discarded) {
      return fail(ErrorCode::refused,
                  "task " + std::to_string(letter.task.value()) + " was discarded",
                  "retry the item itself to run it again");
    }
    return fail(ErrorCode::refused,
                "task " + std::to_string(letter.task.value()) + " has not been discarded",
                "discard it first, with a reason");
  }

  void answer(const DeadLetterAnswer& told) {
    ++(told.refusal ? tally_.refused : tally_.done);
    if (each_) each_(told);
  }

  Store& store_;
  DeadLetterReader reader_;
  const Verb& verb_;
  const DeadLetterOrder& order_;
  const DeadLetterListener& each_;
  DeadLetterTally tally_;
};

Status without_value(const Result<Job>& done) {
  if (!done) return std::unexpected(done.error());
  return {};
}

/// The task may have moved since its page was read: an earlier letter of the same item, retried,
/// takes everything downstream of it along.
Status is_still_dead(Store& store, const DeadLetter& letter) {
  const Result<Task> row = store.records().task(letter.task);
  if (!row) return std::unexpected(row.error());
  if (std::holds_alternative<Failed>(row->state)) return {};
  return fail(ErrorCode::conflict, "task " + std::to_string(letter.task.value()) + " is " +
                                       std::string(name_of(row->kind())) +
                                       " by now and no longer a dead letter");
}

/// The newest of the items that were dealt with, so that a million letters need no more memory than
/// ten thousand.
template <class Key>
class NewestItems {
 public:
  /// Named letters are all read before the first one changes, so all of their items are kept.
  explicit NewestItems(const DeadLetterSelection& selection)
      : size_max_(std::max<std::size_t>(10'000, selection.tasks.size())) {}

  /// False if it is one of them already.
  bool add(const Key& key) {
    if (!keys_.insert(key).second) return false;
    in_order_.push_back(key);
    if (in_order_.size() > size_max_) {
      keys_.erase(in_order_.front());
      in_order_.pop_front();
    }
    return true;
  }
  [[nodiscard]] bool contains(const Key& key) const { return keys_.contains(key); }

 private:
  std::size_t size_max_;
  std::set<Key> keys_;
  std::deque<Key> in_order_;
};

/// The items of which this call has retried a letter. A retried stage takes its failed children and
/// the stages after it along, so their letters are retried as well. Only those that were read
/// before the retry are still seen as letters: they are on the same page. Job-wide stages have no
/// item.
using RetriedItems = NewestItems<std::pair<JobId, ItemId>>;

std::pair<JobId, ItemId> place_of(const DeadLetter& letter) { return {letter.job, letter.item}; }

/// What the store would answer to a retry now.
Status may_be_retried(Store& store, const DeadLetter& letter) {
  const Result<Job> job = store.records().job(letter.job);
  if (!job) return std::unexpected(job.error());
  const std::string name = "job " + std::to_string(letter.job.value());
  if (is_ended_by_limit(*job)) {
    return fail(ErrorCode::refused, name + " was ended by a limit",
                "let it go on first: `pawl job revive " + std::to_string(job->id.value()) + "`");
  }
  if (job->cancelled) return fail(ErrorCode::refused, name + " was cancelled");
  if (!is_trusted(job->trust)) {
    return fail(ErrorCode::refused, name + " was imported and is not trusted yet",
                "see what it would run and accept it: `pawl job trust " +
                    std::to_string(job->id.value()) + "`");
  }
  if (letter.item) {
    const Result<Item> item = store.records().item(letter.item);
    if (!item) return std::unexpected(item.error());
    if (item->cancelled) {
      return fail(ErrorCode::refused, "item '" + letter.item_key + "' was cancelled");
    }
  }
  // A retry is progress of its own, and only makes the task Ready: a pause is no obstacle.
  Job running = *job;
  running.paused = PauseCause::none;
  running.ended_at = no_time;
  running.last_progress_at = store.now();
  running.decisions_since_progress = 0;
  const BudgetKind used_up = may_open(running, store.now()).budget;
  if (used_up == BudgetKind::none) return {};
  return fail(ErrorCode::refused, name + " has used up its " + std::string(name_of(used_up)),
              "raise the budget first");
}

bool is_open_letter(const Task& task) {
  const auto* failed = std::get_if<Failed>(&task.state);
  return failed != nullptr && !failed->discarded;
}

Result<bool> has_open_child(Records& records, const Task& parent) {
  TaskFilter open{.job = parent.job,
                  .state = StateKind::failed,
                  .discarded = false,
                  .parent = parent.id,
                  .limit = 1};
  const Result<std::vector<Task>> children = records.tasks(open);
  if (!children) return std::unexpected(children.error());
  return !children->empty();
}

/// What the store would answer to a purge now.
Status may_be_purged(Store& store, const DeadLetter& letter) {
  const Result<Job> job = store.records().job(letter.job);
  if (!job) return std::unexpected(job.error());
  if (!job->has_ended()) {
    return fail(ErrorCode::refused, "job " + std::to_string(letter.job.value()) + " has not ended");
  }
  const Result<std::vector<Task>> tasks = store.records().tasks_of(letter.item);
  if (!tasks) return std::unexpected(tasks.error());
  for (const Task& task : *tasks) {
    bool is_open = is_open_letter(task);
    if (!is_open && task.expansion > 0) {
      const Result<bool> child = has_open_child(store.records(), task);
      if (!child) return std::unexpected(child.error());
      is_open = *child;
    }
    if (is_open) {
      return fail(ErrorCode::refused, "item '" + letter.item_key + "' has another dead letter",
                  "retry or discard it first");
    }
  }
  return {};
}

Actor actor_of(const DeadLetterOrder& order) {
  Actor actor = order.actor;
  if (actor.name.empty()) actor.name = order.by;
  return actor;
}

}  // namespace

Result<DeadLetterTally> retry_dead_letters(Store& store, const DeadLetterSelection& selection,
                                           const DeadLetterOrder& order,
                                           const DeadLetterListener& each) {
  RetriedItems retried(selection);
  const Verb retry{
      .wants_discarded = false,
      .act = [&](const DeadLetter& letter) -> Status {
        if (Status dead = is_still_dead(store, letter); !dead) {
          const bool was_taken_along =
              dead.error().code == ErrorCode::conflict && retried.contains(place_of(letter));
          return was_taken_along ? Status() : dead;
        }
        const Status done = without_value(store.act(
            Rerun{.task = letter.task, .cause = Cause::manual, .note = order.note, .by = {}},
            actor_of(order)));
        if (done) retried.add(place_of(letter));
        return done;
      },
      .foresee = [&](const DeadLetter& letter) { return may_be_retried(store, letter); }};
  return Walk(store, retry, order, each).over(selection);
}

Result<DeadLetterTally> discard_dead_letters(Store& store, const DeadLetterSelection& selection,
                                             const DeadLetterOrder& order,
                                             const DeadLetterListener& each) {
  if (order.note.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::invalid, "a dead letter is discarded for a reason", "give the reason");
  }
  const Verb discard{
      .wants_discarded = false,
      .act =
          [&](const DeadLetter& letter) {
            return without_value(
                store.act(DiscardDeadLetter{.task = letter.task, .reason = order.note, .by = {}},
                          actor_of(order)));
          },
      .foresee = [](const DeadLetter&) { return Status{}; }};
  return Walk(store, discard, order, each).over(selection);
}

Result<DeadLetterTally> purge_dead_letters(Store& store, const DeadLetterSelection& selection,
                                           const DeadLetterOrder& order,
                                           const DeadLetterListener& each) {
  NewestItems<ItemId> answered(selection);  // several letters may be of one item
  const Doer has_item = [](const DeadLetter& letter) -> Status {
    if (letter.item) return {};
    return fail(ErrorCode::refused, "a job-wide stage has no item that could be purged");
  };
  const Verb purge{
      .wants_discarded = true,
      .act = [&](const DeadLetter& letter) -> Status {
        if (Status item = has_item(letter); !item) return item;
        return without_value(store.act(PurgeItem{.item = letter.item}, actor_of(order)));
      },
      .foresee = [&](const DeadLetter& letter) -> Status {
        if (Status item = has_item(letter); !item) return item;
        return may_be_purged(store, letter);
      },
      .is_new =
          [&](const DeadLetter& letter) {
            return !letter.item || !letter.discarded || answered.add(letter.item);
          }};
  return Walk(store, purge, order, each).over(selection);
}

}  // namespace pawl
