/// The code of stages, wrapped so that the world records its calls and applies its scripts.

#include <algorithm>
#include <stdexcept>

#include "actions/command.hpp"
#include "actions/command_ending.hpp"
#include "actions/output_types.hpp"
#include "actions/resolve.hpp"
#include "codec/file_value.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/action.hpp"
#include "testing/backstage.hpp"

namespace pawl::testing {

using codec::file_value;

namespace {

std::string key_of(Context& context) {
  const ChildPart* child = context.child();
  return child == nullptr ? context.item_key() : context.item_key() + "/" + child->key;
}

/// The same error that the engine would record.
StageError thrown_error(const std::string& what) {
  return {.error_class = ErrorClass::retryable, .kind = ErrorKind::exception, .message = what};
}

bool runs_command(const ActionSpec& action) { return action.kind != ActionKind::human; }

/// A scripted command makes no files: for a `file` field the script gives the content, which the
/// store keeps.
Json with_files_kept(const ActionSpec& action, const Json& output, Store& store) {
  if (!is_object(output)) return output;
  std::vector<std::pair<std::string, Json>> fields = members(output);
  for (auto& [name, value] : fields) {
    const auto declared = std::ranges::find(action.out, name, &OutField::name);
    const auto content = JsonView(value).string();
    if (declared == action.out.end() || declared->type != FieldType::file || !content) continue;
    value = file_value({.sha256 = must(store.keep_payload(*content)),
                        .name = name,
                        .size = static_cast<std::int64_t>(content->size())});
  }
  return Json::object(fields);
}

/// The outcome as the stage of a workflow file would return it: an output that does not fit `out`
/// is a protocol error.
Outcome fitted(const ActionSpec& action, Outcome outcome, Store& store) {
  auto* output = std::get_if<Output>(&outcome);
  if (output == nullptr) return outcome;
  output->json = with_files_kept(action, output->json, store);
  const bool is_given_back = std::ranges::any_of(
      action.gates, [](const GateSpec& gate) { return gate.kind == GateSpec::Kind::types; });
  if (is_given_back) return outcome;
  std::string unfit;
  for (const actions::FieldMisfit& one : actions::misfits(action.out, output->json)) {
    unfit += (unfit.empty() ? "" : "; ") + actions::text_of(one);
  }
  if (unfit.empty()) return outcome;
  return actions::protocol_error("the output does not fit `out`: " + unfit);
}

/// The action of a stage from a workflow file; none for a stage from the builder.
std::optional<ActionSpec> action_of(const StageDefinition& stage) {
  if (stage.handler != command_handler && !stage.is_human()) return std::nullopt;
  if (stage.params.is_null()) return std::nullopt;
  Result<ActionSpec> action = action_from(stage.params);
  if (!action) return std::nullopt;
  return std::move(*action);
}

}  // namespace

/// An attempt of real asynchronous code; the world sees when it ends.
class World::Backstage::Watched final : public AsyncAttempt {
 public:
  Watched(Backstage& world, std::shared_ptr<AsyncAttempt> attempt)
      : world_(world), attempt_(std::move(attempt)) {}
  Context& context() override { return attempt_->context(); }
  [[nodiscard]] std::stop_token stop_token() const override { return attempt_->stop_token(); }
  void complete(Outcome outcome) override { world_.hand_in(attempt_, std::move(outcome)); }

 private:
  Backstage& world_;
  std::shared_ptr<AsyncAttempt> attempt_;
};

/// A scripted attempt that ends later.
struct World::Backstage::Open {
  std::shared_ptr<AsyncAttempt> attempt;
  bool is_over = false;
  std::optional<std::stop_callback<std::function<void()>>> on_stop = std::nullopt;
};

void World::Backstage::serve(const Program& program) {
  workflows_.push_back(program.workflow());
  serve([this, program](Engine& to) {
    std::map<std::string, Code> handlers = program.handlers();
    for (const StageDefinition& stage : program.workflow().definition().stages) {
      const std::string name =
          stage.is_human() ? program.workflow().name() + "." + stage.name : stage.handler;
      const auto real = program.handlers().find(name);
      const Code code = real == program.handlers().end() ? nullptr : real->second;
      handlers.insert_or_assign(name, staged(program.workflow(), stage, code, life_));
    }
    to.serve(Program(program.workflow(), std::move(handlers)));
  });
}

void World::Backstage::serve(const WorkflowFile& file) {
  const std::string hash = file.workflow.hash();
  workflows_.push_back(file.workflow);
  if (!files_.insert(hash).second) return;
  serve([this, hash](Engine& to) {
    // No command is ever started, so the directory is never created.
    const CodeSource real = file_actions(store, {.run_directory = "no-commands-here"});
    to.serve([this, hash, real, life = life_](const Workflow& workflow,
                                              const StageDefinition& stage) -> Code {
      return workflow.hash() == hash ? code_of_file(workflow, stage, real, life) : nullptr;
    });
  });
}

/// Expectations, schemas and declared types judge for real; commands do not run.
World::Backstage::Code World::Backstage::code_of_file(const Workflow& workflow,
                                                      const StageDefinition& stage,
                                                      const CodeSource& real, const Life& life) {
  const std::optional<ActionSpec> action = action_of(stage);
  Code made = real(workflow, stage);
  if (!action || !made) return made;
  auto code = std::make_shared<StageCode>(*made);
  for (const GateSpec& gate : action->gates) {
    if (gate.runs_command()) code->gates.erase(gate.name);
  }
  return staged(workflow, stage, code, life);
}

World::Backstage::Code World::Backstage::staged(const Workflow& workflow,
                                                const StageDefinition& stage, const Code& real,
                                                const Life& life) {
  auto code = std::make_shared<StageCode>(real ? *real : StageCode{});
  const bool hands_on = stage.is_human() && !code->work && !code->async_work;
  if (!hands_on) {
    code->work = nullptr;
    code->is_available = nullptr;  // a script plays it, whether or not its files are there
    code->each = nullptr;
    code->async_work = [this, real, life](const std::shared_ptr<AsyncAttempt>& attempt) {
      perform(real, life, attempt);
    };
  }
  for (const GateRef& gate : stage.gates) {
    const auto known = code->gates.find(gate.name);
    const GateFunction judge = known == code->gates.end() ? nullptr : known->second;
    code->gates[gate.name] = [this, name = gate.name, limit = stage.timeout_of(gate),
                              workflow = workflow.name(),
                              judge](const GateContext& context, const std::stop_token& stop) {
      Context& task = context.task;
      const GateScript* script = script_of(workflow, task.stage_name(), name);
      if (script == nullptr && judge) return judge(context, stop);
      const GateAnswer* answer =
          script == nullptr ? nullptr : script->find(key_of(task), context.attempt);
      if (answer == nullptr) {
        throw std::runtime_error("the script of gate '" + name + "' has no answer for attempt " +
                                 std::to_string(context.attempt) + " of '" + key_of(task) + "'");
      }
      // Gates run one after the other on the thread of the world, so time passes here.
      clock.advance(limit > Duration::zero() ? std::min(answer->takes, limit) : answer->takes);
      return answer->judges(context, stop);
    };
  }
  return code;
}

void World::Backstage::note_call(Context& context) {
  calls.push_back({.stage = context.stage_name(),
                   .item = key_of(context),
                   .attempt = context.attempt(),
                   .cause = context.cause(),
                   .idempotency_key = context.idempotency_key(),
                   .feedback = context.feedback(),
                   .in = {},
                   .at = clock.now() - start});
}

void World::Backstage::perform(const Code& real, const Life& life,
                               const std::shared_ptr<AsyncAttempt>& attempt) {
  if (!*life) return;
  Context& context = attempt->context();
  if (springs(true, context)) return die();
  const bool is_child = context.child() != nullptr;
  // For a fan-out with separate code for its children, the split runs its real code.
  if (real && real->each && !is_child) return end(real->work, attempt);
  note_call(context);

  const Workflow& workflow = context.workflow();
  const Script* script = script_of(workflow.name(), context.stage_name());
  if (script == nullptr) {
    if (!real) return hand_in(attempt, final_error("this stage has neither code nor a script"));
    if (is_child && real->each) return end(real->each, attempt);
    if (real->work) return end(real->work, attempt);
    return real->async_work(std::make_shared<Watched>(*this, attempt));
  }
  const StageAnswer* answer = script->find(key_of(context), context.attempt());
  if (answer == nullptr) {
    return hand_in(attempt,
                   final_error("the script of stage '" + context.stage_name() +
                               "' has no answer for attempt " + std::to_string(context.attempt()) +
                               " of '" + key_of(context) + "'"));
  }
  const auto action = action_of(workflow.stage(context.task().stage()));
  if (!action) return speak(*answer, life, attempt);
  const Result<Json> in = actions::resolve_fields(action->in, actions::lookup_in(context));
  if (!in) return hand_in(attempt, actions::error_before_start(in.error()));
  calls.back().in = *in;
  StageAnswer as_a_command = *answer;
  as_a_command.does = [this, action, does = answer->does](Context& task, std::stop_token stop) {
    return fitted(*action, does(task, std::move(stop)), *store);
  };
  speak(as_a_command, life, attempt);
}

void World::Backstage::speak(const StageAnswer& answer, const Life& life,
                             const std::shared_ptr<AsyncAttempt>& attempt) {
  using How = StageAnswer::How;
  const bool takes_time = answer.takes > Duration::zero();
  if (answer.how == How::speaks && !takes_time) return end(answer.does, attempt);
  if (answer.how == How::crashes && !takes_time) return die();

  const auto open = std::make_shared<Open>();
  open->attempt = attempt;
  open_.push_back(open);
  if (answer.how == How::ignores_stop) return;
  open->on_stop.emplace(attempt->stop_token(), [life, open = open.get()] {
    if (!*life || std::exchange(open->is_over, true)) return;
    open->attempt->complete(retryable("asked to stop"));
  });
  if (answer.how == How::hangs) return;
  Context& context = attempt->context();
  at(clock.now() + answer.takes, "the end of " + key_of(context) + "/" + context.stage_name(),
     [this, life, open, answer] {
       if (!*life || std::exchange(open->is_over, true)) return;
       if (answer.how == How::crashes) return die();
       end(answer.does, open->attempt);
     });
}

void World::Backstage::end(const StageFunction& work,
                           const std::shared_ptr<AsyncAttempt>& attempt) {
  Outcome outcome = thrown_error("the stage threw a value that is not a std::exception");
  try {
    outcome = work(attempt->context(), attempt->stop_token());
  } catch (const std::exception& thrown) {
    outcome = thrown_error(thrown.what());
  } catch (...) {  // NOLINT(bugprone-empty-catch): the error is set above
  }
  hand_in(attempt, std::move(outcome));
}

void World::Backstage::hand_in(const std::shared_ptr<AsyncAttempt>& attempt, Outcome outcome) {
  if (springs(false, attempt->context())) return die();
  attempt->complete(std::move(outcome));
}

bool World::Backstage::springs(bool before, Context& context) {
  const std::string& stage = context.stage_name();
  const std::string key = key_of(context);
  const auto trap = std::ranges::find_if(traps, [&](const Trap& one) {
    return one.before == before &&
           (one.stage == stage || one.stage == context.workflow().name() + "/" + stage) &&
           (one.item.empty() || one.item == key) &&
           (one.attempt == 0 || one.attempt == context.attempt());
  });
  if (trap == traps.end()) return false;
  traps.erase(trap);
  return true;
}

const Script* World::Backstage::script_of(const std::string& workflow,
                                          const std::string& stage) const {
  auto found = scripts.find(workflow + "/" + stage);
  if (found == scripts.end()) found = scripts.find(stage);
  return found == scripts.end() ? nullptr : &found->second;
}

const GateScript* World::Backstage::script_of(const std::string& workflow, const std::string& stage,
                                              const std::string& gate) const {
  auto found = gates.find({workflow + "/" + stage, gate});
  if (found == gates.end()) found = gates.find({stage, gate});
  return found == gates.end() ? nullptr : &found->second;
}

void World::Backstage::check_commands() const {
  for (const Workflow& workflow : workflows_) {
    if (!files_.contains(workflow.hash())) continue;
    for (const StageDefinition& stage : workflow.definition().stages) {
      const std::optional<ActionSpec> action = action_of(stage);
      if (!action) continue;
      if (runs_command(*action) && script_of(workflow.name(), stage.name) == nullptr) {
        wrong("stage '" + stage.name + "' of workflow '" + workflow.name() +
              "' runs a command, but a world never runs commands; give it a script");
      }
      for (const GateSpec& gate : action->gates) {
        if (!gate.runs_command()) continue;
        if (script_of(workflow.name(), stage.name, gate.name) != nullptr) continue;
        wrong("gate '" + gate.name + "' of stage '" + stage.name +
              "' runs a command, but a world never runs commands; give it a script");
      }
    }
  }
}

}  // namespace pawl::testing
