/// `pawl check FILE…`: reports every error of workflow files, or of the settings of `pawl serve`,
/// at once; nothing runs.

#include <functional>

#include "cli/commands/commands.hpp"
#include "cli/project/known_people.hpp"
#include "cli/project/settings_source.hpp"
#include "cli/project/workflow_source.hpp"
#include "service/api/route.hpp"
#include "text/passwords.hpp"

namespace pawl::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool serve = false;
  bool strict = false;
};

struct ExplainOptions {
  std::string code;
};

struct SchemaOptions {
  std::string which = "workflow";
};

/// The diagnostic for a file that cannot be read.
Diagnostic unreadable(const std::string& file, const Error& error) {
  Diagnostic told;
  told.code = "E001";
  told.message = text::without_passwords(error.message);
  told.help = error.help;
  told.file = text::without_passwords(file);
  return told;
}

/// Adds warnings about people that the store does not know. The store is opened only for a file
/// that names people; if it cannot be opened, they are not checked, which only a strict check
/// refuses.
Status check_people(Session& session, const WorkflowSource& source, bool strict,
                    WorkflowFile& file) {
  if (file.assignees.empty()) return {};
  const Result<std::vector<std::string>> known = known_people(session, source);
  if (!known && strict) return std::unexpected(known.error());
  if (known) {
    warn_of_unknown_people(file, *known, source.name);
  } else {
    session.say("the names of people were not checked: " + known.error().text());
  }
  return {};
}

/// What was found in all files.
class Findings {
 public:
  Findings(Session& session, bool strict) : session_(session), strict_(strict) {}

  void add_unreadable(const std::string& file, const Error& error) {
    ++errors_;
    documents_.push_back(diagnostic_document(unreadable(file, error)));
    if (!session_.prints_json()) session_.fail(error);
  }

  /// Shows the errors and warnings of a file, and, if there are no errors, what it is.
  void add(const std::string& file, std::vector<Diagnostic> told, const std::string& text,
           const std::function<std::string()>& what) {
    std::int64_t errors = 0;
    for (Diagnostic& one : told) {
      if (strict_) one.severity = Severity::error;
      if (one.severity == Severity::error) ++errors;
      documents_.push_back(diagnostic_document(one));
    }
    errors_ += errors;
    if (session_.prints_json()) return;
    session_.print(rendered(told, text, session_.style()));
    if (errors > 0) {
      session_.print(counted(errors, "error") + " in " + printable(file) + "; nothing was run.\n");
    } else if (session_.output() != OutputMode::ids) {
      const auto warnings = static_cast<std::int64_t>(told.size());
      session_.print(printable(file) + ": ok (" + what() +
                     (warnings == 0 ? "" : ", " + counted(warnings, "warning")) + ")\n");
    }
  }

  int finish() {
    session_.present({.document = [&] {
      return Json::object({{"ok", errors_ == 0}, {"diagnostics", Json::array(documents_)}});
    }});
    return errors_ == 0 ? exit_done : exit_usage;
  }

 private:
  Session& session_;
  const bool strict_;
  std::vector<Json> documents_;
  std::int64_t errors_ = 0;
};

int check_settings(Session& session, const CheckOptions& options) {
  Findings findings(session, options.strict);
  const std::vector<std::string> of_project{""};
  for (const std::string& file : options.files.empty() ? of_project : options.files) {
    const Result<SettingsSource> source = read_settings_source(session, file);
    if (!source) {
      findings.add_unreadable(file.empty() ? ".pawl/serve.yaml" : file, source.error());
      continue;
    }
    const auto& settings = source->settings;
    findings.add(source->name, settings ? settings->warnings : settings.error(), source->text, [&] {
      return source->text.empty() ? "every setting has its default"
                                  : "listens on " + printable(settings->listen);
    });
  }
  return findings.finish();
}

int check_workflows(Session& session, const CheckOptions& options) {
  Findings findings(session, options.strict);
  for (const std::string& file : options.files) {
    const Result<WorkflowSource> source = read_workflow_source(session, file);
    if (!source) {
      findings.add_unreadable(file, source.error());
      continue;
    }
    auto loaded =
        load_workflow_file(source->text, {.name = source->name, .project = source->directory});
    if (loaded) {
      const Status checked = check_people(session, *source, options.strict, *loaded);
      if (!checked) return session.fail(checked.error());
    }
    findings.add(file, loaded ? loaded->warnings : loaded.error(), source->text, [&] {
      const Workflow& workflow = loaded->workflow;
      return printable(workflow.name()) + ", " +
             counted(static_cast<std::int64_t>(workflow.stage_count()), "stage");
    });
  }
  return findings.finish();
}

int check(Session& session, const CheckOptions& options) {
  if (options.serve) return check_settings(session, options);
  if (options.files.empty()) {
    return session.fail_usage("FILE is required", "see: pawl check --help");
  }
  return check_workflows(session, options);
}

int explain(Session& session, const ExplainOptions& options) {
  const CodeStory* story = find_code(options.code);
  if (story == nullptr) {
    std::vector<std::string> known;
    for (const CodeStory& one : all_codes()) known.emplace_back(one.code);
    const std::string nearest = nearest_name(options.code, known);
    return session.fail({.code = ErrorCode::not_found,
                         .message = "no such error code: '" + options.code + "'",
                         .help = nearest.empty() ? "`pawl check` prints the codes in brackets"
                                                 : "did you mean " + nearest + "?"});
  }
  const auto text = [&] {
    const std::string title = std::string(story->code) + ": " + std::string(story->title);
    return session.style().paint(Paint::bold, title) + "\n\n" + std::string(story->story) +
           (story->story.ends_with('\n') ? "" : "\n");
  };
  const auto document = [&] {
    return Json::object({{"code", story->code}, {"title", story->title}, {"story", story->story}});
  };
  return session.present({.document = document, .text = text});
}

int schema(Session& session, const SchemaOptions& options) {
  if (options.which == "workflow") {
    session.print(workflow_schema());
    if (!workflow_schema().ends_with('\n')) session.print("\n");
    return exit_done;
  }
  if (options.which == "openapi") {
    session.print(service::openapi_of(service::routes()));
    return exit_done;
  }
  return session.fail_usage("no such schema: '" + options.which + "'",
                            "pawl schema workflow, or pawl schema openapi");
}

}  // namespace

CommandEntry check_command() {
  CommandEntry entry = command(
      "check", "pawl check documents.yaml",
      "Report every error in workflow files or in the settings of `pawl serve`; nothing runs.",
      &check, [](CheckOptions& it) -> Words {
        return {optional_argument(&it.files, "FILE...",
                                  "Workflow files; with --serve: settings, default: "
                                  ".pawl/serve.yaml of the project"),
                flag("--serve", it.serve, "The files are settings of `pawl serve`"),
                flag("--strict", it.strict, "Treat warnings as errors")};
      });
  entry.aliases = {"validate"};
  return entry;
}

CommandEntry schema_command() {
  return command(
      "schema", "pawl schema > workflow.schema.json",
      "Print the JSON Schema of workflow files, or the OpenAPI document of the HTTP API.", &schema,
      [](SchemaOptions& it) -> Words {
        return {optional_argument(&it.which, "WHICH", "workflow (the default) or openapi")};
      });
}

CommandEntry explain_command() {
  return command("explain", "pawl explain E012",
                 "Explain an error code of workflow files or settings in detail.", &explain,
                 [](ExplainOptions& it) -> Words {
                   return {argument(&it.code, "CODE", "The error code, such as E012")};
                 });
}

}  // namespace pawl::cli
