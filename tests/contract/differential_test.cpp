/// The differential: one seeded random history, step by step on memory, SQLite and PostgreSQL.
/// After every step the answers are equal, every few steps all rows are, and every invariant holds
/// on all.
///
/// A failing seed is printed; PAWL_SEED=n replays it alone and tells its steps, PAWL_SEEDS=n runs
/// so many.

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <unistd.h>

#include "contract/dice.hpp"
#include "contract/snapshot.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using namespace std::chrono_literals;

volatile std::sig_atomic_t current_seed = 0;

/// A broken promise ends the process; whoever looks at it wants to know where.
void tell_seed(int) {
  char text[32] = "replay with PAWL_SEED=";
  std::size_t end = std::strlen(text);
  char digits[12];
  std::size_t count = 0;
  for (int left = current_seed; left > 0 || count == 0; left /= 10) {
    digits[count++] = static_cast<char>('0' + left % 10);
  }
  while (count > 0) text[end++] = digits[--count];
  text[end++] = '\n';
  (void)!::write(STDERR_FILENO, text, end);
}

class History {
 public:
  History(std::uint64_t seed, bool tells)
      : dice_(seed),
        tells_(tells),
        memory_(open_memory_store(clock_)),
        others_{{"sqlite", open_temporary_sqlite_store(clock_)}} {
    // A schema takes longer to make than a history to run: every third has one.
    if (tells || seed % 3 == 0) {
      others_.push_back({"postgres", open_temporary_postgres_store(clock_)});
    }
    for (int i = 0; i < 2; ++i) enlist();
  }

  void step() {
    switch (dice_.below(16)) {
      case 0:
        return submit();
      case 1:
        return add_items();
      case 2:
      case 3:
      case 4:
        return claim();
      case 5:
      case 6:
      case 7:
      case 8:
      case 9:
        return close_some();
      case 10:
      case 11:
        return act();
      case 12:
        return pass_time();
      case 13:
      case 14:
        return sweep();
      default:
        return worker_life();
    }
  }

  void compare() {
    const Snapshot expected = snapshot_of(*memory_);
    expect_clean(memory_->records(), "memory");
    for (const Other& other : others_) {
      SCOPED_TRACE(other.name);
      expect_same(expected, snapshot_of(*other.store));
      expect_clean(other.store->records(), other.name.c_str());
    }
  }

  /// Lets everything end well. What then has not ended names what it waits for (I12).
  void run_to_the_end() {
    dice_ = Dice(1);
    tell("the end");
    clock_.advance(10s);  // every other worker's lease runs out
    const WorkerId last = enlist();
    workers_ = {last};
    held_.clear();
    const std::vector<Job> jobs = *memory_->records().jobs({});
    for (const Job& job : jobs) {
      if (job.submission_open && !job.cancelled) {
        all([&](Store& store) { return store.add_items({.job = job.id, .close = true}); });
      }
      all([&](Store& store) { return store.act(SetBudget{job.id, {}}); });
      all([&](Store& store) { return store.act(ResumeJob{job.id}); });
    }
    for (int round = 0; round < 500 && work_off(last); ++round) {
    }
    const std::vector<Job> ended = *memory_->records().jobs({});
    for (const Job& job : ended) {
      EXPECT_TRUE(job.has_ended()) << "job " << job.id.value() << " has not ended";
      EXPECT_EQ(job.attempts_open, 0);
    }
  }

 private:
  struct Other {
    std::string name;
    std::shared_ptr<Store> store;
  };
  struct Held {
    Task task;
    WorkerId worker;
  };

  void tell(const std::string& what) const {
    if (tells_) std::cout << "  " << what << std::endl;
  }

  /// The same verb on all; the answers are equal, also where they are errors.
  template <class Verb>
  auto all(Verb verb) -> decltype(verb(std::declval<Store&>())) {
    return all(verb, [](const auto&, const auto&) { return true; });
  }
  template <class Verb, class Same>
  auto all(Verb verb, Same same) -> decltype(verb(std::declval<Store&>())) {
    auto one = verb(*memory_);
    for (const Other& other : others_) {
      auto two = verb(*other.store);
      EXPECT_EQ(one.has_value(), two.has_value())
          << "memory: " << (one ? "done" : one.error().text()) << "\n"
          << other.name << ": " << (two ? "done" : two.error().text());
      if (!one && !two) {
        EXPECT_EQ(one.error().code, two.error().code);
        const bool about_worker = one.error().message.starts_with("no worker");
        EXPECT_TRUE(about_worker || one.error().text() == two.error().text())
            << "memory: " << one.error().text() << "\n"
            << other.name << ": " << two.error().text();
      }
      if constexpr (!std::is_void_v<typename decltype(one)::value_type>) {
        EXPECT_TRUE(!one || !two || same(*one, *two))
            << "the answers of " << other.name << " differ";
      }
    }
    return one;
  }

  static bool same_tasks(const std::vector<Claimed>& one, const std::vector<Claimed>& two) {
    return std::ranges::equal(one, two, [](const Claimed& a, const Claimed& b) {
      return a.task == b.task && a.item_key == b.item_key && a.category == b.category &&
             a.data == b.data;
    });
  }
  static bool same_added(const Added& one, const Added& two) {
    return one.added == two.added && one.present == two.present && one.adopted == two.adopted &&
           same_tasks(one.opened, two.opened);
  }

  static bool same_rates(const Claims& one, const Claims& two) {
    const auto same = [](const Claims::HeldRate& a, const Claims::HeldRate& b) {
      return a.pool == b.pool && a.until == b.until;
    };
    return one.next_open == two.next_open &&
           std::ranges::equal(one.held_rates, two.held_rates, same);
  }

  WorkerId any_worker() { return dice_.pick(workers_); }
  WorkerId enlist() {
    const Result<WorkerId> worker = all(
        [&](Store& store) {
          return store.enlist({.host = "h", .pid = 1, .name = "w", .lease = 5s});
        },
        [](WorkerId a, WorkerId b) { return a == b; });
    workers_.push_back(*worker);
    return *worker;
  }
  void hold(const std::vector<Claimed>& opened, WorkerId worker) {
    for (const Claimed& one : opened) held_.push_back({one.task, worker});
  }

  std::vector<NewItem> some_items(std::uint64_t max) {
    std::vector<NewItem> items;
    for (std::uint64_t i = dice_.below(max + 1); i > 0; --i) {
      NewItem item{.key = "k" + std::to_string(dice_.below(6)),
                   .category = dice_.any_of<std::string>({"", "red"}),
                   .data = Json(dice_.below(3)),
                   .data_sha256 = dice_.any_of<std::string>({"", "d", "d"})};
      if (dice_.one_in(8)) {
        Attempt past;
        past.number = 1;
        past.result = AttemptResult::failure;
        past.ended_at = clock_.now();
        past.decision.rule = Rule::imported;
        item.history = ItemHistory{.attempts = {past}, .dead = dice_.one_in(2)};
      }
      items.push_back(std::move(item));
    }
    return items;
  }

  void submit() {
    if (jobs_.size() >= 3) return claim();
    if (workflows_.empty() || dice_.one_in(2)) workflows_.push_back(random_workflow(dice_));
    NewJob fresh{.workflow = dice_.pick(workflows_),
                 .key = dice_.any_of<std::string>({"", "", "key"}),
                 .params = Json(dice_.below(2)),
                 .parallel = dice_.any_of({0U, 0U, 1U, 3U}),
                 .priority = static_cast<std::int32_t>(dice_.below(2))};
    if (dice_.one_in(3))
      fresh.budget.max_total_attempts = static_cast<std::int64_t>(dice_.below(12));
    if (dice_.one_in(4))
      fresh.budget.deadline = Duration{static_cast<std::int64_t>(dice_.below(40'000'000))};
    if (dice_.one_in(4)) fresh.budget.max_attempts_per_task = 2;
    if (dice_.one_in(4)) fresh.budget.no_progress_decisions = 4;
    if (dice_.one_in(4)) fresh.budget.cost_microusd = 20;
    if (dice_.one_in(2)) fresh.budget.exhausted = OnBudgetEnd::fail;
    if (dice_.one_in(5)) fresh.tolerate_failures.count = static_cast<std::int64_t>(dice_.below(3));
    const std::vector<NewItem> items = some_items(5);
    const WorkerId worker = any_worker();
    const AddItems chunk{.items = items,
                         .adopt = dice_.one_in(2),
                         .close = !dice_.one_in(3),
                         .open_for = dice_.one_in(2) ? worker : WorkerId{},
                         .open_max = static_cast<std::uint32_t>(dice_.below(4))};
    const Result<Submitted> done = all([&](Store& store) { return store.submit(fresh, chunk); },
                                       [](const Submitted& a, const Submitted& b) {
                                         return a.job == b.job && same_added(a.items, b.items);
                                       });
    if (!done) return;
    tell("submit job " + std::to_string(done->job.id.value()));
    if (std::ranges::count(jobs_, done->job.id) == 0) jobs_.push_back(done->job.id);
    hold(done->items.opened, worker);
  }

  void add_items() {
    if (jobs_.empty()) return submit();
    const JobId job = dice_.pick(jobs_);
    tell("add items to job " + std::to_string(job.value()));
    const std::vector<NewItem> items = some_items(3);
    const bool close = dice_.one_in(2);
    all([&](Store& store) { return store.add_items({.job = job, .items = items, .close = close}); },
        same_added);
  }

  std::vector<LaneShare> some_shares() {
    std::vector<LaneShare> shares;
    const std::vector<LaneHead> heads = *memory_->ready_lanes();
    for (const JobId job : jobs_) {
      LaneShare share{.job = job, .lanes = {}, .max = static_cast<std::uint32_t>(dice_.below(5))};
      for (const LaneHead& head : heads) {
        if (head.job == job && !dice_.one_in(5)) share.lanes.push_back({head.lane, head.stage});
      }
      shares.push_back(share);
    }
    return shares;
  }

  static bool same_claims(const Claims& a, const Claims& b) {
    return same_tasks(a.opened, b.opened) && same_tasks(a.conditional, b.conditional) &&
           a.refused == b.refused && same_rates(a, b);
  }

  void claim() {
    const WorkerId worker = any_worker();
    const ClaimRequest request{.worker = worker, .shares = some_shares()};
    const Result<Claims> claims =
        all([&](Store& store) { return store.claim(request); }, same_claims);
    if (!claims) return;
    next_open_ = claims->next_open;
    tell("claim " + std::to_string(claims->opened.size()) + " for worker " +
         std::to_string(worker.value()));
    hold(claims->opened, worker);
    for (const Claimed& one : claims->conditional) settle_condition(one.task, worker);
  }

  void settle_condition(const Task& ready, WorkerId worker) {
    if (dice_.one_in(3)) {
      commit({skip_by_choice(ready)}, worker);
      return;
    }
    Step step{.was = StateKind::ready, .expected = ready.version, .next = ready};
    ++step.next.version;
    step.open_for = worker;
    step.open_max = 1;
    commit({step}, worker);
  }

  Step closing(const Task& task, Work work) {
    const Job job = *memory_->records().job(task.job);
    const Workflow flow = *memory_->records().workflow(job.workflow_hash);
    work.closed.ended_at = clock_.now();
    work.closed.attempts_cap = job.budget.max_attempts_per_task;
    work.closed.cancelled_by = job.cancelled;
    if (!work.closed.cancelled_by && task.item) {
      const Result<Item> item = memory_->records().item(task.item);
      if (item) work.closed.cancelled_by = item->cancelled;
    }
    Step step =
        close(flow.stage(task.stage()), task, std::move(work.closed), std::move(work.children));
    step.generation = dice_.one_in(10) ? job.generation + 1 : job.generation;
    return step;
  }

  void close_some() {
    if (held_.empty()) return claim();
    const WorkerId worker = dice_.pick(held_).worker;
    std::vector<Step> steps;
    for (std::uint64_t some = 1 + dice_.below(3); some > 0 && !held_.empty(); --some) {
      const auto place = static_cast<std::ptrdiff_t>(dice_.below(held_.size()));
      const Held held = held_[static_cast<std::size_t>(place)];
      if (held.worker != worker) continue;
      const Job job = *memory_->records().job(held.task.job);
      const Workflow flow = *memory_->records().workflow(job.workflow_hash);
      Step step = closing(held.task, random_work(dice_, flow.stage(held.task.stage()), held.task));
      // Now and then an answer is delivered again later.
      if (!dice_.one_in(6)) held_.erase(held_.begin() + place);
      if (dice_.one_in(2)) {
        step.open_for = worker;
        step.open_max = static_cast<std::uint32_t>(1 + dice_.below(2));
      }
      steps.push_back(std::move(step));
    }
    commit(steps, worker, dice_.one_in(3) ? Refill{.shares = some_shares()} : Refill{});
  }

  void commit(const std::vector<Step>& steps, WorkerId worker, const Refill& refill = {}) {
    const BatchNumber batch = ++batch_;
    const Result<Committed> done = all(
        [&](Store& store) { return store.commit(worker, batch, steps, refill); },
        [](const Committed& a, const Committed& b) {
          const auto same_step = [](const StepAnswer& x, const StepAnswer& y) {
            return x.outcome == y.outcome && x.opened == y.opened && x.made_ready == y.made_ready;
          };
          const auto same_mark = [](const JobMark& x, const JobMark& y) {
            return x.job == y.job && x.generation == y.generation && x.state == y.state;
          };
          return std::ranges::equal(a.steps, b.steps, same_step) &&
                 std::ranges::equal(a.jobs, b.jobs, same_mark) && a.is_short == b.is_short &&
                 same_claims(a.claims, b.claims);
        });
    if (!done) return;
    std::string told = "commit";
    for (std::size_t i = 0; i < steps.size(); ++i) {
      told += " task " + std::to_string(steps[i].next.id.value()) + ":" +
              std::to_string(static_cast<int>(steps[i].next.kind())) + "=" +
              std::to_string(static_cast<int>(done->steps[i].outcome));
    }
    tell(told);
    for (const StepAnswer& answer : done->steps) {
      for (const Task& opened : answer.opened) held_.push_back({opened, worker});
    }
    hold(done->claims.opened, worker);
    for (const Claimed& one : done->claims.conditional) settle_condition(one.task, worker);
  }

  Act random_act() {
    const JobId job = jobs_.empty() ? JobId{1} : dice_.pick(jobs_);
    const std::vector<Item> items = *memory_->records().items({.job = job, .limit = 1'000});
    const ItemId item = items.empty() || dice_.one_in(20) ? ItemId{77} : dice_.pick(items).id;
    const auto wanted = dice_.any_of<std::optional<StateKind>>(
        {std::nullopt, StateKind::failed, StateKind::failed, StateKind::succeeded});
    const std::vector<Task> tasks =
        *memory_->records().tasks({.job = job, .state = wanted, .limit = 1'000});
    const Task task = tasks.empty() ? Task{.id = TaskId{99}} : dice_.pick(tasks);
    const std::vector<Review> reviews = *memory_->records().reviews({.limit = 1'000});
    const ReviewId review = reviews.empty() ? ReviewId{5} : dice_.pick(reviews).id;
    const std::string who = dice_.any_of<std::string>({"eve", "eve", "bob"});
    switch (dice_.below(20)) {
      case 0:
        return CancelJob{job};
      case 1:
        return PauseJob{job};
      case 2:
      case 3:
        return ResumeJob{job};
      case 4:
        return SetBudget{job, {.max_total_attempts = 40}};
      case 5:
        return ReopenSubmission{job};
      case 6:
        return CancelItem{item};
      case 7:
      case 8:
      case 9:
        return Rerun{.task = task.id,
                     .note = dice_.any_of<std::string>({"", "again"}),
                     .by = who,
                     .expected = dice_.one_in(4) ? task.version + 1 : Version{0}};
      case 10:
        return UndoAnswer{review, who};
      case 11:
        return ClaimReview{review, who, clock_.now() + 2s};
      case 12:
        return ReleaseReview{review, who};
      case 13:
        return DiscardDeadLetter{task.id, dice_.any_of<std::string>({"known", ""}), who};
      case 14:
        return PurgeItem{item};
      default:
        break;
    }
    Answer answer{.outcome = dice_.any_of({ReviewOutcome::approve, ReviewOutcome::approve,
                                           ReviewOutcome::approve_with_edits,
                                           ReviewOutcome::request_changes, ReviewOutcome::reject}),
                  .reviewer = who,
                  .note = dice_.one_in(6) ? "" : "because"};
    if (answer.outcome == ReviewOutcome::approve_with_edits && !dice_.one_in(6)) {
      answer.edits = Json("edited");
    }
    if (dice_.one_in(5)) answer.attempt = static_cast<AttemptNumber>(1 + dice_.below(3));
    if (dice_.one_in(3)) answer.effective_at = clock_.now() + 2s;
    if (dice_.one_in(10)) answer.digest = "sha256:other";
    return AnswerReview{review, answer};
  }

  void act() {
    const Act wanted = random_act();
    const Result<Job> done = all([&](Store& store) { return store.act(wanted); },
                                 [](const Job& a, const Job& b) { return a == b; });
    tell("act " + std::to_string(wanted.index()) + (done ? "" : ": " + done.error().text()));
  }

  void pass_time() {
    const Timestamp due = memory_->sweep({})->next_due;
    for (const Other& other : others_) (void)other.store->sweep({});
    if (next_open_ != no_time && dice_.one_in(3)) {
      clock_.advance_to(dice_.one_in(2) ? next_open_ : next_open_ - 1us);
    } else if (due != no_time && dice_.one_in(2)) {
      clock_.advance_to(dice_.one_in(2) ? due : due - 1us);
    } else {
      clock_.advance(Duration{static_cast<std::int64_t>(dice_.below(3'000'000))});
    }
    tell("time passes");
  }

  void sweep() {
    const SweepRequest request{.self = dice_.one_in(3) ? WorkerId{} : any_worker(),
                               .max = dice_.any_of({1U, 3U, 1'000U, 1'000U})};
    const Swept swept =
        *all([&](Store& store) { return store.sweep(request); },
             [](const Swept& a, const Swept& b) {
               return told(a) == told(b) || (ADD_FAILURE() << told(a) << " and " << told(b), false);
             });
    tell(told(swept));
  }
  /// What is due next is compared when the sweep changed nothing: a job that it ended may still
  /// show its deadline, which costs one idle look.
  static std::string told(const Swept& swept) {
    const bool idle = swept.woken + swept.interrupted + swept.answered + swept.ended_jobs == 0;
    const std::string next =
        idle ? ", next " + std::to_string(swept.next_due.time_since_epoch().count()) : "";
    return "sweep: woken " + std::to_string(swept.woken) + ", interrupted " +
           std::to_string(swept.interrupted) + ", answered " + std::to_string(swept.answered) +
           ", ended " + std::to_string(swept.ended_jobs) + (swept.more ? ", more" : next);
  }

  void worker_life() {
    const WorkerId worker = any_worker();
    switch (dice_.below(4)) {
      case 0:
        enlist();
        return;
      case 1:
        tell("retire worker " + std::to_string(worker.value()));
        all([&](Store& store) { return store.retire(worker); });
        return;
      default:
        all([&](Store& store) { return store.renew(worker); });
        return;
    }
  }

  bool work_off(WorkerId worker) {
    all([&](Store& store) { return store.renew(worker); });
    const Swept swept = *all([&](Store& store) { return store.sweep({.self = worker}); });
    bool any = swept.woken + swept.interrupted + swept.answered > 0;
    const std::vector<Review> open =
        *memory_->records().reviews({.status = ReviewStatus::open, .limit = 1'000});
    for (const Review& review : open) {
      any = all([&](Store& store) {
              return store.act(AnswerReview{review.id, {.reviewer = review.claimed_by}});
            }).has_value() ||
            any;
    }
    Timestamp next = swept.next_due;
    for (const JobId job : jobs_) {
      LaneShare share{.job = job, .lanes = {}, .max = 100};
      const std::vector<LaneHead> heads = *memory_->ready_lanes();
      for (const LaneHead& head : heads) {
        if (head.job == job) share.lanes.push_back({head.lane, head.stage});
      }
      const Result<Claims> claims =
          all([&](Store& store) { return store.claim({.worker = worker, .shares = {share}}); });
      for (const Claimed& one : claims->conditional) commit({skip_by_choice(one.task)}, worker);
      std::vector<Step> steps;
      for (const Claimed& one : claims->opened) {
        Step step = closing(one.task, {.closed = succeeded(), .children = {}});
        step.generation = 0;
        steps.push_back(std::move(step));
      }
      if (!steps.empty()) commit(steps, worker);
      any = any || !steps.empty() || !claims->conditional.empty();
      if (claims->next_open != no_time && (next == no_time || claims->next_open < next)) {
        next = claims->next_open;
      }
    }
    if (!any && next != no_time) {
      clock_.advance_to(next);
      return true;
    }
    return any;
  }

  Dice dice_;
  bool tells_;
  ManualClock clock_;
  std::shared_ptr<Store> memory_;
  std::vector<Other> others_;
  std::vector<WorkerId> workers_;
  std::vector<Workflow> workflows_;
  std::vector<JobId> jobs_;
  std::vector<Held> held_;
  Timestamp next_open_;  ///< what the last claim said
  BatchNumber batch_ = 0;
};

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// trap 24, reliability layer 4
TEST(Differential, the_same_history_leaves_the_same_rows_on_every_store) {
  constexpr int steps = 60;
  constexpr int steps_between_comparisons = 20;
  const bool replays = std::getenv("PAWL_SEED") != nullptr;
  const std::uint64_t first = number_from("PAWL_SEED", 1);
  const std::uint64_t last = replays ? first : number_from("PAWL_SEEDS", 250);
  // Hundreds of small files: where there is a file system in memory, there.
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
  const auto before = std::signal(SIGABRT, tell_seed);
  for (std::uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
    current_seed = static_cast<std::sig_atomic_t>(seed);
    SCOPED_TRACE("replay with PAWL_SEED=" + std::to_string(seed));
    History history(seed, replays);
    for (int step = 1; step <= steps && !HasFailure(); ++step) {
      history.step();
      if (step % steps_between_comparisons == 0 || replays) history.compare();
    }
    if (HasFailure()) break;
    history.run_to_the_end();
    history.compare();
  }
  std::signal(SIGABRT, before);
}

}  // namespace
}  // namespace pawl::driving
