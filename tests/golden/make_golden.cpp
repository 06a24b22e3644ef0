/// Creates a golden store: `make_golden FOLDER [URL]`, in a file in the folder or in PostgreSQL at
/// the url. make.sh compiles it with the library of the wanted version, so it uses only what every
/// version has.
///
/// The jobs of the store have an item for every outcome: succeeded, retried, dead, discarded, under
/// review, approved with edits, waiting for its retry, expanded, cancelled, and one whose process
/// was killed while it ran.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "description.hpp"
#include "pawl/codec/workflow.hpp"
#include "pawl/store/results.hpp"
#include "pawl/store/sqlite.hpp"
#ifdef MAKES_POSTGRES
#include "pawl/store/postgres.hpp"
#endif

namespace {

using namespace pawl;
using namespace std::chrono_literals;
using golden::must;

std::shared_ptr<Store> open_store(const std::filesystem::path& folder, const std::string& url,
                                  const Clock& clock) {
  if (url.empty()) return must(open_sqlite_store({.path = folder / "store.db"}, clock));
#ifdef MAKES_POSTGRES
  return must(open_postgres_store({.url = url}, clock));
#else
  std::cerr << "made without PostgreSQL\n";
  std::abort();
#endif
}

class Drive {
 public:
  Drive(const std::filesystem::path& folder, const std::string& url)
      : store_(open_store(folder, url, clock_)),
        worker_(must(store_->enlist(
            {.host = "golden", .pid = 1, .name = "maker", .lease = std::chrono::hours(1)}))) {}

  Store& store() { return *store_; }
  ManualClock& clock() { return clock_; }

  JobId submit(const std::string& name, const std::vector<StageDefinition>& stages,
               const std::vector<NewItem>& items) {
    const auto flow = compile({.name = name, .stages = stages});
    if (!flow) std::abort();
    const JobId job = must(store_->create_job({.workflow = *flow})).id;
    must(store_->add_items({.job = job, .items = items, .close = true}));
    return job;
  }

  std::vector<Claimed> claim() {
    std::map<JobId, LaneShare> shares;
    for (const LaneHead& head : must(store_->ready_lanes())) {
      LaneShare& share = shares[head.job];
      share.job = head.job;
      share.max = 100;
      share.lanes.push_back({.id = head.lane, .stage = head.stage});
    }
    ClaimRequest request{.worker = worker_, .shares = {}};
    for (auto& [job, share] : shares) request.shares.push_back(std::move(share));
    return must(store_->claim(request)).opened;
  }

  void close(const Claimed& claimed, Attempt closed, std::vector<NewChild> children = {}) {
    const Job job = must(store_->records().job(claimed.task.job));
    const Workflow flow = must(store_->records().workflow(job.workflow_hash));
    closed.ended_at = store_->now();
    closed.attempts_cap = job.budget.max_attempts_per_task;
    const Step step = pawl::close(flow.stage(claimed.task.stage()), claimed.task, std::move(closed),
                                  std::move(children));
    must(store_->commit(worker_, ++batch_, std::span(&step, 1)));
  }

  void sweep() { must(store_->sweep({.self = worker_})); }
  void advance(Duration by) {
    clock_.advance(by);
    must(store_->renew(worker_));
    sweep();
  }
  void act(const Act& act) { must(store_->act(act)); }

 private:
  template <class T>
  static T must(Result<T> result) {
    return golden::must(std::move(result));
  }
  static void must(const Status& status) {
    if (!status) std::cerr << status.error().text() << "\n", std::abort();
  }

  ManualClock clock_;
  std::shared_ptr<Store> store_;
  WorkerId worker_;
  BatchNumber batch_ = 0;
};

Attempt failed(const std::string& message, ErrorClass error_class = ErrorClass::retryable) {
  Attempt closed;
  closed.result = AttemptResult::failure;
  closed.error = StageError{.error_class = error_class, .code = "E7", .message = message};
  return closed;
}

void must_be_done(const Status& status) {
  if (!status) std::cerr << status.error().text() << "\n", std::abort();
}

StageDefinition stage(const std::string& name, const std::vector<std::string>& needs = {}) {
  StageDefinition made;
  made.name = name;
  made.needs = needs;
  made.handler = "code";
  return made;
}

/// One pass over the ready tasks; "killed" is left running.
bool work(Drive& drive) {
  bool any = false;
  for (const Claimed& claimed : drive.claim()) {
    any = true;
    const std::string& key = claimed.item_key;
    const bool is_first_stage = claimed.task.stage() == StageIndex{0};
    Attempt done;
    done.output = Json::object({{"text", "read " + key}});
    done.summary = "read";
    done.usage = {.cost_microusd = 5, .tokens = 11};
    if (key == "killed") continue;
    if (key == "large" && is_first_stage) {
      const std::string text = Json(std::string(20'000, 'x')).text();
      const std::string sha256 = must(drive.store().keep_payload(text));
      done.output = payload_reference(sha256, text.size());
      done.artifacts.push_back({.name = "log", .reference = "sha256:" + sha256});
    }
    if (key == "fan" && is_first_stage && !claimed.task.child) {
      Attempt expanded;
      expanded.result = AttemptResult::expanded;
      drive.close(claimed, expanded, {{"one", Json(1)}, {"two", Json(2)}});
      continue;
    }
    if (key == "retried" && is_first_stage && claimed.task.attempts == 1) {
      drive.close(claimed, failed("busy"));
    } else if (key == "poor" && is_first_stage && claimed.task.attempts == 1) {
      done.verdict = Verdict::rejected;
      done.feedback = Feedback{.summary = "too short", .criteria = {}, .guidance = {}};
      drive.close(claimed, done);
    } else if (key == "later") {
      drive.close(claimed, failed("not yet"));
    } else if (key == "dead" || key == "discarded") {
      drive.close(claimed, failed("torn", ErrorClass::final));
    } else {
      drive.close(claimed, done);
    }
  }
  return any;
}

#ifdef HAS_PEOPLE
/// A job whose reviews have votes of every fate, a claim, an assignment and a due time.
void add_people(Drive& drive) {
  People& people = drive.store().people();
  const Actor root{.name = "root"};
  for (const PeopleChange& change :
       {PeopleChange(AddPerson{"anna", Role::reviewer, {"editors"}}),
        PeopleChange(AddPerson{"ben", Role::operate, {"editors", "leads"}}),
        PeopleChange(AddPerson{"gone", Role::viewer, {}}), PeopleChange(RemovePerson{"gone"}),
        PeopleChange(CreateToken{{.sha256 = std::string(64, 'a'), .name = "anna"}})}) {
    must_be_done(people.change(change, root));
  }
  StageDefinition draft = stage("draft");
  draft.review = ReviewPolicy::always;
  draft.review_rules = {.assign = {"group:editors"},
                        .approvals = 2,
                        .self_approval = false,
                        .due = 4h,
                        .overdue = OnOverdue::escalate,
                        .escalate_to = {"group:leads"}};
  std::vector<NewItem> items;
  for (const char* key : {"voted", "edited", "undone", "agreed", "claimed", "handed over"}) {
    items.push_back({.key = key});
  }
  const JobId job = drive.submit("people", {draft, stage("late", {"draft"})}, items);
  while (work(drive)) continue;
  Records& records = drive.store().records();
  const auto review_of = [&](const char* key) {
    const TaskId task = task_id(must(records.item(job, key)).id, StageIndex{0});
    return must(records.reviews({.job = job, .task = task})).front().id;
  };
  const auto approve = [&](const char* key, const char* name) {
    drive.act(AnswerReview{review_of(key), {.reviewer = name}});
  };
  approve("voted", "anna");
  approve("edited", "anna");
  drive.act(AnswerReview{review_of("edited"),
                         {.outcome = ReviewOutcome::approve_with_edits,
                          .reviewer = "ben",
                          .edits = Json::object({{"text", "better"}})}});
  approve("undone", "anna");
  drive.act(UndoAnswer{review_of("undone"), "anna"});
  approve("agreed", "anna");
  approve("agreed", "ben");
  drive.act(ClaimReview{review_of("claimed"), "anna", drive.store().now() + 30min});
  drive.act(AssignReview{review_of("handed over"), {"anna", "ben"}, "you know this one", "ben"});
  drive.act(PauseStage{job, StageIndex{1}});
}
#else
void add_people(Drive&) {}
#endif

void make(const std::filesystem::path& folder, const std::string& url) {
  Drive drive(folder, url);
  StageDefinition read = stage("read");
  read.retry.max_attempts = 20;
  read.retry.backoff = {.initial = 10s, .max = 1h};
  StageDefinition check = stage("check", {"read"});
  StageDefinition index = stage("index", {"read"});
  StageDefinition publish = stage("publish", {"check", "index"});
  publish.review = ReviewPolicy::always;
  StageDefinition report = stage("report", {"publish"});
  report.scope = Scope::all;
  std::vector<NewItem> items;
  for (const char* key : {"plain", "large", "retried", "poor", "fan", "dead", "discarded", "edited",
                          "open", "cancelled", "later", "killed"}) {
    items.push_back({.key = key,
                     .category = items.size() % 2 == 0 ? "even" : "odd",
                     .data = Json::object({{"name", key}})});
  }
  const JobId job = drive.submit("documents", {read, check, index, publish, report}, items);
  drive.act(CancelItem{must(drive.store().records().item(job, "cancelled")).id});
  for (int pass = 0; pass < 6; ++pass) {
    while (work(drive)) continue;
    drive.advance(pass == 5 ? 1s : 40s);
  }
  const JobId short_job = drive.submit("short", {stage("only")}, {{.key = "a"}, {.key = "b"}});
  while (work(drive)) continue;
  (void)short_job;
  add_people(drive);

  Records& records = drive.store().records();
  const auto task_of = [&](const char* key, std::uint16_t at) {
    return task_id(must(records.item(job, key)).id, static_cast<StageIndex>(at));
  };
  drive.act(
      DiscardDeadLetter{.task = task_of("discarded", 0), .reason = "a duplicate", .by = "eve"});
  for (const Review& review : must(records.reviews({.job = job, .status = ReviewStatus::open}))) {
    if (review.task == task_of("open", 3)) continue;
    Answer answer;
    answer.reviewer = "eve";
    if (review.task == task_of("edited", 3)) {
      answer.outcome = ReviewOutcome::approve_with_edits;
      answer.edits = Json::object({{"text", "better"}});
    } else if (review.task == task_of("plain", 3)) {
      answer.outcome = ReviewOutcome::request_changes;
      answer.note = "once more";
    }
    drive.act(AnswerReview{.review = review.id, .answer = answer});
  }
  std::ofstream(folder / "expected.jsonl") << golden::describe(drive.store());
  std::ofstream(folder / "made_at") << drive.store().now().time_since_epoch().count() << "\n";
  // While the store is open, so that it is left as by a killed process.
  ::kill(::getpid(), SIGKILL);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2 && count != 3) return 2;
  const pid_t child = ::fork();
  if (child == 0) make(words[1], count == 3 ? words[2] : "");
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : 1;
}
