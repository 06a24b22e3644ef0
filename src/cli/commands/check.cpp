/// `pawl check FILE…`: reports every error at once; nothing runs.

#include <set>

#include "cli/commands/commands.hpp"
#include "cli/project/known_people.hpp"
#include "cli/project/workflow_source.hpp"
#include "postgres/passwords.hpp"

namespace pawl::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
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
  told.message = postgres::without_passwords(error.message);
  told.help = error.help;
  told.file = postgres::without_passwords(file);
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

int check(Session& session, const CheckOptions& options) {
  std::vector<Json> documents;
  std::int64_t errors = 0;
  std::int64_t warnings = 0;
  for (const std::string& file : options.files) {
    const Result<WorkflowSource> source = read_workflow_source(session, file);
    if (!source) {
      ++errors;
      documents.push_back(diagnostic_document(unreadable(file, source.error())));
      if (!session.prints_json()) session.fail(source.error());
      continue;
    }
    auto loaded =
        load_workflow_file(source->text, {.name = source->name, .project = source->directory});
    if (loaded) {
      const Status checked = check_people(session, *source, options.strict, *loaded);
      if (!checked) return session.fail(checked.error());
    }
    std::vector<Diagnostic> told = loaded ? loaded->warnings : loaded.error();
    if (options.strict) {
      for (Diagnostic& one : told) one.severity = Severity::error;
    }
    std::int64_t of_this = 0;
    for (const Diagnostic& one : told) {
      (one.severity == Severity::error ? of_this : warnings) += 1;
      documents.push_back(diagnostic_document(one));
    }
    errors += of_this;
    if (session.prints_json()) continue;
    session.print(rendered(told, source->text, session.style()));
    if (of_this > 0) {
      session.print(counted(of_this, "error") + " in " + printable(file) + "; nothing was run.\n");
    } else if (session.output() != OutputMode::ids) {
      const Workflow& workflow = loaded->workflow;
      session.print(
          printable(file) + ": ok (" + printable(workflow.name()) + ", " +
          counted(static_cast<std::int64_t>(workflow.stage_count()), "stage") +
          (told.empty() ? "" : ", " + counted(static_cast<std::int64_t>(told.size()), "warning")) +
          ")\n");
    }
  }
  session.present({.document = [&] {
    return Json::object({{"ok", errors == 0}, {"diagnostics", Json::array(documents)}});
  }});
  return errors == 0 ? exit_done : exit_usage;
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
  return session.fail_usage("no such schema: '" + options.which + "'", "pawl schema workflow");
}

}  // namespace

CommandEntry check_command() {
  CommandEntry entry = command("check", "pawl check documents.yaml",
                               "Report every error in workflow files; nothing runs.", &check,
                               [](CheckOptions& it) -> Words {
                                 return {argument(&it.files, "FILE...", "Workflow files"),
                                         flag("--strict", it.strict, "Treat warnings as errors")};
                               });
  entry.aliases = {"validate"};
  return entry;
}

CommandEntry schema_command() {
  return command("schema", "pawl schema > workflow.schema.json",
                 "Print the JSON Schema of workflow files.", &schema,
                 [](SchemaOptions& it) -> Words {
                   return {optional_argument(&it.which, "WHICH", "The schema; default: workflow")};
                 });
}

CommandEntry explain_command() {
  return command("explain", "pawl explain E012",
                 "Explain an error code of workflow files in detail.", &explain,
                 [](ExplainOptions& it) -> Words {
                   return {argument(&it.code, "CODE", "The error code, such as E012")};
                 });
}

}  // namespace pawl::cli
