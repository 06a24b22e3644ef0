#include "pawl/runtime/engine.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <span>
#include <utility>

#include <unistd.h>

#include "pawl/core/text.hpp"
#include "runtime/loop.hpp"
#include "runtime/mutex.hpp"
#include "runtime/submission.hpp"
#include "store/pending_answers.hpp"

namespace pawl {

namespace {

constexpr std::size_t chunk_size = 10'000;
/// A waiting thread reads its job this often even if the store shows no change.
constexpr auto read_again_after = std::chrono::seconds(1);

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

/// Submits to the store, waits for jobs, and forwards everything else to the loop.
class EngineOnLoop final : public Engine {
 public:
  EngineOnLoop(std::shared_ptr<Store> store, const EngineOptions& options, const Clock& clock,
               WorkerHello hello, WorkerId worker)
      : store_(std::move(store)),
        clock_(clock),
        loop_(std::make_unique<runtime::Loop>(store_, options, clock, std::move(hello), worker)),
        poll_interval_(options.poll_interval),
        inline_(options.threads == 0) {}

  ~EngineOnLoop() override {
    stop();
    loop_.reset();  // its threads may still tell of news
  }

  void serve(const Program& program) override { loop_->serve(program.handlers()); }

  void serve(const Handlers& handlers) override { loop_->serve(handlers); }

  void serve(CodeSource source) override { loop_->serve(std::move(source)); }

  void keep_to(JobId job) override { loop_->keep_to(job); }

  Result<JobId> submit(const Workflow& workflow, std::vector<NewItem> items,
                       const JobOptions& options) override {
    auto rest = std::make_shared<std::vector<NewItem>>(std::move(items));
    auto next = std::make_shared<std::size_t>(0);
    return submit(
        workflow,
        [rest, next](std::vector<NewItem>& page) -> Result<bool> {
          const std::size_t end = std::min(*next + chunk_size, rest->size());
          for (; *next < end; ++*next) page.push_back(std::move((*rest)[*next]));
          return *next < rest->size();
        },
        options);
  }

  Result<JobId> submit(const Workflow& workflow, const ItemSource& source,
                       const JobOptions& options) override {
    return runtime::submit_pages(workflow, source, options, sink());
  }

  Result<Added> add_items(JobId job, std::vector<NewItem> items, bool close) override {
    runtime::give_keys(items);
    return add({.job = job, .items = items, .close = close, .open_for = {}});
  }

  Status resume_submission(JobId job, const ItemSource& source, const Actor& by) override {
    const Result<Job> reopened = store_->act(ReopenSubmission{.job = job}, by);
    if (!reopened) return std::unexpected(reopened.error());
    return runtime::add_pages({.job = job, .close = true}, source, sink());
  }

  using Engine::act;
  Result<Job> act(const Act& act, const Actor& actor) override {
    Result<Job> job = store_->act(act, actor);
    if (job) {
      loop_->look_again();
      loop_->feed().notify();
      tell_waiting();
    }
    return job;
  }

  Store& store() override { return *store_; }
  [[nodiscard]] EngineStatus status() const override { return loop_->status(); }

  Result<Job> wait(JobId id, const JobWatch& watch) override {
    using Steady = std::chrono::steady_clock;
    Result<Job> job = Job{};
    std::uint64_t seen_mark = 0;
    Steady::time_point read_at;
    Steady::time_point watch_at;
    for (;;) {
      if (!is_started_) run_until_idle();
      const EngineStatus status = loop_->status();
      if (status.fault) return std::unexpected(*status.fault);
      const bool is_drained = loop_->is_draining() && status.open_attempts == 0;
      const bool goes_on = !loop_->has_stopped() && !is_drained;
      const std::uint64_t mark = store_->change_mark();
      const Steady::time_point now = Steady::now();
      if (mark != seen_mark || now >= read_at) {
        seen_mark = mark;
        read_at = now + read_again_after;
        job = store_->records().job(id);
        if (job ? is_wait_over(*job) : !watch) return job;
      }
      if (!goes_on) return store_->records().job(id);  // it may have changed with the last commit
      if (!is_started_ && !clock_.ticks()) return job;
      if (watch && now >= watch_at) {
        watch_at = now + poll_interval_;
        if (!watch(job)) return job;
      }
      std::unique_lock lock(progress_mutex_);
      progress_.wait_for(lock, std::chrono::milliseconds(20));
    }
  }

  Subscription subscribe(EventSeq after, std::function<void(const Event&)> on_event) override {
    const std::uint64_t id = loop_->feed().add(after, std::move(on_event));
    return Subscription([this, id] { loop_->feed().remove(id); });
  }

  void start() override {
    require(!inline_, "an engine without threads is driven by poll()");
    if (is_started_) return;
    loop_->feed().start();
    loop_->start([this] { tell_waiting(); });
    is_started_ = true;  // only now: the system may have given no threads
  }

  void drain() override { loop_->drain(); }

  void stop() override {
    const std::lock_guard one_at_a_time(stop_mutex_);
    if (loop_->has_stopped()) return;
    loop_->begin_stop();
    if (is_started_) {
      std::unique_lock lock(progress_mutex_);
      progress_.wait(lock, [&] { return loop_->has_stopped(); });
    } else {
      // Driven by the host: nobody else will.
      while (!loop_->has_stopped()) {
        if (loop_->poll()) continue;
        if (!clock_.ticks()) break;
        loop_->desk().wait_for_mail(std::chrono::milliseconds(20));
      }
    }
    loop_->feed().stop();
    tell_waiting();
  }

  bool poll() override {
    require(!is_started_, "a started engine drives itself");
    return loop_->poll();
  }

  void run_until_idle() override {
    if (is_started_) return;
    while (loop_->poll()) {
    }
  }

  [[nodiscard]] Timestamp next_wake() const override { return loop_->next_wake(); }
  [[nodiscard]] int wake_fd() const override { return loop_->desk().fd(); }

 private:
  void tell_waiting() {
    {
      const std::lock_guard lock(progress_mutex_);
    }
    progress_.notify_all();
  }

  /// Nothing more happens here: the job has ended, is paused, or waits only for reviewers. An
  /// answer that has been given takes effect here, and then the job goes on.
  bool is_wait_over(const Job& job) {
    if (job.has_ended()) return true;
    if (job.attempts_open > 0) return false;
    if (state_of(job) != JobState::running) return true;
    if (!waits_for_people(job)) return false;
    const Result<bool> is_answered = store::has_pending_answer(store_->records(), job.id);
    return is_answered && !*is_answered;
  }

  /// Pages go to the store, which opens as much of them as there is room for.
  [[nodiscard]] runtime::PageSink sink() {
    return {.begin = [this](const NewJob& job, const AddItems& page) { return begin(job, page); },
            .add = [this](const AddItems& page) { return add(page); }};
  }

  Result<Submitted> begin(const NewJob& job, const AddItems& page) {
    Result<Submitted> submitted =
        opening_at_once(page, room(job.workflow, page.items),
                        [&](const AddItems& chunk) { return store_->submit(job, chunk); });
    if (submitted) after_submission(std::exchange(submitted->items.opened, {}), page.items.size());
    return submitted;
  }

  Result<Added> add(const AddItems& page) {
    Result<Added> added =
        opening_at_once(page, room_in(page.job, page.items),
                        [&](const AddItems& chunk) { return store_->add_items(chunk); });
    if (added) after_submission(std::exchange(added->opened, {}), page.items.size());
    return added;
  }

  /// Adds a chunk and opens as much of it as there is room for. If the worker has just lost its
  /// lease, the chunk is added without opening anything. If the answer is lost, attempts may be
  /// open that the loop does not know of, so it looks for them.
  template <class Add>
  auto opening_at_once(AddItems chunk, std::uint32_t room, Add add) -> decltype(add(chunk)) {
    if (room == 0) return add(chunk);
    AddItems opening = chunk;
    opening.open_for = loop_->worker();
    opening.open_max = room;
    auto added = add(opening);
    if (!added && added.error().code == ErrorCode::not_found) return add(chunk);
    if (!added && added.error().code == ErrorCode::unavailable) loop_->look_for_unknown();
    return added;
  }

  /// An idle engine opens what it submits in the same transaction.
  [[nodiscard]] std::uint32_t room(const Workflow& workflow, std::span<const NewItem> items) const {
    return loop_->would_open(workflow, items) ? loop_->spare_room() : 0;
  }
  [[nodiscard]] std::uint32_t room_in(JobId job, std::span<const NewItem> items) {
    if (loop_->spare_room() == 0 || items.empty()) return 0;
    const runtime::MutexLock lock(mutex_);
    auto known = workflows_.find(job);
    if (known == workflows_.end()) {
      const Result<Job> row = store_->records().job(job);
      if (!row) return 0;
      const Result<Workflow> workflow = store_->records().workflow(row->workflow_hash);
      if (!workflow) return 0;
      if (workflows_.size() > 100) workflows_.clear();
      known = workflows_.emplace(job, *workflow).first;
    }
    return room(known->second, items);
  }

  void after_submission(std::vector<Claimed> opened, std::size_t items) {
    const bool all_opened = items > 0 && opened.size() >= items;
    if (!opened.empty()) loop_->adopt_opened(std::move(opened));
    if (!all_opened) loop_->nudge();
    loop_->feed().notify();
  }

  // Set in the constructor.
  std::shared_ptr<Store> store_;
  const Clock& clock_;
  std::unique_ptr<runtime::Loop> loop_;
  const Duration poll_interval_;
  const bool inline_;

  std::atomic<bool> is_started_ = false;

  std::mutex stop_mutex_;
  std::mutex progress_mutex_;  ///< guards no data; taken before a notify, so that no wait misses it
  std::condition_variable progress_;

  runtime::Mutex mutex_;
  /// Of jobs that items were added to.
  std::map<JobId, Workflow> workflows_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<Store> store,
                                               EngineOptions options) {
  const Clock& clock = store->clock();
  return create(std::move(store), std::move(options), clock);
}

Result<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<Store> store, EngineOptions options,
                                               const Clock& clock) {
  WorkerHello hello{.host = host_name(),
                    .pid = ::getpid(),
                    .name = options.name,
                    .lease = options.lease,
                    .limits = {.parallel = options.parallel,
                               .stages = options.stages,
                               .categories = options.categories,
                               .jobs = options.jobs,
                               .left = {}}};
  // As the store records it, so that the worker recognises its own row.
  make_text_valid(hello.host);
  make_text_valid(hello.name);
  const Result<WorkerId> worker = store->enlist(hello);
  if (!worker) return std::unexpected(worker.error());
  return std::make_unique<EngineOnLoop>(std::move(store), options, clock, std::move(hello),
                                        *worker);
}

}  // namespace pawl
