#include "contract/random_history.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include <unistd.h>

#include "pawl/codec/names.hpp"

namespace pawl::driving {

using namespace std::chrono_literals;

RandomHistory::RandomHistory(std::uint64_t seed, Options options, Store& store, ManualClock& clock)
    : dice_(seed), options_(options), store_(store), clock_(clock), acts_(dice_, store, clock) {
  for (int i = 0; i < 2; ++i) enlist();
}

void RandomHistory::step() {
  switch (dice_.below(17)) {
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
    case 15:
      return change_people();
    default:
      return worker_life();
  }
}

void RandomHistory::run_to_the_end() {
  tell("the end");
  clock_.advance(10s);  // the leases of all other workers expire
  const WorkerId last = enlist();
  workers_ = {last};
  held_.clear();
  for (const JobId id : jobs_) {
    const Job job = *store_.records().job(id);
    if (job.submission_open && !job.cancelled) (void)store_.add_items({.job = id, .close = true});
    (void)store_.act(SetBudget{id, {}});
    (void)store_.act(ResumeJob{id});
    const std::vector<StageIndex> paused = store_.records().job(id)->paused_stages;
    for (const StageIndex stage : paused) (void)store_.act(ResumeStage{id, stage});
  }
  for (int round = 0; round < 500 && work_off(last); ++round) {
  }
  for (const JobId id : jobs_) {
    const Job ended = *store_.records().job(id);
    EXPECT_TRUE(ended.has_ended()) << "job " << id.value() << " has not ended: " << left_of(id);
    EXPECT_EQ(ended.attempts_open, 0);
  }
}

/// The tasks that have not ended, and the open reviews, in words.
std::string RandomHistory::left_of(JobId job) {
  std::string words;
  const std::vector<Task> tasks = *store_.records().tasks({.job = job, .limit = 1'000});
  for (const Task& task : tasks) {
    if (has_ended(task.kind())) continue;
    words += "task " + std::to_string(task.id.value()) + " is " +
             std::string(name_of(task.kind())) + "; ";
  }
  const std::vector<Review> reviews = *store_.records().reviews({.job = job, .limit = 1'000});
  for (const Review& review : reviews) {
    if (review.status != ReviewStatus::open) continue;
    const Result<Job> done = store_.act(AnswerReview{review.id, {.reviewer = "nina"}});
    words += "review " + std::to_string(review.id.value()) + ": " +
             (done ? "" : done.error().text()) + "; ";
  }
  return words;
}

void RandomHistory::tell(const std::string& what) const {
  if (options_.tells) std::cout << "  " << what << std::endl;
}

WorkerId RandomHistory::enlist() {
  workers_.push_back(*store_.enlist({.host = "h", .pid = 1, .name = "w", .lease = 5s}));
  return workers_.back();
}
void RandomHistory::hold(const std::vector<Claimed>& opened, WorkerId worker) {
  for (const Claimed& one : opened) held_.push_back({one.task, worker});
}

std::vector<NewItem> RandomHistory::some_items(std::uint64_t max) {
  std::vector<NewItem> items;
  for (std::uint64_t i = dice_.below(max + 1); i > 0; --i) {
    NewItem item{.key = "k" + std::to_string(dice_.below(6)),
                 .category = dice_.any_of<std::string>({"", "red"}),
                 .data = Json(dice_.below(3))};
    if (options_.brings_history) {
      item.data_sha256 = dice_.any_of<std::string>({"", "d", "d"});
      if (dice_.one_in(8)) item.history = some_history();
    }
    items.push_back(std::move(item));
  }
  return items;
}

ItemHistory RandomHistory::some_history() {
  Attempt past;
  past.number = 1;
  past.result = AttemptResult::failure;
  past.ended_at = clock_.now();
  past.decision.rule = Rule::imported;
  return {.attempts = {past}, .dead = dice_.one_in(2)};
}

/// A random workflow with some of the policies that `random_workflow` does not use.
Workflow RandomHistory::some_workflow() {
  for (;;) {
    WorkflowDefinition definition = random_workflow(dice_).definition();
    if (definition.stages.back().name == "post" && dice_.one_in(2)) {
      definition.stages.push_back(stage("last", {"post"}));
      definition.stages.back().scope = Scope::all;
    }
    for (StageDefinition& stage : definition.stages) {
      if (dice_.one_in(4)) stage.retry.refine_delay = 2s;
      if (dice_.one_in(4)) stage.retry.max_rate_limit_waits = 1;
      if (dice_.one_in(4)) stage.retry.max_retry_after = 2s;
      if (dice_.one_in(4)) stage.retry.backoff.max = 1'500ms;
      if (dice_.one_in(6)) stage.review = ReviewPolicy::on_escalation_or_uncertain;
      const bool may_ask = stage.review != ReviewPolicy::never;
      if (may_ask && dice_.one_in(2)) stage.review_rules = random_rules(dice_);
      if (dice_.one_in(6)) stage.tolerate_failures = {.count = {}, .percent = 50.0};
      if (dice_.one_in(10)) {
        stage.handler.clear();
        stage.review = ReviewPolicy::always;
        stage.gates.clear();
      }
      if (stage.scope == Scope::all && dice_.one_in(3)) {
        stage.joins = dice_.one_in(2);
        stage.on_failure = dice_.any_of({OnFailure::proceed, OnFailure::stop_job});
      }
    }
    const auto compiled = compile(definition);
    if (compiled) return *compiled;
  }
}

Work RandomHistory::some_work(const StageDefinition& stage, const Task& task) {
  Work work = random_work(dice_, stage, task);
  if (!task.child && task.cause != Cause::join && dice_.one_in(8)) {
    work.closed = {};
    work.closed.result = AttemptResult::expanded;
    work.children.clear();
    for (std::uint64_t i = 1 + dice_.below(4); i > 0; --i) {
      work.children.push_back({.key = "c" + std::to_string(i), .data = Json(i)});
    }
  }
  if (work.closed.error && dice_.one_in(6)) work.closed.error->kind = ErrorKind::protocol;
  return work;
}

NewJob RandomHistory::some_job() {
  NewJob fresh{.workflow = dice_.pick(workflows_),
               .key = dice_.any_of<std::string>({"", "", "key"}),
               .params = Json(dice_.below(2)),
               .parallel = dice_.any_of({0U, 0U, 1U, 3U}),
               .priority = static_cast<std::int32_t>(dice_.below(2)),
               .by = {.name = dice_.any_of<std::string>({"", "eve", "bob"})}};
  Budget& budget = fresh.budget;
  if (dice_.one_in(3)) budget.max_total_attempts = static_cast<std::int64_t>(dice_.below(12));
  if (dice_.one_in(4)) {
    budget.deadline = Duration{static_cast<std::int64_t>(dice_.below(40'000'000))};
  }
  if (dice_.one_in(4)) budget.max_attempts_per_task = 2;
  if (dice_.one_in(4)) budget.no_progress_decisions = 4;
  if (dice_.one_in(6)) budget.no_progress = 9s;
  if (dice_.one_in(4)) budget.cost_microusd = 20;
  if (dice_.one_in(6)) budget.tokens = 40;
  if (dice_.one_in(2)) budget.exhausted = OnBudgetEnd::fail;
  if (dice_.one_in(5)) fresh.tolerate_failures.count = static_cast<std::int64_t>(dice_.below(3));
  if (dice_.one_in(6)) fresh.tolerate_failures.percent = 40.0;
  return fresh;
}

void RandomHistory::submit() {
  if (jobs_.size() >= 3) return claim();
  if (workflows_.empty() || dice_.one_in(2)) workflows_.push_back(some_workflow());
  const NewJob fresh = some_job();
  const std::vector<NewItem> items = some_items(5);
  const WorkerId worker = dice_.pick(workers_);
  const AddItems chunk{.items = items,
                       .adopt = options_.brings_history && dice_.one_in(2),
                       .close = !dice_.one_in(3),
                       .open_for = dice_.one_in(2) ? worker : WorkerId{},
                       .open_max = static_cast<std::uint32_t>(dice_.below(4))};
  const Result<Submitted> done = store_.submit(fresh, chunk);
  if (!done) return;
  tell("submit job " + std::to_string(done->job.id.value()));
  if (std::ranges::count(jobs_, done->job.id) == 0) jobs_.push_back(done->job.id);
  hold(done->items.opened, worker);
}

void RandomHistory::add_items() {
  if (jobs_.empty()) return submit();
  const JobId job = dice_.pick(jobs_);
  tell("add items to job " + std::to_string(job.value()));
  const std::vector<NewItem> items = some_items(3);
  (void)store_.add_items({.job = job, .items = items, .close = dice_.one_in(2)});
}

std::vector<LaneShare> RandomHistory::some_shares() {
  std::vector<LaneShare> shares;
  const std::vector<LaneHead> heads = *store_.ready_lanes();
  for (const JobId job : jobs_) {
    LaneShare share{.job = job, .lanes = {}, .max = static_cast<std::uint32_t>(dice_.below(5))};
    for (const LaneHead& head : heads) {
      if (head.job == job && !dice_.one_in(5)) share.lanes.push_back({head.lane, head.stage});
    }
    shares.push_back(share);
  }
  return shares;
}

void RandomHistory::claim() {
  const WorkerId worker = dice_.pick(workers_);
  const Result<Claims> claims = store_.claim({.worker = worker, .shares = some_shares()});
  if (!claims) return;
  next_open_ = claims->next_open;
  std::string told = "claim for worker " + std::to_string(worker.value());
  for (const Claimed& one : claims->opened) told += " task " + std::to_string(one.task.id.value());
  tell(told);
  hold(claims->opened, worker);
  for (const Claimed& one : claims->conditional) settle_condition(one.task, worker);
}

void RandomHistory::settle_condition(const Task& ready, WorkerId worker) {
  if (dice_.one_in(3)) return commit({skip_by_choice(ready)}, worker);
  Step step{.was = StateKind::ready, .expected = ready.version, .next = ready};
  ++step.next.version;
  step.open_for = worker;
  step.open_max = 1;
  commit({step}, worker);
}

Step RandomHistory::closing(const Task& task, Work work) {
  const Job job = *store_.records().job(task.job);
  const Workflow flow = *store_.records().workflow(job.workflow_hash);
  work.closed.ended_at = clock_.now();
  work.closed.attempts_cap = job.budget.max_attempts_per_task;
  work.closed.cancelled_by = job.cancelled;
  if (!work.closed.cancelled_by && task.item) {
    const Result<Item> item = store_.records().item(task.item);
    if (item) work.closed.cancelled_by = item->cancelled;
  }
  Step step =
      close(flow.stage(task.stage()), task, std::move(work.closed), std::move(work.children));
  // Not the next generation, which an earlier step may make valid.
  step.generation = dice_.one_in(10) ? job.generation + 100 : job.generation;
  return step;
}

void RandomHistory::close_some() {
  if (held_.empty()) return claim();
  const WorkerId worker = dice_.pick(held_).worker;
  std::vector<Step> steps;
  for (std::uint64_t some = 1 + dice_.below(3); some > 0 && !held_.empty(); --some) {
    const auto place = static_cast<std::ptrdiff_t>(dice_.below(held_.size()));
    const Held held = held_[static_cast<std::size_t>(place)];
    if (held.worker != worker) continue;
    const Job job = *store_.records().job(held.task.job);
    const Workflow flow = *store_.records().workflow(job.workflow_hash);
    Step step = closing(held.task, some_work(flow.stage(held.task.stage()), held.task));
    // Sometimes an answer is delivered again later.
    if (!dice_.one_in(6)) held_.erase(held_.begin() + place);
    if (dice_.one_in(2)) {
      step.open_for = worker;
      step.open_max = static_cast<std::uint32_t>(1 + dice_.below(2));
    }
    steps.push_back(std::move(step));
  }
  commit(steps, worker, dice_.one_in(3) ? Refill{.shares = some_shares()} : Refill{});
}

void RandomHistory::commit(const std::vector<Step>& steps, WorkerId worker, const Refill& refill) {
  const BatchNumber batch = ++batch_;
  const Result<Committed> done = store_.commit(worker, batch, steps, refill);
  if (!done) return;
  std::string told = "commit";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    told += " task " + std::to_string(steps[i].next.id.value()) + ":" +
            std::to_string(static_cast<int>(steps[i].next.kind())) + "=" +
            std::to_string(static_cast<int>(done->steps[i].outcome)) + "+" +
            std::to_string(done->steps[i].opened.size());
  }
  tell(told);
  for (const StepAnswer& answer : done->steps) {
    for (const Task& opened : answer.opened) held_.push_back({opened, worker});
  }
  hold(done->claims.opened, worker);
  for (const Claimed& one : done->claims.conditional) settle_condition(one.task, worker);
}

/// Answers all reviews with a delay in which the answers can be withdrawn.
void RandomHistory::answer_everything_later() {
  const std::vector<Review> open =
      *store_.records().reviews({.status = ReviewStatus::open, .limit = 1'000});
  const Timestamp later = clock_.now() + 2s;
  for (const Review& review : open) {
    const auto outcome = dice_.any_of(
        {ReviewOutcome::approve, ReviewOutcome::request_changes, ReviewOutcome::reject});
    (void)store_.act(AnswerReview{
        review.id,
        {.outcome = outcome, .reviewer = "eve", .note = "because", .effective_at = later}});
  }
  tell("answer " + std::to_string(open.size()) + " reviews");
}

void RandomHistory::act() {
  if (dice_.one_in(8)) return answer_everything_later();
  const Act wanted = acts_.some_act(jobs_);
  const bool is_signed = dice_.one_in(3);
  const Actor actor = acts_.some_actor();
  const Result<Job> done = is_signed ? store_.act(wanted, actor) : store_.act(wanted);
  tell("act " + std::to_string(wanted.index()) + (is_signed ? " by " + actor.name : "") +
       (done ? "" : ": " + done.error().text()));
}

void RandomHistory::change_people() {
  const PeopleChange wanted = acts_.some_change(options_.brings_tokens);
  const Actor actor = dice_.one_in(2) ? acts_.some_actor() : Actor{.name = "root"};
  const Status done = store_.people().change(wanted, actor);
  tell("change people " + std::to_string(wanted.index()) + " by " + actor.name +
       (done ? "" : ": " + done.error().text()));
  if (options_.brings_tokens && dice_.one_in(3)) (void)store_.people().note_use(1);
}

void RandomHistory::pass_time() {
  const Timestamp due = store_.sweep({})->next_due;
  if (next_open_ != no_time && dice_.one_in(3)) {
    clock_.advance_to(dice_.one_in(2) ? next_open_ : next_open_ - 1us);
  } else if (due != no_time && dice_.one_in(2)) {
    clock_.advance_to(dice_.one_in(2) ? due : due - 1us);
  } else {
    clock_.advance(Duration{static_cast<std::int64_t>(dice_.below(3'000'000))});
  }
  tell("time passes");
}

void RandomHistory::sweep() {
  const SweepRequest request{.self = dice_.one_in(3) ? WorkerId{} : dice_.pick(workers_),
                             .max = dice_.any_of({1U, 3U, 1'000U, 1'000U})};
  const Swept swept = *store_.sweep(request);
  tell("sweep: woken " + std::to_string(swept.woken) + ", interrupted " +
       std::to_string(swept.interrupted) + ", answered " + std::to_string(swept.answered) +
       ", noticed " + std::to_string(swept.noticed) + ", ended " +
       std::to_string(swept.ended_jobs));
}

void RandomHistory::worker_life() {
  const WorkerId worker = dice_.pick(workers_);
  switch (dice_.below(4)) {
    case 0:
      enlist();
      return;
    case 1:
      tell("retire worker " + std::to_string(worker.value()));
      (void)store_.retire(worker);
      return;
    default:
      (void)store_.renew(worker);
      return;
  }
}

/// Lets strangers, whom the store trusts as its local users, approve until it is enough.
bool RandomHistory::approve(const Review& review) {
  (void)store_.act(AssignReview{review.id, {}, {}, "nina"});
  (void)store_.act(
      ClaimReview{.review = review.id, .by = "nina", .until = clock_.now() + 1s, .steal = true});
  (void)store_.act(ReleaseReview{review.id, "nina"});
  bool any = false;
  for (const std::string who : {"nina", "otto", "paul"}) {
    const Result<Review> now = store_.records().review(review.id);
    if (!now || now->status != ReviewStatus::open) break;
    const Answer edited{
        .outcome = ReviewOutcome::approve_with_edits, .reviewer = who, .edits = Json("by hand")};
    // An attempt that failed has no output to approve.
    any = store_.act(AnswerReview{review.id, {.reviewer = who}}).has_value() ||
          store_.act(AnswerReview{review.id, edited}).has_value() || any;
  }
  return any;
}

bool RandomHistory::work_off(WorkerId worker) {
  const bool all_ended =
      std::ranges::all_of(jobs_, [&](JobId id) { return store_.records().job(id)->has_ended(); });
  if (all_ended) return false;
  (void)store_.renew(worker);
  const Swept swept = *store_.sweep({.self = worker});
  tell("sweep: answered " + std::to_string(swept.answered));
  bool any = swept.woken + swept.interrupted + swept.answered + swept.noticed > 0;
  const std::vector<Review> open =
      *store_.records().reviews({.status = ReviewStatus::open, .limit = 1'000});
  for (const Review& review : open) any = approve(review) || any;
  Timestamp next = swept.next_due;
  for (const JobId job : jobs_) {
    LaneShare share{.job = job, .lanes = {}, .max = 100};
    const std::vector<LaneHead> heads = *store_.ready_lanes();
    for (const LaneHead& head : heads) {
      if (head.job == job) share.lanes.push_back({head.lane, head.stage});
    }
    const Result<Claims> claims = store_.claim({.worker = worker, .shares = {share}});
    for (const Claimed& one : claims->conditional) commit({skip_by_choice(one.task)}, worker);
    // One by one: a step may stop the job, and the next decision must take that into account.
    for (const Claimed& one : claims->opened) {
      Step step = closing(one.task, {.closed = succeeded(), .children = {}});
      step.generation = 0;
      commit({step}, worker);
    }
    any = any || !claims->opened.empty() || !claims->conditional.empty();
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

namespace {

volatile std::sig_atomic_t current_seed = 0;

/// A failed `require` ends the process; print the seed before that.
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

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

void play_histories(std::uint64_t count,
                    const std::function<void(std::uint64_t seed, bool tells)>& play) {
  const bool replays = std::getenv("PAWL_SEED") != nullptr;
  const std::uint64_t first = number_from("PAWL_SEED", 1);
  const std::uint64_t last = replays ? first : number_from("PAWL_SEEDS", count);
  // Hundreds of small files: use a file system in memory if there is one.
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
  const auto before = std::signal(SIGABRT, tell_seed);
  for (std::uint64_t seed = first; seed <= last && !testing::Test::HasFailure(); ++seed) {
    current_seed = static_cast<std::sig_atomic_t>(seed);
    SCOPED_TRACE("replay with PAWL_SEED=" + std::to_string(seed));
    play(seed, replays);
  }
  std::signal(SIGABRT, before);
}

}  // namespace pawl::driving
