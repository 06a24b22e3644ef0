#include "runtime/loop.hpp"

#include <algorithm>
#include <utility>

namespace pawl::runtime {

namespace {

/// The loop is driven at least once in a second. So it learns in time of a limit this long,
/// although no thread is woken for it.
constexpr Duration long_limit = std::chrono::seconds(2);

/// `limit` 0: there is none.
void announce_limit(const std::weak_ptr<Desk>& to, Desk::Message message, Duration limit) {
  const std::shared_ptr<Desk> desk = to.lock();
  if (!desk) return;
  if (limit == Duration::zero() || limit >= long_limit) {
    desk->post_unhurried(std::move(message));
  } else {
    desk->post(std::move(message));
  }
}

void post(const std::weak_ptr<Desk>& to, Desk::Message message) {
  if (const std::shared_ptr<Desk> desk = to.lock()) desk->post(std::move(message));
}

}  // namespace

Loop::Loop(std::shared_ptr<Store> store, const EngineOptions& options, const Clock& clock,
           WorkerHello hello, WorkerId worker)
    : store_(std::move(store)),
      options_(options),
      clock_(clock),
      desk_(std::make_shared<Desk>(options.threads)),
      feed_(store_->records(), options.poll_interval),
      board_(worker, options.parallel),
      shelf_(options.stages, options.log),
      is_kept_(!options.jobs.empty()),
      jobs_(options, shelf_),
      held_(*desk_),
      claimer_(options.categories, options.stages),
      lease_(options.lease, clock.now()),
      hello_(std::move(hello)),
      next_look_(clock.now() + options.poll_interval),
      crew_(desk_, options.threads) {
  sweep_.plan(clock.now());
  // What the executing threads call only posts messages; `this` is used when the loop reads them.
  // An execution may outlive the engine, so it does not keep the desk.
  const std::weak_ptr<Desk> desk = desk_;
  ports_ = std::make_shared<const ExecutionPorts>(ExecutionPorts{
      .store = store_,
      .clock = &clock_,
      .may_wait = options.threads > 0,
      .started =
          [this, desk](const OpenAttempt& attempt, Timestamp at) {
            auto message = [this, task = attempt.task.id, version = attempt.task.version, at] {
              held_.started({task, version}, at);
            };
            announce_limit(desk, std::move(message), attempt.stage().retry.attempt_timeout);
          },
      .gate_started =
          [this, desk](const OpenAttempt& attempt, std::size_t gate, Timestamp at) {
            auto message = [this, task = attempt.task.id, version = attempt.task.version, gate,
                            at] { held_.gate_started({task, version}, gate, at); };
            announce_limit(desk, std::move(message),
                           attempt.stage().timeout_of(attempt.stage().gates[gate]));
          },
      // Whoever brings the output goes on trying; the commit that follows ends the trouble.
      .trouble = [this, desk](const Error& error) { post(desk, [=, this] { on_trouble(error); }); },
      .completed =
          [this, desk](std::shared_ptr<const OpenAttempt> attempt, Timestamp started_at,
                       Outcome outcome) {
            post(desk, [this, attempt = std::move(attempt), started_at,
                        outcome = std::move(outcome)]() mutable {
              Held* const held = held_.find_running({attempt->task.id, attempt->task.version});
              if (held == nullptr) return;
              held->ticket = desk_->add_piece([this, attempt, started_at,
                                               outcome = std::move(outcome),
                                               ports = ports_]() mutable {
                return to_loop(this, finish_async(attempt, started_at, std::move(outcome), *ports));
              });
            });
          }});
}

Loop::~Loop() = default;

void Loop::log(LogLevel level, const std::string& text) const {
  if (options_.log) options_.log(level, text);
}

void Loop::serve(const Handlers& handlers) {
  shelf_.add(handlers);
  serve_again();
}

void Loop::serve(CodeSource source) {
  shelf_.add(std::move(source));
  serve_again();
}

void Loop::serve_again() {
  desk_->post([this] {
    jobs_.serve_again();
    want_limits_report();
    claimer_.look_afresh();
  });
}

void Loop::keep_to(JobId job) {
  is_kept_ = true;
  desk_->post([this, job] {
    jobs_.keep_to(job);
    want_limits_report();
  });
}

bool Loop::would_open(const Workflow& workflow, std::span<const NewItem> items) const {
  // Whether it takes the job is asked when there is one.
  if (!board_.is_idle() || spare_room() == 0) return false;
  if (is_kept_ || options_.takes) return false;
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
  desk_->post([this, count, opened = std::move(opened)]() mutable {
    start_claimed(std::move(opened));
    board_.add_arriving(-count);
  });
}

void Loop::look_for_unknown() {
  desk_->post([this] { want_read_back(); });
}

void Loop::nudge() {
  desk_->post([this] { claimer_.look_afresh(); });
}

void Loop::look_again() {
  desk_->post([this] { after_foreign_change(); });
}

void Loop::drain() {
  board_.drain();
  nudge();
}

void Loop::begin_stop() {
  desk_->post([this] { stop_now(); });
}

void Loop::set_trouble(std::string text) {
  if (!text.empty()) log(LogLevel::error, text);
  board_.set_trouble(std::move(text));
}

void Loop::start(std::function<void()> on_news) {
  on_news_ = std::move(on_news);
  crew_.begin_driving([this] { return drive(); });
}

/// Returns how long the loop can then be left alone.
Duration Loop::drive() {
  (void)turn();
  if (std::exchange(has_news_, false) || has_stopped()) on_news_();
  const Timestamp next = next_wake();
  return next == no_time ? Duration::max() : next - clock_.now();
}

bool Loop::poll() {
  const bool did_something = turn();
  if (options_.threads == 0) return did_something;
  desk_->offer();
  return feed_.deliver_if_driven() || did_something;
}

/// First what has come in, then what time brings, then what can be sent out.
bool Loop::turn() {
  Desk::Mail mail = desk_->take_mail();
  if (has_stopped()) return false;
  bool did_something = !mail.is_empty();
  if (const std::uint64_t setbacks = store_->setbacks(); setbacks != seen_setbacks_) {
    seen_setbacks_ = setbacks;
    on_setback("the newest write of this process is not on record");
  }
  for (Desk::Message& result : mail.results) result();
  for (Desk::Message& message : mail.messages) message();
  run_timers(clock_.now());
  flush();
  claim_if_useful();
  if (stopping_) finish_stopping();
  board_.set_open(held_.size());
  if (held_.is_empty()) has_news_ = true;
  board_.set_idle(held_.is_empty() && commits_.pending() == 0 && !claimer_.has_backlog() &&
                  !stopping_);

  if (options_.threads == 0) {
    // All of the users' code first: what it brings is committed together.
    did_something |= desk_->run_piece() || desk_->run_call() || feed_.deliver();
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
  look_at_availability(now);
  if (limits_report_.is_due(now)) report_limits();
  claimer_.release_due(now);
}

void Loop::after_foreign_change() {
  feed_.notify();
  claimer_.want();
  sweep();
  refresh_jobs();
}

Timestamp Loop::next_wake() const {
  if (has_stopped()) return no_time;
  Timestamp next = lease_.next_renewal();
  const auto consider = [&](Timestamp at) {
    if (at != no_time) next = std::min(next, at);
  };
  consider(sweep_.next());
  consider(held_.next_due());
  if (!lease_.is_over()) consider(lease_.over_at());
  if (!stopping_) consider(comparison_.next());
  consider(read_after_setback_at_);
  consider(commits_.next_wake());
  consider(read_back_.next());
  // The answer to a claim or to the sign-off that is out brings a turn of its own.
  if (stopping_ && !claimer_.is_out()) consider(stop_deadline_ + options_.grace);
  if (clock_.ticks()) consider(next_look_);
  consider(claimer_.next_release());
  if (!stopping_) consider(limits_report_.next());
  return next;
}

}  // namespace pawl::runtime
