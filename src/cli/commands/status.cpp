#include <algorithm>
#include <optional>

#include <unistd.h>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/job_view.hpp"
#include "cli/output/live_view.hpp"
#include "cli/output/terminal_output.hpp"
#include "cli/output/terminal_size.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "pawl/views/documents.hpp"
#include "views/workers.hpp"

namespace pawl::cli {
namespace {

struct StatusOptions {
  std::optional<std::int64_t> job;  ///< none: the newest
  bool watch = false;
};

constexpr Duration between_looks = std::chrono::milliseconds(200);

/// A job with what its running attempts report.
struct Standing {
  Job job;
  std::vector<RunningAttempt> running;
};

std::string screen(const Standing& now, const Workflow& workflow, Session& session) {
  const bool is_terminal = session.streams().out_is_terminal;
  const std::size_t columns =
      is_terminal ? terminal_size(STDOUT_FILENO).columns : std::string::npos;
  return job_headline(now.job, session.style(), session.times()) + "\n" +
         stage_table(now.job, workflow, session.style()) +
         running_text(now.running, session.style(), columns);
}

Json document_of(const Standing& now, const Workflow& workflow) {
  return with_live(job_document(now.job, workflow), now.running);
}

/// Says so if the job can go on and nobody works on the store.
void say_if_no_worker(const Job& job, Session& session, Records& records) {
  if (job.has_ended() || state_of(job) != JobState::running || waits_for_people(job)) return;
  const Result<StorePlace> place = session.store_place();
  const Result<std::vector<WorkerRecord>> workers = records.workers();
  if (!place || !workers) return;
  const bool is_anyone = std::ranges::any_of(*workers, [&](const WorkerRecord& worker) {
    return views::state_of_worker(worker, session.times().now, [&](WorkerId id) {
             return is_known_dead(*place, id);
           }) == "alive";
  });
  if (is_anyone) return;
  session.say("no worker is running. continue the job:  pawl resume " +
              std::to_string(job.id.value()) + "   or work on all jobs:  pawl work");
}

void say_next_steps(const Job& job, const Workflow& workflow, Session& session) {
  const std::string id = std::to_string(job.id.value());
  if (waits_for_people(job)) {
    session.say(counted(tasks_in(job, StateKind::awaiting_review), "review waits", "reviews wait") +
                " for a person:  pawl review next");
  }
  if (state_of(job) == JobState::paused) session.say("paused. " + way_out_of_pause(job));
  for (const std::string& line : ways_out_of_stage_pauses(job, workflow)) session.say(line);
  if (job.trust == Trust::untrusted && job.has_ended()) {
    session.say(
        "not trusted: it does not run again, and no items are adopted from it. to see what "
        "it would run, and to accept it:  pawl job trust " +
        id);
  }
  if (job.dead_letters > 0) session.say("dead letters: pawl dlq list --by error --job " + id);
}

/// On a terminal, each screen is drawn over the previous one. Elsewhere, each change is one line.
class Watch {
 public:
  Watch(Session& session, const Workflow& workflow) : session_(session), workflow_(workflow) {}

  void show(const Standing& now) {
    if (session_.output() == OutputMode::json_lines) return show_document(now);
    if (session_.output() == OutputMode::json) return;
    if (session_.streams().out_is_terminal) return draw(screen(now, workflow_, session_));
    const std::string line = job_headline(now.job, session_.style(), session_.times());
    if (line == last_) return;
    last_ = line;
    session_.print(line + "\n");
    session_.streams().out->flush();
  }

 private:
  void show_document(const Standing& now) {
    const Json document = document_of(now, workflow_);
    if (document.text() == last_) return;
    last_ = document.text();
    session_.print(document);
    session_.streams().out->flush();
  }

  void draw(const std::string& text) {
    if (text == last_) return;
    const auto lines = std::count(last_.begin(), last_.end(), '\n');
    if (lines > 0) {
      session_.print(control_sequence(std::to_string(lines) + "A") + control_sequence("J"));
    }
    session_.print(text);
    session_.streams().out->flush();
    last_ = text;
  }

  Session& session_;
  const Workflow& workflow_;
  std::string last_;
};

int watch(Session& session, Store& store, JobId id, const Workflow& workflow) {
  const StopSignals signals;
  Watch shown(session, workflow);
  for (;;) {
    const Result<Job> job = store.records().job(id);
    if (!job) return session.fail(job.error());
    const Standing now{*job, running_now(session, store.records(), *job, workflow)};
    shown.show(now);
    if (job->has_ended() || waits_for_people(*job)) {
      if (session.output() == OutputMode::json) session.print(document_of(now, workflow));
      say_next_steps(*job, workflow, session);
      return exit_done;
    }
    if (signals.wait(between_looks)) return exit_interrupted;
  }
}

int status(Session& session, const StatusOptions& options) {
  const Result<PinnedJob> pinned = pinned_job(session, options.job);
  if (!pinned) return session.fail(pinned.error());
  const auto& [store, job, workflow] = *pinned;
  if (options.watch) return watch(session, *store, job.id, workflow);
  const Standing now{job, running_now(session, store->records(), job, workflow)};
  session.present({.document = [&] { return document_of(now, workflow); },
                   .text = [&] { return screen(now, workflow, session); },
                   .id = [&] { return std::to_string(job.id.value()); }});
  say_next_steps(job, workflow, session);
  say_if_no_worker(job, session, store->records());
  return exit_done;
}

}  // namespace

CommandEntry status_command() {
  return command("status", "pawl status 41 --watch",
                 "Show the stages, reviews, dead letters and budget of a job.", &status,
                 [](StatusOptions& it) -> Words {
                   return {
                       optional_argument(&it.job, "JOB", "The job; default: the newest"),
                       flag("--watch,-w", it.watch,
                            "Show changes until the job has ended or waits only for reviewers")};
                 });
}

CommandEntry job_show_command() {
  return command(
      "job show", "pawl job show 41", "Show a job.", &status,
      [](StatusOptions& it) -> Words { return {argument(&it.job, "JOB", "The job number")}; });
}

}  // namespace pawl::cli
