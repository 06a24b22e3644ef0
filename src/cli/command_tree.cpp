#include "cli/command_tree.hpp"

#include "cli/commands.hpp"
#include "cli/commands_moving.hpp"

namespace pawl::cli {
namespace {

constexpr auto what_a_quota_is = "Maximum size of the files of one attempt; default: 16GiB";
constexpr auto who_acts = "The person who acts; default: PAWL_USER, USER or the login name";
constexpr auto keep_running =
    "Let commands continue past the lease; other workers may run the same tasks";
constexpr auto which_job = "The job; default: the newest one with this key";
constexpr auto how_many = "Maximum number of rows, 0: all; default: 100";
constexpr auto which_reviews = "Review numbers; - reads them from stdin";

}  // namespace

CommandTree::CommandTree() {
  add_workflows();
  add_status();
  add_jobs();
  add_items();
  add_reviews();
  add_review_answers();
  add_dead_letters();
  add_record();
  add_about();
}

void CommandTree::noun(const std::string& name, const std::string& about) {
  noun_ = name;
  nouns_.push_back({name, group_, about});
}

void CommandTree::add(const std::string& name, const std::string& example, const std::string& about,
                      std::function<int(Session&)> call) {
  commands_.push_back({.noun = noun_,
                       .name = name,
                       .group = group_,
                       .example = example,
                       .about = about,
                       .aliases = {},
                       .words = {},
                       .call = std::move(call)});
  if (name == "list") alias("ls");
}

void CommandTree::flag(const std::string& names, bool& target, const std::string& about) {
  commands_.back().words.push_back({names, &target, "", about});
}
void CommandTree::option(const std::string& names, Target target, const std::string& shown,
                         const std::string& about) {
  commands_.back().words.push_back({names, target, shown, about});
}
void CommandTree::required_option(const std::string& names, Target target, const std::string& shown,
                                  const std::string& about) {
  commands_.back().words.push_back({names, target, shown, about, true});
}
void CommandTree::choice(const std::string& names, Target target, std::vector<std::string> choices,
                         const std::string& about) {
  std::string shown;
  for (const std::string& one : choices) shown += (shown.empty() ? "" : "|") + one;
  commands_.back().words.push_back({names, target, shown, about, false, std::move(choices)});
}
void CommandTree::list_option(const std::string& names, std::vector<std::string>& target,
                              const std::string& shown, const std::string& about) {
  option(names, &target, shown, about);
  commands_.back().words.back().splits_at_commas = true;
}
void CommandTree::argument(Target target, const std::string& shown, const std::string& about) {
  commands_.back().words.push_back({"", target, shown, about, true});
}
void CommandTree::optional_argument(Target target, const std::string& shown,
                                    const std::string& about) {
  commands_.back().words.push_back({"", target, shown, about});
}

void CommandTree::add_workflows() {
  heading("Workflows");
  auto& start =
      command<InitOptions>("init", "pawl init demo", "Create a small workflow that runs.", &init);
  optional_argument(&start.dir, "DIR", "The directory; default: the current one");

  auto& checked =
      command<CheckOptions>("check", "pawl check documents.yaml",
                            "Report every error in workflow files; nothing runs.", &check);
  alias("validate");
  argument(&checked.files, "FILE...", "Workflow files");

  auto& drawn = command<GraphOptions>("graph", "pawl graph documents.yaml --format mermaid",
                                      "Draw the stages of a file or a job.", &graph);
  argument(&drawn.target, "FILE|JOB", "A workflow file or a job number");
  choice("--format", &drawn.format, {"ascii", "mermaid", "dot", "json"},
         "The output format; default: ascii");

  auto& told =
      command<DescribeOptions>("describe", "pawl describe documents.yaml",
                               "Print the workflow as it is stored and hashed.", &describe);
  argument(&told.target, "FILE|JOB", "A workflow file or a job number");

  auto& started = command<RunOptions>(
      "run", "pawl run documents.yaml --param corpus=samples",
      "Submit a job and work on it until it has ended or waits only for reviewers.", &run);
  argument(&started.file, "FILE", "The workflow file");
  option("--param", &started.params, "K=V", "Set a parameter; may be repeated");
  option("--items", &started.items, "GLOB|FILE|-",
         "Take the items from here instead of the workflow file");
  flag("--dry-run", started.dry_run, "Report what would run and why, and run nothing");
  flag("--detach", started.detach, "Submit the job, and do not work on it");
  flag("--fresh", started.fresh, "Run all items, also those that an earlier job has finished");
  flag("--new", started.is_new, "Start another job beside an unfinished one");
  option("--key", &started.key, "NAME", "Submit only once under this name");
  option("--parallel", &started.parallel, "N",
         "Maximum attempts at the same time; default: parallel of the workflow file, else the "
         "number of processors");
  flag("--keep-running", started.keep_running, keep_running);
  option("--file-quota", &started.file_quota, "SIZE", what_a_quota_is);

  auto& continued =
      command<ResumeOptions>("resume", "pawl resume 41", "Continue a job after a stop.", &resume);
  optional_argument(&continued.job, "JOB", "The job; default: the newest unfinished one");
  flag("--keep-running", continued.keep_running, keep_running);
  option("--file-quota", &continued.file_quota, "SIZE", what_a_quota_is);

  auto& worker = command<WorkOptions>("work", "pawl work --drain",
                                      "Work on all jobs of the store, and wait for more.", &work);
  list_option("--stages", worker.stages, "A,B", "Work only on these stages");
  list_option("--categories", worker.categories, "X,Y", "Work only on items of these categories");
  option("--parallel", &worker.parallel, "N",
         "Maximum attempts at the same time; default: 8, or the number of processors if larger");
  option("--lease", &worker.lease, "TIME",
         "Other workers take over if this one is silent for so long; default: 60s");
  flag("--keep-running", worker.keep_running, keep_running);
  option("--file-quota", &worker.file_quota, "SIZE", what_a_quota_is);
  flag("--drain", worker.drain, "Stop when every job has ended or waits only for reviewers");
}

void CommandTree::add_status() {
  heading("Jobs, items and reviews");
  auto& it = command<StatusOptions>("status", "pawl status 41 --watch",
                                    "Show the stages, reviews, dead letters and budget of a job.",
                                    &status);
  optional_argument(&it.job, "JOB", "The job; default: the newest");
  flag("--watch,-w", it.watch, "Show changes until the job has ended or waits only for reviewers");
}

void CommandTree::add_jobs() {
  noun("job", "Jobs: list, show, pause, resume, cancel, trust, budget, wait.");
  auto& list = command<JobListOptions>("list", "pawl job list --state running",
                                       "List jobs, newest first.", &job_list);
  choice("--state", &list.state, {"running", "paused", "completed", "failed", "cancelled"},
         "Only jobs in this state");
  option("--workflow", &list.workflow, "NAME", "Only jobs of this workflow");
  option("--limit", &list.limit, "N", how_many);

  const auto one = [&](const std::string& verb, const std::string& about,
                       Command<OneJobOptions> does) {
    auto& it = command<OneJobOptions>(verb, "pawl job " + verb + " 41", about, does);
    argument(&it.job, "JOB", "The job number");
  };
  one("show", "Show a job.", &job_show);
  const auto act = [&](const std::string& verb, const std::string& about,
                       Command<JobActOptions> does) {
    auto& it = command<JobActOptions>(verb, "pawl job " + verb + " 41", about, does);
    argument(&it.jobs, "JOB...", "Job numbers; - reads them from stdin");
  };
  act("pause", "Pause a job: no new attempts start; running ones finish.", &job_pause);
  act("resume", "End a pause. To work on the job: pawl resume JOB.", &job_resume);
  act("cancel", "Cancel a job and stop its running attempts. This cannot be undone.", &job_cancel);

  auto& trust = command<JobTrustOptions>(
      "trust", "pawl job trust 41",
      "Show every command that an imported job would run, and accept it.", &job_trust);
  argument(&trust.job, "JOB", "The job number");
  option("--as", &trust.as, "NAME", who_acts);

  auto& budget = command<JobBudgetOptions>(
      "budget", "pawl job budget 41 --cost-usd 40 --deadline 12h",
      "Show the budget of a job, or change the given limits.", &job_budget);
  argument(&budget.job, "JOB", "The job number");
  option("--attempts", &budget.attempts, "N", "Maximum attempts of the whole job");
  option("--cost-usd", &budget.cost_usd, "DOLLARS", "Maximum cost");
  option("--tokens", &budget.tokens, "N", "Maximum tokens");
  option("--deadline", &budget.deadline, "TIME", "Maximum time since the submission, such as 8h");

  auto& wait = command<JobWaitOptions>("wait", "pawl job wait 41 --timeout 1h",
                                       "Wait until a job has ended, is paused or waits only for "
                                       "reviewers; the exit code says which.",
                                       &job_wait);
  argument(&wait.job, "JOB", "The job number");
  option("--timeout", &wait.timeout, "TIME", "Give up after this time, such as 1h; default: never");
}

void CommandTree::add_items() {
  const auto words_of = [&](ItemOptions& it, const std::string& shown = "ID") {
    argument(&it.id, shown, "KEY, JOB/KEY or KEY/STAGE");
    option("--job", &it.job, "JOB", which_job);
    option("--stage", &it.stage, "STAGE", "The stage, if the id does not name it");
  };
  noun("item", "Items: list, show, retry, cancel, attempts, diff, logs.");
  auto& list =
      command<ItemListOptions>("list", "pawl item list --state failed -q",
                               "List the items of a job, in order of arrival.", &item_list);
  option("--job", &list.job, "JOB", "The job; default: the newest");
  choice("--state", &list.state, {"active", "succeeded", "failed", "cancelled"},
         "Only items in this state");
  option("--category", &list.category, "NAME", "Only items of this category");
  option("--limit", &list.limit, "N", how_many);
  option("--after", &list.after, "KEY", "Continue the list after this key");

  words_of(command<ItemOptions>("show", "pawl item show doc-0419", "Show an item with every stage.",
                                &item_show));

  auto& retry = command<ItemRetryOptions>(
      "retry", "pawl item retry doc-0419 --from convert --note \"keep the tables\"",
      "Rerun an item from a stage; all stages after it run again, too.", &item_retry);
  argument(&retry.ids, "ID...", "KEY, JOB/KEY or KEY/STAGE; - reads them from stdin");
  option("--job", &retry.job, "JOB", which_job);
  option("--from", &retry.from, "STAGE", "The stage; default: every failed stage");
  option("--note", &retry.note, "TEXT", "Feedback for the next attempt");
  option("--as", &retry.as, "NAME", who_acts);

  auto& cancel =
      command<ItemCancelOptions>("cancel", "pawl item cancel doc-0419",
                                 "Cancel items; the other items continue.", &item_cancel);
  argument(&cancel.ids, "ID...", "KEY or JOB/KEY; - reads them from stdin");
  option("--job", &cancel.job, "JOB", which_job);

  words_of(command<ItemOptions>("attempts", "pawl item attempts doc-0419 --stage convert",
                                "Show every attempt: result, verdict, feedback, decision.",
                                &item_attempts));

  auto& diff = command<ItemDiffOptions>("diff", "pawl item diff doc-0419/convert 1 3",
                                        "Compare the outputs of two attempts.", &item_diff);
  words_of(diff.item);
  optional_argument(&diff.attempts, "A B", "Two attempt numbers; default: the two newest");

  auto& logs = command<ItemLogsOptions>(
      "logs", "pawl item logs doc-0419 --stage convert",
      "Print what the commands of an item wrote to stdout and stderr.", &item_logs);
  words_of(logs.item);
  option("--attempt", &logs.attempt, "N", "Only this attempt");
}

void CommandTree::add_reviews() {
  noun("review", "Reviews: list, next, show, claim, release, approve, edit, changes, reject.");
  auto& list = command<ReviewListOptions>("list", "pawl review list",
                                          "List open reviews, oldest first.", &review_list);
  option("--job", &list.job, "JOB", "Only reviews of this job");
  choice("--status", &list.status, {"open", "answered", "closed", "superseded", "all"},
         "Only reviews in this status; default: open");
  option("--limit", &list.limit, "N", how_many);
  option("--after", &list.after, "REVIEW", "Continue the list after this review");

  auto& next = command<ReviewNextOptions>("next", "pawl review next",
                                          "Show the review that has waited longest. On a terminal: "
                                          "decide with a key, then see the next.",
                                          &review_next);
  option("--job", &next.job, "JOB", "Only reviews of this job");
  option("--as", &next.as, "NAME", who_acts);

  auto& show = command<ReviewShowOptions>("show", "pawl review show 318",
                                          "Show a review with its attempts.", &review_show);
  argument(&show.review, "REVIEW", "The review number");

  auto& claim = command<ReviewClaimOptions>("claim", "pawl review claim 318 --for 30m",
                                            "Claim a review, so that nobody else can answer it.",
                                            &review_claim);
  argument(&claim.reviews, "REVIEW...", which_reviews);
  option("--for", &claim.lasting, "TIME", "How long the claim lasts; default: 10m");
  option("--as", &claim.as, "NAME", who_acts);

  auto& release = command<ReviewClaimOptions>("release", "pawl review release 318",
                                              "Release a claimed review.", &review_release);
  argument(&release.reviews, "REVIEW...", which_reviews);
  option("--as", &release.as, "NAME", who_acts);
}

void CommandTree::add_review_answers() {
  const auto answer = [&](const std::string& verb, const std::string& rest,
                          const std::string& about,
                          Command<ReviewAnswerOptions> does) -> ReviewAnswerOptions& {
    auto& it =
        command<ReviewAnswerOptions>(verb, "pawl review " + verb + " 318" + rest, about, does);
    if (verb == "edit") {
      argument(&it.reviews, "REVIEW", "The review number");
    } else {
      argument(&it.reviews, "REVIEW...", which_reviews);
    }
    option("--as", &it.as, "NAME", who_acts);
    option("--digest", &it.digest, "DIGEST",
           "The digest of what you saw; a conflict if it has changed");
    return it;
  };
  auto& approve = answer("approve", "", "Approve the output of an attempt.", &review_approve);
  option("--attempt", &approve.attempt, "N", "The attempt; default: the newest shown");
  option("--note", &approve.note, "TEXT", "A note for the record");

  auto& edit = answer("edit", " --output better.json",
                      "Approve with a changed output, edited in $EDITOR.", &review_edit);
  option("--attempt", &edit.attempt, "N", "The attempt to edit; default: the newest shown");
  option("--output", &edit.output, "FILE", "The whole changed output as JSON; - reads stdin");
  option("--note", &edit.note, "TEXT", "A note for the record");

  auto& changes =
      answer("changes", " --note \"keep the tables\"",
             "Request another attempt, with your note as its feedback.", &review_changes);
  required_option("--note", &changes.note, "TEXT", "What to change");

  auto& reject =
      answer("reject", " --reason \"not a contract\"",
             "Reject the output for good; the item becomes a dead letter.", &review_reject);
  required_option("--reason,--note", &reject.note, "TEXT", "The reason");
}

void CommandTree::add_dead_letters() {
  noun("dlq", "Dead letters: list, show, retry, discard, export, purge.");
  auto& list =
      command<DlqListOptions>("list", "pawl dlq list --by error",
                              "List failed tasks that nobody has retried or discarded.", &dlq_list);
  option("--job", &list.job, "JOB", "Only letters of this job");
  option("--filter", &list.filter, "EXPR", "Only letters that match, such as error ~ \"timeout\"");
  choice("--by", &list.by, {"error"}, "Group letters that failed in the same way");
  flag("--discarded", list.discarded, "Include discarded letters");
  option("--limit", &list.limit, "N", how_many);
  option("--after", &list.after, "TASK", "Continue the list after this task number");

  auto& show = command<ItemOptions>("show", "pawl dlq show doc-0419",
                                    "Show a dead letter with every failure.", &dlq_show);
  argument(&show.id, "ID", "KEY, JOB/KEY or KEY/STAGE");
  option("--job", &show.job, "JOB", which_job);
  option("--stage", &show.stage, "STAGE", "The stage, if the id does not name it");

  const auto act = [&](const std::string& verb, const std::string& rest, const std::string& about,
                       Command<DlqActOptions> does) -> DlqActOptions& {
    auto& it = command<DlqActOptions>(verb, "pawl dlq " + verb + " " + rest, about, does);
    optional_argument(&it.ids, "ID...", "KEY, JOB/KEY or KEY/STAGE; - reads them from stdin");
    option("--job", &it.job, "JOB", "Only letters of this job");
    option("--stage", &it.stage, "STAGE", "Only letters of this stage");
    option("--filter", &it.filter, "EXPR", "All letters that match, such as error ~ \"timeout\"");
    flag("--all", it.all, "All letters");
    flag("--dry-run", it.dry_run, "Report what would be done, and change nothing");
    option("--as", &it.as, "NAME", who_acts);
    return it;
  };
  auto& retry =
      act("retry", "--filter 'error ~ \"timeout\"' --dry-run",
          "Make dead letters ready to run again. To work on them: pawl resume.", &dlq_retry);
  option("--note", &retry.note, "TEXT", "Feedback for the next attempt");
  auto& discard = act("discard", "doc-0419 --reason \"a blank page\"",
                      "Mark dead letters as dealt with. Their records stay.", &dlq_discard);
  required_option("--reason,--note", &discard.note, "TEXT", "The reason");
  act("purge", "--filter 'discarded and age > 30d' --dry-run",
      "Delete the items of discarded letters, with all their records.", &dlq_purge);

  auto& out = command<DlqExportOptions>("export", "pawl dlq export > letters.jsonl",
                                        "Print every letter as one line of JSON.", &dlq_export);
  option("--job", &out.job, "JOB", "Only letters of this job");
  option("--filter", &out.filter, "EXPR", "Only letters that match");
  flag("--discarded", out.discarded, "Include discarded letters");
}

void CommandTree::add_record() {
  heading("The record");
  no_noun();
  auto& log = command<EventsOptions>("events", "pawl events --follow --type 'gate.*'",
                                     "Print what happened, in order.", &events);
  flag("--follow,-f", log.follow, "Wait for new events");
  option("--job", &log.job, "JOB", "Only events of this job");
  option("--item", &log.item, "ID", "Only events of this item: KEY or JOB/KEY");
  list_option("--type", log.types, "TYPE",
              "Only events of this type, such as gate.*; may be repeated");
  option("--since", &log.since, "TIME", "Only events since then: 15m, or 2026-03-01T12:00:00Z");

  auto& decisions =
      command<ItemOptions>("why", "pawl why doc-0419/convert",
                           "Print every decision about an item, with its rule.", &why);
  argument(&decisions.id, "ID[/STAGE]", "KEY, JOB/KEY or KEY/STAGE");
  option("--job", &decisions.job, "JOB", which_job);
  option("--stage", &decisions.stage, "STAGE", "Only this stage");

  auto& outputs =
      command<ResultsOptions>("results", "pawl results 41 --to out/",
                              "Print the outputs of a job, or copy them to a directory.", &results);
  optional_argument(&outputs.job, "JOB", "The job; default: the newest");
  option("--stage", &outputs.stage, "STAGE", "Only outputs of this stage");
  option("--to", &outputs.to, "DIR", "Copy outputs and files into this directory");

  auto& store = command<VerifyStoreOptions>(
      "verify", "pawl verify", "Check the records of a store against the promises of the engine.",
      &verify);
  optional_argument(&store.store, "STORE", "The store; default: that of the project");
  flag("--quick", store.quick, "Do not read payloads, and do not compare database indexes");
  flag("--explain", store.explain,
       "Print all promises, or the one given instead of STORE, such as I6");

  auto& again = command<ReplayJobOptions>(
      "replay", "pawl replay 41 --workflow new.yaml",
      "Report what a changed workflow would have decided about a recorded job.", &replay);
  argument(&again.job, "JOB", "The recorded job");
  required_option("--workflow", &again.workflow, "FILE", "The changed workflow file");

  auto& out = command<ExportJobOptions>(
      "export", "pawl export 41 -o job.jsonl",
      "Write a job with all its records to a file, to continue it in another store.", &export_one);
  argument(&out.job, "JOB", "The job: ended, or paused with no attempt open");
  option("--output,-o", &out.file, "FILE", "The file to write; default: stdout");
  option("--sign", &out.sign, "KEY", "Sign with this Ed25519 private key (a PEM file)");

  auto& in = command<ImportJobOptions>("import", "pawl import job.jsonl --store other.db",
                                       "Import an exported job into this store, and verify it.",
                                       &import_one);
  argument(&in.file, "FILE|-", "A file written by `pawl export`; - reads stdin");
  option("--trusted-key", &in.trusted_keys, "KEY",
         "Trust exports signed by this Ed25519 public key (a PEM file); may be repeated");

  auto& processes = command<WorkersOptions>("workers", "pawl workers",
                                            "List the workers of the store.", &workers);
  flag("--all", processes.all, "Include workers that have signed off");
}

void CommandTree::add_about() {
  heading("About pawl");
  command("doctor", "pawl doctor", "Look for problems on this machine.", &doctor);
  auto& format = command<SchemaOptions>("schema", "pawl schema > workflow.schema.json",
                                        "Print the JSON Schema of workflow files.", &schema);
  optional_argument(&format.which, "WHICH", "The schema; default: workflow");
  auto& code =
      command<ExplainOptions>("explain", "pawl explain E012",
                              "Explain an error code of workflow files in detail.", &explain);
  argument(&code.code, "CODE", "The error code, such as E012");
  command("version", "pawl version --json", "Print the version.", &show_version);
}

}  // namespace pawl::cli
