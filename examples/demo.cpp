/// The demo: eight documents, one pipeline, one crash, one reviewer. `./dev demo` runs it.
///
/// A process works on the documents and is killed half way; another one goes on; a person answers
/// what is left. Every table is read back from the store, one SQLite file in a temporary folder.
///
/// Run it: demo [STORE]      (demo --work STORE JOB is what it starts as its worker)

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "document_pipeline.hpp"
#include "document_report.hpp"
#include "lesson.hpp"
#include "pawl/pawl.hpp"
#include "pawl/store/verify.hpp"

namespace {

using documents::print_heading;
using lesson::must;
using lesson::promise;
using namespace std::chrono_literals;

constexpr auto pace = 80ms;                 // what each stage takes, so that there is a half way
constexpr std::int64_t attempts_half = 21;  // of the 42 that run before people are asked

std::string number(std::int64_t value) { return std::to_string(value); }

// The worker: all of what a program needs to work on a store, or to go on after a crash.

int work(const std::filesystem::path& path, pawl::JobId job) {
  try {
    const auto store = must(pawl::open_sqlite_store({.path = path}));
    const auto engine = must(pawl::Engine::create(store, {.threads = 3, .parallel = 3}));
    engine->serve(must(documents::document_pipeline(pace)));
    engine->start();
    (void)must(engine->wait(job));
    engine->stop();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker: %s\n", error.what());
    return 1;
  }
}

/// A worker in a process of its own.
class WorkerProcess {
 public:
  WorkerProcess(const std::filesystem::path& store, pawl::JobId job) {
    std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    std::string mode = "--work";
    std::string path = store.string();
    std::string id = number(job.value());
    char* arguments[] = {program.data(), mode.data(), path.data(), id.data(), nullptr};
    std::fflush(stdout);
    promise(::posix_spawn(&pid_, program.c_str(), nullptr, nullptr, arguments, environ) == 0,
            "a worker can be started");
  }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess() {
    if (!has_ended()) kill();
  }

  [[nodiscard]] int pid() const { return pid_; }
  [[nodiscard]] bool has_ended() {
    if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
  }
  /// Stops it where it is; false when it has ended.
  bool suspend() {
    ::kill(pid_, SIGSTOP);
    ended_ = ::waitpid(pid_, &status_, WUNTRACED) == pid_ && !WIFSTOPPED(status_);
    return !ended_;
  }
  void let_go_on() const { ::kill(pid_, SIGCONT); }
  /// SIGKILL: no handler runs, nothing is tidied up.
  void kill() {
    ::kill(pid_, SIGKILL);
    (void)wait();
  }
  /// Whether it did its work and ended by itself.
  bool wait() {
    if (!ended_) ended_ = ::waitpid(pid_, &status_, 0) == pid_;
    return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
  }

 private:
  pid_t pid_ = 0;
  int status_ = 0;
  bool ended_ = false;
};

// What the records say, gathered for comparison.

using AttemptsByTask = std::map<pawl::TaskId, std::vector<pawl::Attempt>>;

std::vector<pawl::Task> tasks_of(pawl::Records& records, pawl::JobId job) {
  return must(records.tasks({.job = job, .limit = 1'000}));
}

AttemptsByTask attempts_of(pawl::Records& records, pawl::JobId job) {
  AttemptsByTask attempts;
  for (const pawl::Task& task : tasks_of(records, job)) {
    if (auto closed = must(records.attempts(task.id)); !closed.empty()) {
      attempts.emplace(task.id, std::move(closed));
    }
  }
  return attempts;
}

std::size_t count(const AttemptsByTask& attempts) {
  std::size_t sum = 0;
  for (const auto& [task, closed] : attempts) sum += closed.size();
  return sum;
}

/// Whether every attempt of `before` is in `after`, unchanged to the last field.
bool contains_all(const AttemptsByTask& after, const AttemptsByTask& before) {
  return std::ranges::all_of(before, [&](const auto& entry) {
    const auto found = after.find(entry.first);
    return found != after.end() && found->second.size() >= entry.second.size() &&
           std::equal(entry.second.begin(), entry.second.end(), found->second.begin());
  });
}

/// Whether the attempts of each task are numbered 1, 2, 3 … without a gap.
bool numbers_are_dense(const AttemptsByTask& attempts) {
  return std::ranges::all_of(attempts, [](const auto& entry) {
    pawl::AttemptNumber next = 1;
    return std::ranges::all_of(
        entry.second, [&](const pawl::Attempt& attempt) { return attempt.number == next++; });
  });
}

// The acts.

pawl::JobId submit(const std::shared_ptr<pawl::Store>& store) {
  print_heading("1. Eight documents are submitted");
  const auto engine = must(pawl::Engine::create(store));
  const pawl::Program pipeline = must(documents::document_pipeline(pace));
  const auto items = documents::documents_in(documents::shipped_documents());
  const pawl::JobId job = must(engine->submit(pipeline.workflow(), items));
  engine->stop();
  std::printf(
      "                    +-> extract_concepts -> cross_reference -+\n"
      "  pdf_to_markdown --+-> generate_embeddings -----------------+-> final_review => "
      "corpus_report\n"
      "                    +-> build_fts_index ---------------------+   (a person)      (all at "
      "once)\n");
  return job;
}

/// Lets a worker do half of the work and kills it. Answers what was recorded at that moment.
AttemptsByTask crash(pawl::Records& records, const std::filesystem::path& path, pawl::JobId id) {
  print_heading("2. A worker starts, and is killed half way (SIGKILL)");
  WorkerProcess worker(path, id);
  const auto is_half_way = [&] {
    const pawl::Job job = must(records.job(id));
    return job.attempts_opened - job.attempts_open >= attempts_half && job.attempts_open > 0;
  };
  // Held for a moment and looked at again: the kill shall land in the middle of an attempt.
  for (bool hit = false; !hit;) {
    while (!is_half_way()) {
      promise(!worker.has_ended(), "the worker is still at work when half is done");
      std::this_thread::sleep_for(1ms);
    }
    promise(worker.suspend(), "the worker can be held");
    hit = is_half_way();
    if (!hit) worker.let_go_on();
  }
  worker.kill();

  const AttemptsByTask recorded = attempts_of(records, id);
  const pawl::Job job = must(records.job(id));
  std::printf("  process %d is gone. On disk: %zu attempts closed, %s were running.\n",
              worker.pid(), count(recorded), number(job.attempts_open).c_str());
  documents::print_progress(records, id);
  promise(job.attempts_open > 0, "the kill landed in the middle of attempts");
  return recorded;
}

void resume(pawl::Records& records, const std::filesystem::path& path, pawl::JobId id,
            const AttemptsByTask& before) {
  print_heading("3. Another process goes on; nothing is lost, nothing is done twice");
  WorkerProcess worker(path, id);
  promise(worker.wait(), "the second worker ends well");

  const AttemptsByTask after = attempts_of(records, id);
  const pawl::Workflow workflow = documents::workflow_of(records, id);
  std::size_t interrupted = 0;
  for (const auto& [task, attempts] : after) {
    for (const pawl::Attempt& attempt : attempts) {
      if (attempt.result != pawl::AttemptResult::interrupted) continue;
      ++interrupted;
      std::printf("  %-20s %-20s attempt %u interrupted, attempt %u followed\n",
                  must(records.item(must(records.task(task)).item)).key.c_str(),
                  workflow.stage(pawl::stage_of(task)).name.c_str(), attempt.number,
                  attempt.number + 1);
    }
  }
  const bool kept = contains_all(after, before);
  const bool dense = numbers_are_dense(after);
  std::printf("  the %zu attempts recorded before the kill are unchanged   %s\n", count(before),
              kept ? "yes" : "NO");
  std::printf("  attempt numbers of the %zu tasks so far have no gap       %s\n", after.size(),
              dense ? "yes" : "NO");
  const pawl::Job job = must(records.job(id));
  std::printf("  attempts in all: %zu, of which interrupted: %zu\n", count(after), interrupted);
  promise(kept, "what was recorded is unchanged");
  promise(dense, "attempt numbers have no gap");
  promise(interrupted > 0, "the interrupted attempts are marked");
  promise(count(after) == 42 + interrupted, "each of the 42 pieces of work was finished once");
  promise(pawl::waits_for_people(job), "only people are left to ask");
}

void show_judgement(pawl::Records& records, pawl::JobId job) {
  const auto ended = [](const std::vector<pawl::Attempt>& attempts, pawl::Verdict verdict) {
    return std::ranges::count(attempts, verdict, &pawl::Attempt::verdict);
  };
  print_heading("4. orchard-survey.txt needed feedback: the first try lost its table");
  const auto refined =
      documents::print_attempts_by_criterion(records, job, "orchard-survey.txt", "pdf_to_markdown");
  promise(
      ended(refined, pawl::Verdict::rejected) == 1 && ended(refined, pawl::Verdict::accepted) == 1,
      "rejected once, then accepted");

  print_heading("5. ferry-notice.txt stays too short: after three tries a person is asked");
  const auto escalated =
      documents::print_attempts_by_criterion(records, job, "ferry-notice.txt", "pdf_to_markdown");
  promise(ended(escalated, pawl::Verdict::rejected) == 3, "rejected three times");
}

void answer_reviews(pawl::Store& store, pawl::JobId job) {
  print_heading("6. A person answers (no worker is running: the store keeps the answers)");
  pawl::Records& records = store.records();
  const auto reviews = must(records.reviews({.job = job, .status = pawl::ReviewStatus::open}));
  promise(reviews.size() == 7, "one escalation and six final reviews are open");
  for (const pawl::Review& review : reviews) {
    const std::string document = must(records.item(review.item)).key;
    pawl::Answer answer{.reviewer = "edith", .digest = review.digest};
    if (review.reason == pawl::ReviewReason::exhausted) {
      answer.outcome = pawl::ReviewOutcome::reject;
      answer.note = "a notice, not a document";
    } else if (document == "harbour-dues.txt") {
      answer.outcome = pawl::ReviewOutcome::approve_with_edits;
      answer.note = "shorter title";
      answer.edits = pawl::Json::object({{"title", "Harbour Dues"}});
    }
    (void)must(store.act(pawl::AnswerReview{.review = review.id, .answer = answer}));
    std::printf("  review %lld  %-20s %-10s -> %s%s\n", static_cast<long long>(review.id.value()),
                document.c_str(), std::string(pawl::name_of(review.reason)).c_str(),
                std::string(pawl::name_of(answer.outcome)).c_str(),
                answer.note.empty() ? "" : (" (" + answer.note + ")").c_str());
  }
}

void finish(pawl::Store& store, const std::filesystem::path& path, pawl::JobId id) {
  pawl::Records& records = store.records();
  WorkerProcess worker(path, id);
  promise(worker.wait(), "the third worker ends well");
  const pawl::Job job = must(records.job(id));

  print_heading("7. The results");
  documents::print_results(records, id);
  const pawl::Json report = documents::corpus_report_of(records, id);
  const auto field = [&](const char* name) {
    return std::string(pawl::JsonView(report)[name].text());
  };
  std::printf("  corpus_report: %s concepts, most shared: %s, left out: %s\n",
              field("concepts").c_str(), field("most_shared").c_str(), field("left_out").c_str());
  std::printf(
      "  job %lld: %s (%lld documents through, %lld dead letters)\n",
      static_cast<long long>(id.value()), std::string(pawl::name_of(pawl::state_of(job))).c_str(),
      static_cast<long long>(job.items.succeeded), static_cast<long long>(job.dead_letters));

  print_heading("8. The dead letters wait for somebody to retry or discard them");
  promise(documents::print_dead_letters(store, id) == 2, "two documents are dead letters");
  promise(job.has_ended() && job.items.succeeded == 6, "six documents are through");
  promise(report.text().contains("\"Harbour Dues\""), "the edited title is in the report");
}

void check(pawl::Records& records) {
  print_heading("9. verify: the whole record is checked, every decision made again");
  const pawl::Verification found = must(pawl::verify(records));
  std::printf(
      "  %s items, %s tasks, %s attempts, %s reviews, %s events: %s\n", number(found.items).c_str(),
      number(found.tasks).c_str(), number(found.attempts).c_str(), number(found.reviews).c_str(),
      number(found.events).c_str(),
      found.ok() ? "no violation" : (number(found.violation_count) + " VIOLATIONS").c_str());
  for (const pawl::Violation& violation : found.violations) {
    std::printf("  %s: %s\n", violation.invariant.c_str(), violation.message.c_str());
  }
  promise(found.ok(), "verify finds nothing");
}

void tell(const std::filesystem::path& path) {
  std::printf("pawl demo: eight documents, one pipeline, one crash, one reviewer\n");
  const auto store = must(pawl::open_sqlite_store({.path = path}));
  pawl::Records& records = store->records();
  const pawl::JobId job = submit(store);
  const AttemptsByTask before = crash(records, path, job);
  resume(records, path, job, before);
  show_judgement(records, job);
  answer_reviews(*store, job);
  finish(*store, path, job);
  check(records);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--work") {
    return work(argv[2], pawl::JobId(std::atoll(argv[3])));
  }
  return lesson::run(argc, argv, tell);
}
