#include "pawl/testing/world.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "pawl/actions/items.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/store/results.hpp"
#include "pawl/store/verify.hpp"
#include "testing/backstage.hpp"

namespace pawl::testing {

std::vector<NewItem> items(std::initializer_list<std::string> keys) {
  std::vector<NewItem> made;
  for (const std::string& key : keys) made.push_back({.key = key, .data = Json(key)});
  return made;
}

Program built(const WorkflowBuilder& builder) {
  auto program = builder.build();
  if (!program) wrong(text_of(program.error()));
  return std::move(*program);
}

WorkflowFile loaded(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) wrong("cannot read " + path.string());
  const std::string source = text.str();
  auto file =
      load_workflow_file(source, {.name = path.filename().string(), .project = path.parent_path()});
  if (!file) wrong(render(file.error(), source));
  return std::move(*file);
}

std::vector<NewItem> items_of(const WorkflowFile& file, const std::filesystem::path& project) {
  if (file.items.kind == ItemsSpec::Kind::run) {
    wrong("the items of workflow '" + file.workflow.name() +
          "' come from a command, but a world never runs commands; pass the items yourself");
  }
  const ItemSource source = read_items(file.items, must(bind_params(file.params, {})), project);
  std::vector<NewItem> all;
  for (bool more = true; more;) {
    std::vector<NewItem> page;
    more = must(source(page));
    std::ranges::move(page, std::back_inserter(all));
  }
  return all;
}

namespace {

/// The task of a stage for an item; none if it has no row yet.
struct Found {
  TaskId task;
  Item item;
  const StageDefinition* stage = nullptr;
};

Found find(Records& records, const Job& job, const Workflow& workflow, const std::string& item,
           const std::string& stage) {
  const StageIndex index = must(workflow.require_stage(stage));
  Found found{.task = {}, .item = {}, .stage = &workflow.stage(index)};
  if (found.stage->scope == Scope::all) {
    found.task = task_id(job.reduce_ordinal, index);
    return found;
  }
  const std::string key = item.substr(0, item.find('/'));
  Result<Item> whole = records.item(job.id, item);
  found.item = whole ? *whole : must(records.item(job.id, key));
  found.task = task_id(found.item.id, index);
  if (whole || key == item) return found;
  const std::string child = item.substr(key.size() + 1);
  const Result<Task> parent = records.task(found.task);
  const TaskFilter children{.job = job.id, .parent = found.task, .limit = 500};
  bool is_there = false;
  must(each_row(records, children, [&](const Task& task) {
    is_there = parent && task.child->key == child && task.child->expansion == parent->expansion;
    if (is_there) found.task = task.id;
    return !is_there;
  }));
  if (is_there) return found;
  wrong("'" + key + "/" + stage + "' has no child '" + child + "'");
}

}  // namespace

World::World(WorldOptions options) : backstage_(std::make_unique<Backstage>(std::move(options))) {}
World::~World() = default;

void World::stage(const std::string& stage, Script script) {
  backstage_->scripts.insert_or_assign(stage, std::move(script));
}
void World::gate(const std::string& stage, const std::string& gate, GateScript script) {
  backstage_->gates.insert_or_assign({stage, gate}, std::move(script));
}
void World::reviewer(const std::string& stage, Reviewer reviewer) {
  backstage_->reviewers.emplace_back(stage, std::move(reviewer));
}

void World::serve(const Program& program) { backstage_->serve(program); }
void World::serve(const WorkflowFile& file) { backstage_->serve(file); }

JobId World::submit(const Program& program, std::vector<NewItem> items, const JobOptions& options) {
  serve(program);
  return must(engine().submit(program.workflow(), std::move(items), options));
}

JobId World::submit(const WorkflowFile& file, std::vector<NewItem> items,
                    const JobOptions& options) {
  serve(file);
  JobOptions filled = options;
  if (filled.params.is_null()) filled.params = must(bind_params(file.params, {}));
  if (filled.budget == Budget{}) filled.budget = file.budget;
  if (!filled.tolerate_failures.is_set()) filled.tolerate_failures = file.tolerate_failures;
  if (filled.parallel == 0) filled.parallel = file.parallel;
  return must(engine().submit(file.workflow, std::move(items), filled));
}

Timestamp World::now() const { return backstage_->clock.now(); }
Duration World::elapsed() const { return now() - backstage_->start; }
void World::run() { backstage_->run(); }
void World::pass(Duration time) { backstage_->pass(time); }
JobState World::finish(JobId job, Duration within) {
  const JobState state = backstage_->finish(job, within);
  backstage_->check_used();
  return state;
}
std::optional<Upcoming> World::next() { return backstage_->next(); }
void World::in(Duration time, std::function<void()> something) {
  backstage_->at(now() + time, "an action of the test", std::move(something));
}

void World::crash() { backstage_->crash(); }
void World::crash_before(const std::string& stage, const std::string& item, AttemptNumber attempt) {
  backstage_->traps.push_back({.before = true, .stage = stage, .item = item, .attempt = attempt});
}
void World::crash_after(const std::string& stage, const std::string& item, AttemptNumber attempt) {
  backstage_->traps.push_back({.before = false, .stage = stage, .item = item, .attempt = attempt});
}
int World::crashes() const { return static_cast<int>(backstage_->deaths.size()); }

Job World::job(JobId id) { return must(records().job(id)); }
JobState World::state(JobId id) { return state_of(job(id)); }
ItemState World::state(JobId id, const std::string& item) {
  return must(records().item(id, item)).state;
}

StateKind World::state(JobId id, const std::string& item, const std::string& stage) {
  const Job row = job(id);
  const Workflow workflow = must(records().workflow(row.workflow_hash));
  const Result<Task> task = records().task(find(records(), row, workflow, item, stage).task);
  return task ? task->kind() : StateKind::waiting;
}

std::vector<Attempt> World::attempts(JobId id, const std::string& item, const std::string& stage) {
  const Job row = job(id);
  const Workflow workflow = must(records().workflow(row.workflow_hash));
  return must(records().attempts(find(records(), row, workflow, item, stage).task));
}

Json World::output(JobId id, const std::string& item, const std::string& stage) {
  const Job row = job(id);
  const Workflow workflow = must(records().workflow(row.workflow_hash));
  const Result<StageOutput> output =
      records().output(find(records(), row, workflow, item, stage).task);
  return output ? must(whole_output(records(), output->output)) : Json();
}

std::vector<Review> World::open_reviews(JobId id) {
  std::vector<Review> all;
  must(each_row(records(), ReviewFilter{.job = id, .status = ReviewStatus::open, .limit = 500},
                [&](const Review& review) { all.push_back(review); }));
  return all;
}

std::vector<Call> World::calls(const std::string& stage) const {
  std::vector<Call> all;
  for (const Call& call : backstage_->calls) {
    if (stage.empty() || call.stage == stage) all.push_back(call);
  }
  return all;
}

std::string World::story(JobId id) { return backstage_->story(id, nullptr); }
std::string World::story(JobId id, const std::string& item) { return backstage_->story(id, &item); }

std::vector<std::string> World::unused() { return backstage_->unused(true); }

std::vector<std::string> World::violations() {
  std::vector<std::string> found;
  for (const Violation& one : must(verify(records())).violations) {
    found.push_back(one.invariant + ": " + one.message);
  }
  return found;
}

Engine& World::engine() { return *backstage_->engine; }
Store& World::store() { return *backstage_->store; }
Records& World::records() { return backstage_->store->records(); }

}  // namespace pawl::testing
