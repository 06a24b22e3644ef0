#include "actions/command.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "pawl/codec/json.hpp"
#include "pawl/codec/rfc3339.hpp"

namespace pawl::actions {

namespace {

/// The environment of a command: a few variables, each set once.
class Variables {
 public:
  void set(std::string_view name, std::string_view value) {
    std::string text;
    text.reserve(name.size() + 1 + value.size());
    ((text += name) += '=') += value;
    const auto place = find(name);
    if (place == all_.end()) {
      all_.push_back(std::move(text));
    } else {
      *place = std::move(text);
    }
  }
  void remove(std::string_view name) {
    const auto place = find(name);
    if (place != all_.end()) all_.erase(place);
  }
  /// "NAME=value"
  [[nodiscard]] std::vector<std::string>& all() { return all_; }

 private:
  std::vector<std::string>::iterator find(std::string_view name) {
    return std::ranges::find_if(all_, [&](const std::string& one) {
      return one.size() > name.size() && one[name.size()] == '=' && one.starts_with(name);
    });
  }

  std::vector<std::string> all_;
};

/// The only variables that a command inherits from our environment.
constexpr std::array<const char*, 5> inherited{"PATH", "HOME", "LANG", "TZ", "TMPDIR"};
/// How long a process that left its group has to exit when the attempt is stopped.
constexpr Duration stray_grace = std::chrono::milliseconds(500);

StageError refused(std::string code, std::string message) {
  return {.error_class = ErrorClass::final,
          .kind = ErrorKind::protocol,
          .code = std::move(code),
          .message = std::move(message)};
}

void add_protocol(Variables& env, const Context& context, Workspace& place) {
  env.set("PAWL_RESULT", place.result());
  env.set("PAWL_DIR", place.dir());
  env.set("PAWL_EVENTS", place.events());
  env.set("PAWL_STAGE", context.stage_name());
  if (context.task().item) env.set("PAWL_ITEM", context.item_key());
  env.set("PAWL_ATTEMPT", std::to_string(context.attempt()));
  env.set("PAWL_KEY", context.idempotency_key());
  if (context.deadline() != no_time) env.set("PAWL_DEADLINE", rfc3339(context.deadline()));
  env.set("PAWL_RUN", place.mark().token());
}

std::string project_label(const Context& context) {
  return field(context.job_labels(), "project").string().value_or("");
}

std::string working_directory(const Context& context, const std::string& dir) {
  std::string base = project_label(context);
  if (dir.empty() && base.starts_with('/')) return base;
  const std::filesystem::path path = std::filesystem::path(base) / dir;
  return path.empty() ? std::string() : std::filesystem::absolute(path).lexically_normal().string();
}

std::string variable_with_text(const std::string& name, const std::string& text) {
  return "the variable " + name + " (" + text + ")";
}

std::string missing_secret(const std::string& name) {
  return "the secret " + name + " is not set; set the variable " + name + " where pawl runs";
}

}  // namespace

std::optional<std::string> ActionServices::variable(const std::string& name) const {
  const char* const value =
      options.environment ? options.environment(name.c_str()) : std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::string project_of(const Context& context) {
  const std::string label = project_label(context);
  return label.empty() ? label : std::filesystem::absolute(label).lexically_normal().string();
}

StageError error_before_start(const Error& error) {
  if (error.code == ErrorCode::invalid) return refused("R206", error.text());
  return {.error_class = ErrorClass::retryable,
          .kind = ErrorKind::protocol,
          .code = {},
          .message = error.text()};
}

std::expected<Command, StageError> prepare_command(const ActionServices& services,
                                                   const ActionSpec& action,
                                                   const std::vector<std::string>& argv,
                                                   Context& context, const Lookup& lookup,
                                                   Workspace& place) {
  Command command;
  command.argv = argv;
  command.cwd = working_directory(context, action.dir);

  Variables env;
  env.set("PATH", usual_path);
  for (const char* const name : inherited) {
    if (const auto value = services.variable(name)) env.set(name, *value);
  }
  for (const auto& [name, text] : action.env) {
    const auto value =
        resolve_argument(text, lookup, &place.links(), variable_with_text(name, text));
    if (!value) return std::unexpected(error_before_start(value.error()));
    if (*value) {
      env.set(name, **value);
    } else {
      env.remove(name);
    }
  }
  for (const std::string& name : action.secrets) {
    auto value = services.variable(name);
    if (!value || value->empty()) {
      return std::unexpected(refused("R205", missing_secret(name)));
    }
    env.set(name, *value);
    command.secrets.push_back(std::move(*value));
  }
  add_protocol(env, context, place);
  for (const std::string& one : env.all()) {
    if (one.find('\0') != std::string::npos) {
      return std::unexpected(refused("R206", "the variable " + one.substr(0, one.find('=')) +
                                                 " would hold a zero byte, which no program can be "
                                                 "given"));
    }
  }
  command.env = std::move(env.all());
  return command;
}

ProcessEnd run_command(const ActionServices& services, Command& command, std::string input,
                       Workspace& place, std::stop_token stop, std::size_t capture_bytes_max) {
  ProcessSpec spec;
  spec.argv = std::move(command.argv);
  spec.input = std::move(input);
  spec.env = std::move(command.env);
  spec.cwd = std::move(command.cwd);
  spec.grace = services.options.grace;
  spec.stop = std::move(stop);
  spec.log_bytes_max = services.options.log_bytes_max;
  spec.capture_bytes_max = capture_bytes_max;
  spec.out_file = place.out();
  spec.err_file = place.err();
  spec.secrets = command.secrets;
  spec.started = [&](pid_t leader) { place.mark().add_leader(leader); };
  ProcessEnd end = run_process(spec);
  // What left the group on purpose does not survive a stop.
  if (end.stopped) place.mark().end_processes(std::min(services.options.grace, stray_grace));
  return end;
}

}  // namespace pawl::actions
