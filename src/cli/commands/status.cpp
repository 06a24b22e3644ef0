#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/job_view.hpp"
#include "cli/output/terminal_output.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct StatusOptions {
  std::optional<std::int64_t> job;  ///< none: the newest
  bool watch = false;
};

constexpr Duration between_looks = std::chrono::milliseconds(200);

std::string screen(const Job& job, const Workflow& workflow, Session& session) {
  return job_headline(job, session.style(), session.times()) + "\n" +
         stage_table(job, workflow, session.style());
}

void say_next_steps(const Job& job, Session& session) {
  const std::string id = std::to_string(job.id.value());
  if (waits_for_people(job)) {
    session.say(counted(tasks_in(job, StateKind::awaiting_review), "review waits", "reviews wait") +
                " for a person:  pawl review next");
  }
  if (state_of(job) == JobState::paused) session.say("paused. " + way_out_of_pause(job));
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

  void show(const Job& job) {
    if (session_.output() == OutputMode::json_lines) return show_document(job);
    if (session_.output() == OutputMode::json) return;
    if (session_.streams().out_is_terminal) return draw(screen(job, workflow_, session_));
    const std::string line = job_headline(job, session_.style(), session_.times());
    if (line == last_) return;
    last_ = line;
    session_.print(line + "\n");
    session_.streams().out->flush();
  }

 private:
  void show_document(const Job& job) {
    const Json document = job_document(job, workflow_);
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
    shown.show(*job);
    if (job->has_ended() || waits_for_people(*job)) {
      if (session.output() == OutputMode::json) session.print(job_document(*job, workflow));
      say_next_steps(*job, session);
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
  session.present({.document = [&] { return job_document(job, workflow); },
                   .text = [&] { return screen(job, workflow, session); },
                   .id = [&] { return std::to_string(job.id.value()); }});
  say_next_steps(job, session);
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
