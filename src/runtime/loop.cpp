#include "runtime/loop.hpp"

#include <algorithm>
#include <utility>

namespace pawl {

namespace {

/// The loop's own thread sleeps no longer than this.
constexpr Duration longest_sleep = std::chrono::seconds(1);

/// Word that a time limit begins. A limit that ends long after the loop is driven again, or none at
/// all, is worth nobody's waking.
void announce_limit(Inbox& inbox, Inbox::Call word, Duration limit) {
  if (limit == Duration::zero() || limit >= 2 * longest_sleep) {
    inbox.leave(std::move(word));
  } else {
    inbox.post(std::move(word));
  }
}

}  // namespace

Loop::Loop(std::shared_ptr<Store> store, const EngineOptions& options, const Clock& clock,
           WorkerHello hello, WorkerId worker)
    : store_(std::move(store)),
      options_(options),
      clock_(clock),
      hello_(std::move(hello)),
      inbox_(std::make_shared<Inbox>()),
      feed_(store_->records(), options.poll_interval),
      board_(worker, options.parallel),
      shelf_(options.stages, options.log),
      jobs_(options.takes, shelf_),
      held_(pool_),
      claimer_(options.categories, options.stages),
      lease_(options.lease, clock.now()),
      next_look_(clock.now() + options.poll_interval),
      store_thread_(options.threads > 0),
      lease_thread_(options.threads > 0),
      pool_(options.threads) {
  sweep_.plan(clock.now());
  // What the executing threads call only leaves word; `this` is used when the loop reads it.
  const std::shared_ptr<Inbox> inbox = inbox_;
  ports_ = std::make_shared<const ExecutionPorts>(ExecutionPorts{
      .store = store_,
      .clock = &clock_,
      .may_wait = options.threads > 0,
      .inbox = inbox_,
      .started =
          [this, inbox](const OpenAttempt& attempt, Timestamp at) {
            auto word = [this, task = attempt.task.id, version = attempt.task.version, at] {
              held_.started({task, version}, at);
            };
            announce_limit(*inbox, std::move(word), attempt.stage().retry.attempt_timeout);
          },
      .gate_started =
          [this, inbox](const OpenAttempt& attempt, std::size_t gate, Timestamp at) {
            auto word = [this, task = attempt.task.id, version = attempt.task.version, gate, at] {
              held_.gate_started({task, version}, gate, at);
            };
            announce_limit(*inbox, std::move(word),
                           attempt.stage().timeout_of(attempt.stage().gates[gate]));
          },
      // Whoever brings the output goes on trying; the commit that follows ends the trouble.
      .trouble = [this,
                  inbox](const Error& error) { inbox->post([=, this] { on_trouble(error); }); },
      .completed =
          [this, inbox](std::shared_ptr<const OpenAttempt> attempt, Timestamp started_at,
                        Outcome outcome) {
            inbox->post([this, attempt = std::move(attempt), started_at,
                         outcome = std::move(outcome)]() mutable {
              const OpenName name{attempt->task.id, attempt->task.version};
              if (held_.find_running(name) == nullptr) return;
              pool_.submit(
                  [attempt, started_at, outcome = std::move(outcome), ports = ports_]() mutable {
                    finish_async(attempt, started_at, std::move(outcome), *ports);
                  });
            });
          }});
}

Loop::~Loop() = default;

void Loop::log(LogLevel level, const std::string& text) const {
  if (options_.log) options_.log(level, text);
}

void Loop::serve(const CodeShelf::Handlers& handlers) {
  shelf_.add(handlers);
  serve_again();
}

void Loop::serve(CodeSource source) {
  shelf_.add(std::move(source));
  serve_again();
}

void Loop::serve_again() {
  inbox_->post([this] {
    jobs_.serve_again();
    claimer_.look_afresh();
  });
}

bool Loop::would_open(const Workflow& workflow, const std::vector<NewItem>& items) const {
  // Whether it takes the job is asked when there is one.
  if (!board_.is_idle() || spare_room() == 0) return false;
  if (!options_.jobs.empty() || options_.takes) return false;
  const auto code = shelf_.code_for(workflow);
  const bool served = std::ranges::all_of(workflow.first_stages(), [&](StageIndex stage) {
    return shelf_.can_run(workflow.stage(stage), code[at(stage)].get());
  });
  return served && std::ranges::all_of(items, [&](const NewItem& item) {
           return options_.categories.empty() || options_.categories.contains(item.category);
         });
}

void Loop::adopt_opened(std::vector<Claimed> opened) {
  const auto count = static_cast<std::int64_t>(opened.size());
  board_.add_arriving(count);
  {
    const Inbox::Quiet quiet(*inbox_);
    inbox_->post([this, count, opened = std::move(opened)]() mutable {
      start_claimed(std::move(opened));
      board_.add_arriving(-count);
    });
  }
  // One that is about to run the first of them may as well start them.
  if (!pool_.ask_to_tend()) inbox_->wake();
}

void Loop::look_for_unknown() {
  inbox_->post([this] { want_read_back(); });
}

void Loop::nudge() {
  inbox_->post([this] { claimer_.look_afresh(); });
}

void Loop::look_again() {
  inbox_->post([this] { after_foreign_change(); });
}

void Loop::drain() {
  board_.drain();
  nudge();
}

void Loop::begin_stop() {
  inbox_->post([this] { stop_now(); });
}

void Loop::set_trouble(std::string text) {
  if (!text.empty()) log(LogLevel::error, text);
  board_.set_trouble(std::move(text));
}

void Loop::share_driving(std::function<void()> on_news) {
  on_news_ = std::move(on_news);
  inbox_->share();
  pool_.assign({.tend = [this] { tend(); }, .watch = [this] { inbox_->keep_watch(); }});
}

/// Whoever finds it driven can go: who drives looks once more after letting go. The thread that
/// has nothing else to do waits for its turn instead of asking again and again.
void Loop::drive(bool waits) {
  do {
    if (waits) {
      driving_.lock();
    } else if (!driving_.try_lock()) {
      return;
    }
    ++drives_;
    while (turn()) {
    }
    const bool news = std::exchange(has_news_, false);
    const Timestamp next = next_wake();
    wake_at_ = next;
    driving_.unlock();
    if (has_stopped() || next < sleeping_until_.load()) inbox_->wake();
    if (news && on_news_) on_news_();
  } while (inbox_->has_mail());
}

/// By a thread of the pool, between two pieces of work.
void Loop::tend() {
  const Inbox::Quiet quiet(*inbox_);
  for (;;) {
    drive();
    // A slow store has a thread of its own; users' code need not wait for it.
    if (store_thread_.is_slow() && pool_.waiting() > 0) break;
    if (!store_thread_.run_one()) break;
  }
  store_thread_.wake();
}

void Loop::drive_and_wait() {
  if (std::exchange(is_look_due_, false)) {
    look_around();
  } else {
    drive(true);
  }
  store_thread_.wake();
  if (has_stopped()) return;
  const Timestamp until = wake_at_;
  sleeping_until_ = until;
  if (wake_at_.load() >= until) {
    const Duration pause = until - clock_.now();
    is_look_due_ = !inbox_->wait(std::clamp<Duration>(pause, Duration{0}, longest_sleep));
  }
  sleeping_until_ = Timestamp::min();
}

/// Something was left to a thread of the pool that was to come back soon. Where it did not, others
/// are woken, and what it had brought before is taken.
void Loop::look_around() {
  inbox_->end_watch();
  if (pool_.look() || inbox_->has_mail()) inbox_->keep_watch();
  const std::uint64_t drives = drives_;
  if (std::exchange(drives_at_look_, drives) == drives) drive(true);
}

bool Loop::poll() {
  const bool did_something = turn();
  store_thread_.wake();
  return did_something;
}

/// First what has come in, then what time brings, then what can be sent out.
bool Loop::turn() {
  if (has_stopped()) return false;
  Inbox::Mail mail = inbox_->take();
  bool did_something = !mail.is_empty();
  if (const std::uint64_t setbacks = store_->setbacks(); setbacks != seen_setbacks_) {
    seen_setbacks_ = setbacks;
    on_setback("the newest write of this process is not on record");
  }
  {
    const Pool::Together together(pool_);
    for (std::unique_ptr<Finished>& finished : mail.finished) on_finished(std::move(finished));
    for (Inbox::Call& call : mail.calls) call();

    run_timers(clock_.now());
    flush();
    claim_if_useful();
    if (stopping_) finish_stopping();
  }
  board_.set_open(held_.size());
  if (held_.is_empty()) has_news_ = true;
  board_.set_idle(held_.is_empty() && commits_.pending() == 0 && !claimer_.has_backlog() &&
                  !stopping_);

  if (options_.threads == 0) {
    // All of the users' code first: what it brings is committed together.
    did_something |= pool_.run_one() || store_thread_.run_one() || feed_.deliver();
  } else {
    did_something |= feed_.deliver_if_driven();
  }
  return did_something;
}

void Loop::run_timers(Timestamp now) {
  while (const std::optional<HeldAttempts::Due> due = held_.take_due(now)) on_due(*due);
  if (now >= lease_.next_renewal()) renew();
  if (!lease_.is_over() && now >= lease_.over_at()) on_lease_over();
  if (comparison_.is_due(now)) compare_holdings();
  if (read_after_setback_at_ != no_time && now >= read_after_setback_at_) read_after_setback();
  if (sweep_.is_due(now)) sweep();
  if (commits_.is_lookup_due(now)) look_up_batch();
  if (read_back_.is_due(now)) read_back();
  // Other processes commit without telling us.
  const bool look = !clock_.ticks() || now >= next_look_;
  if (look) {
    next_look_ = now + options_.poll_interval;
    const std::uint64_t mark = store_->change_mark();
    if (std::exchange(seen_mark_, mark) != mark) after_foreign_change();
  }
  claimer_.release_due(now);
}

void Loop::after_foreign_change() {
  feed_.notify();
  claimer_.want();
  sweep();
  refresh_jobs();
}

Timestamp Loop::next_wake() const {
  Timestamp next = lease_.next_renewal();
  const auto consider = [&](Timestamp at) {
    if (at != no_time) next = std::min(next, at);
  };
  consider(sweep_.next());
  consider(held_.next_due());
  if (!lease_.is_over()) consider(lease_.over_at());
  consider(comparison_.next());
  consider(read_after_setback_at_);
  consider(commits_.next_wake());
  consider(read_back_.next());
  if (stopping_) consider(stop_deadline_);
  if (clock_.ticks()) consider(next_look_);
  consider(claimer_.next_release());
  return next;
}

}  // namespace pawl
