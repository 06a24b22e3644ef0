#include "simulation/process.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/json.hpp"

namespace pawl::simulation {

std::unique_ptr<Process> Process::start(std::string name, const Scenario& scenario,
                                        const std::shared_ptr<Store>& store, Ports ports) {
  std::unique_ptr<Process> made(new Process(std::move(name), scenario, *store, std::move(ports)));
  made->line_ = std::make_shared<Line>(store, made->ports_.line);
  EngineOptions options{
      .name = made->name_, .threads = 0, .parallel = scenario.parallel, .lease = scenario.lease};
  Result<std::unique_ptr<Engine>> engine =
      Engine::create(made->line_, std::move(options), store->clock());
  if (!engine) return nullptr;
  made->engine_ = std::move(*engine);
  made->engine_->serve([self = made.get()](const Workflow&, const StageDefinition& stage) {
    return self->code_of(stage);
  });
  made->subscription_ = made->engine_->subscribe(0, made->ports_.told);
  return made;
}

WorkName Process::name_of(const Context& context) const {
  WorkName work{.job = static_cast<std::size_t>(*JsonView(context.job_params()).integer()),
                .item = context.item_key(),
                .stage = context.task().stage(),
                .child = context.child() != nullptr ? context.child()->key : std::string{}};
  const Result<std::vector<Attempt>> history = store_.records().attempts(context.task().id);
  if (history) {
    work.done_before = static_cast<std::uint32_t>(std::ranges::count_if(
        *history, [](const Attempt& one) { return one.result != AttemptResult::interrupted; }));
  }
  return work;
}

std::shared_ptr<const StageCode> Process::code_of(const StageDefinition& stage) {
  auto code = std::make_shared<StageCode>();
  code->async_work = [this](std::shared_ptr<AsyncAttempt> attempt) {
    WorkName work = name_of(attempt->context());
    const Timestamp now = line_->clock().now();
    const Timestamp due = hangs(scenario_, work) ? no_time : now + duration_of(scenario_, work);
    const bool is_obedient = work.done_before % 2 == 0;
    InFlight& begun = in_flight_.emplace_back(std::move(attempt), std::move(work), due);
    if (!is_obedient) return;
    begun.obeys = std::make_unique<std::stop_callback<std::function<void()>>>(
        begun.attempt->stop_token(),
        [one = begun.attempt] { one->complete(retryable("asked to stop")); });
  };
  if (stage.joins) {
    code->join = [this](Context& context, std::stop_token) {
      return outcome_of(scenario_, name_of(context), false);
    };
  }
  code->when = [this](Context& context) {
    WorkName work = name_of(context);
    work.done_before = 0;
    return is_wanted(scenario_, work);
  };
  for (const GateRef& gate : stage.gates) {
    code->gates[gate.name] = [](const GateContext& context, std::stop_token) {
      return judge(context.output.json);
    };
  }
  if (!stage.decider.empty()) code->decider = advise;
  return code;
}

bool Process::poll() {
  is_busy = true;
  const bool did_something = engine_->poll();
  is_busy = false;
  return did_something;
}

void Process::complete(std::size_t which) {
  InFlight done = std::move(in_flight_[which]);
  in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(which));
  const bool may_fan_out =
      done.work.child.empty() && done.attempt->context().cause() != Cause::join;
  is_busy = true;
  done.attempt->complete(outcome_of(scenario_, done.work, may_fan_out));
  is_busy = false;
}

void Process::give_up(std::size_t which) {
  InFlight done = std::move(in_flight_[which]);
  in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(which));
  is_busy = true;
  done.attempt->complete(retryable("asked to stop"));
  is_busy = false;
}

}  // namespace pawl::simulation
