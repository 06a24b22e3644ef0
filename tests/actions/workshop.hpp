#pragma once

/// A project in a temporary folder: a workflow file, a real store, an engine with its own threads,
/// and the results.

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "actions/folder.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/actions/items.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::actions {

using namespace std::chrono_literals;

class Workshop {
 public:
  Workshop() {
    store = *open_sqlite_store(
        {.path = folder / "state.db", .durability = SqliteOptions::Durability::normal});
    make_engine();
  }
  ~Workshop() {
    if (engine) engine->stop();
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  void make_engine() {
    engine = std::move(*Engine::create(store, {.name = "workshop", .threads = 4, .grace = 20s}));
    ActionOptions options{.run_directory = folder / "run", .grace = 2s};
    options.log_bytes_max = 100'000;
    options.file_bytes_max = file_bytes_max;
    options.files_max = files_max;
    options.environment = [this](const char* name) -> const char* {
      const auto own = variables.find(name);
      if (own != variables.end()) return own->second.c_str();
      return std::string_view(name).starts_with("TEST_SECRET_") ? nullptr : ::getenv(name);
    };
    engine->serve(file_actions(store, options));
    engine->start();
  }

  /// Submits the workflow with its own items.
  JobId start(const std::string& yaml, const std::map<std::string, std::string>& given = {}) {
    const auto file = load_workflow_file(yaml, {.project = folder.path()});
    if (!file) throw std::runtime_error(render(file.error(), yaml));
    const Result<Json> params = bind_params(file->params, given);
    if (!params) throw std::runtime_error(params.error().text());
    JobOptions options;
    options.params = *params;
    options.labels = Json::object({{"project", folder.path().string()}});
    const auto submitted =
        engine->submit(file->workflow, read_items(file->items, *params, folder.path()), options);
    if (!submitted) throw std::runtime_error(submitted.error().text());
    job = *submitted;
    return job;
  }
  /// The same, and waits until only reviewers have something to do.
  Job run(const std::string& yaml, const std::map<std::string, std::string>& given = {}) {
    return *engine->wait(start(yaml, given));
  }
  /// Runs one stage called `work` for a single item.
  Attempt run_stage(const std::string& body) {
    std::string yaml = "version: 1\nworkflow: one\nstages:\n  work:\n";
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line);) yaml += "    " + line + "\n";
    run(yaml);
    return attempts("work").back();
  }
  /// The same with this script.
  Attempt run_sh(const std::string& script, const std::string& more = "") {
    std::string body = "sh: |\n";
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) body += "  " + line + "\n";
    return run_stage(body + more);
  }

  Task task(const std::string& stage, const std::string& key = "1") {
    const Job row = *store->records().job(job);
    const Workflow workflow = *store->records().workflow(row.workflow_hash);
    const StageIndex index = *workflow.require_stage(stage);
    if (workflow.stage(index).scope == Scope::all) {
      return *store->records().task(task_id(row.reduce_ordinal, index));
    }
    return *store->records().task(task_id(store->records().item(job, key)->id, index));
  }
  std::vector<Attempt> attempts(const std::string& stage, const std::string& key = "1") {
    return *store->records().attempts(task(stage, key).id);
  }
  Json output(const std::string& stage, const std::string& key = "1") {
    return store->records().output(task(stage, key).id)->output;
  }
  std::string text(const std::string& stage, const std::string& key = "1") {
    return field(output(stage, key), "text").string().value_or("(no text)");
  }

  Folder folder;
  std::map<std::string, std::string> variables;
  std::int64_t file_bytes_max = ActionOptions{}.file_bytes_max;  ///< for the next engine
  std::size_t files_max = ActionOptions{}.files_max;
  std::shared_ptr<Store> store;
  std::unique_ptr<Engine> engine;
  JobId job;
};

inline const ArtifactRecord* artifact(const Attempt& attempt, const std::string& name) {
  for (const ArtifactRecord& one : attempt.artifacts) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace pawl::actions
