#include "cli/command_tree.hpp"

#include "cli/commands.hpp"
#include "cli/commands_moving.hpp"

namespace pawl::cli {
namespace {

constexpr auto what_a_quota_is = "What one attempt may hand in as files; 16GiB";
constexpr auto who_acts = "Who acts; else PAWL_USER, USER, or the system's name";
constexpr auto keep_running = "Let commands go on past the lease, when others may run the same";
constexpr auto which_job = "The job, where the key alone is not enough";
constexpr auto how_many = "How many at most";
constexpr auto which_reviews = "Numbers of reviews; - reads them from stdin";

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
  auto& start = command<InitOptions>("init", "pawl init demo", "Make a runnable example.", &init);
  optional_argument(&start.dir, "DIR", "Where; here unless said");

  auto& checked =
      command<CheckOptions>("check", "pawl check documents.yaml",
                            "Tell every fault of workflow files; nothing runs.", &check);
  alias("validate");
  argument(&checked.files, "FILE...", "Workflow files");

  auto& drawn = command<GraphOptions>("graph", "pawl graph documents.yaml --format mermaid",
                                      "Draw the stages of a file or a job.", &graph);
  argument(&drawn.target, "FILE|JOB", "A workflow file, or a job's number");
  choice("--format", &drawn.format, {"ascii", "mermaid", "dot", "json"}, "How it is drawn");

  auto& told =
      command<DescribeOptions>("describe", "pawl describe documents.yaml",
                               "Print the workflow as it is stored and hashed.", &describe);
  argument(&told.target, "FILE|JOB", "A workflow file, or a job's number");

  auto& started = command<RunOptions>(
      "run", "pawl run documents.yaml --param corpus=samples",
      "Submit a job and work on it until it has ended or only people can go on.", &run);
  argument(&started.file, "FILE", "The workflow file");
  option("--param", &started.params, "K=V", "A parameter; may be given again");
  option("--items", &started.items, "GLOB|FILE|-", "The items, in place of the file's own");
  flag("--dry-run", started.dry_run, "Only tell what would run, and why");
  flag("--detach", started.detach, "Only submit");
  flag("--fresh", started.fresh, "Do again what an earlier job has done");
  flag("--new", started.is_new, "Start another job beside an unfinished one");
  option("--key", &started.key, "NAME", "Submit only once under this name");
  option("--parallel", &started.parallel, "N", "Attempts at once");
  flag("--keep-running", started.keep_running, keep_running);
  option("--file-quota", &started.file_quota, "SIZE", what_a_quota_is);

  auto& continued =
      command<ResumeOptions>("resume", "pawl resume 41", "Go on with a job after a stop.", &resume);
  optional_argument(&continued.job, "JOB", "The job; the newest unfinished where none is named");
  flag("--keep-running", continued.keep_running, keep_running);
  option("--file-quota", &continued.file_quota, "SIZE", what_a_quota_is);

  auto& worker = command<WorkOptions>("work", "pawl work --drain",
                                      "Keep working on what the store holds.", &work);
  list_option("--stages", worker.stages, "A,B", "Only these stages");
  list_option("--categories", worker.categories, "X,Y", "Only items of these categories");
  option("--parallel", &worker.parallel, "N", "Attempts at once");
  option("--lease", &worker.lease, "TIME",
         "When this worker is not heard of for so long, others take over; 60s");
  flag("--keep-running", worker.keep_running, keep_running);
  option("--file-quota", &worker.file_quota, "SIZE", what_a_quota_is);
  flag("--drain", worker.drain, "Until nothing is left but people");
}

void CommandTree::add_status() {
  heading("Jobs, items and people");
  auto& it = command<StatusOptions>("status", "pawl status 41 --watch",
                                    "One screen: stages and states, reviews, dead letters, budget.",
                                    &status);
  optional_argument(&it.job, "JOB", "The job; the newest where none is named");
  flag("--watch,-w", it.watch, "Show changes until the job has ended or waits only for people");
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
    argument(&it.job, "JOB", "The job's number");
  };
  one("show", "Show a job.", &job_show);
  const auto act = [&](const std::string& verb, const std::string& about,
                       Command<JobActOptions> does) {
    auto& it = command<JobActOptions>(verb, "pawl job " + verb + " 41", about, does);
    argument(&it.jobs, "JOB...", "Numbers of jobs; - reads them from stdin");
  };
  act("pause", "Start nothing more; what runs goes on to its end.", &job_pause);
  act("resume", "Take back a pause. To work on the job: pawl resume JOB.", &job_resume);
  act("cancel", "Cancel a job: what runs is asked to stop. There is no way back.", &job_cancel);

  auto& trust = command<JobTrustOptions>(
      "trust", "pawl job trust 41",
      "Show every command that an imported job would run, and accept it.", &job_trust);
  argument(&trust.job, "JOB", "The job's number");
  option("--as", &trust.as, "NAME", who_acts);

  auto& budget = command<JobBudgetOptions>(
      "budget", "pawl job budget 41 --cost-usd 40 --deadline 12h",
      "Show a job's budget, or change the limits that are named.", &job_budget);
  argument(&budget.job, "JOB", "The job's number");
  option("--attempts", &budget.attempts, "N", "Attempts of the whole job");
  option("--cost-usd", &budget.cost_usd, "DOLLARS", "What it may cost");
  option("--tokens", &budget.tokens, "N", "Tokens it may use");
  option("--deadline", &budget.deadline, "TIME", "From the submission: 8h");

  auto& wait = command<JobWaitOptions>(
      "wait", "pawl job wait 41 --timeout 1h",
      "Wait until a job has ended, is paused or waits only for people; the exit code says which.",
      &job_wait);
  argument(&wait.job, "JOB", "The job's number");
  option("--timeout", &wait.timeout, "TIME", "Give up after: 1h");
}

void CommandTree::add_items() {
  const auto words_of = [&](ItemOptions& it, const std::string& shown = "ID") {
    argument(&it.id, shown, "KEY, JOB/KEY or KEY/STAGE");
    option("--job", &it.job, "JOB", which_job);
    option("--stage", &it.stage, "STAGE", "The stage");
  };
  noun("item", "Items: list, show, retry, cancel, attempts, diff, logs.");
  auto& list =
      command<ItemListOptions>("list", "pawl item list --state failed -q",
                               "List the items of a job, in order of arrival.", &item_list);
  option("--job", &list.job, "JOB", "The job; the newest where none is named");
  choice("--state", &list.state, {"active", "succeeded", "failed", "cancelled"},
         "Only items in this state");
  option("--category", &list.category, "NAME", "Only items of this category");
  option("--limit", &list.limit, "N", "How many at most; 0: all");
  option("--after", &list.after, "KEY", "The last key of the page before");

  words_of(command<ItemOptions>("show", "pawl item show doc-0419", "Show an item with every stage.",
                                &item_show));

  auto& retry = command<ItemRetryOptions>(
      "retry", "pawl item retry doc-0419 --from convert --note \"keep the tables\"",
      "Run an item again from a stage; everything after it runs again too.", &item_retry);
  argument(&retry.ids, "ID...", "KEY, JOB/KEY or KEY/STAGE; - reads them from stdin");
  option("--job", &retry.job, "JOB", which_job);
  option("--from", &retry.from, "STAGE", "The stage; else the one that failed");
  option("--note", &retry.note, "TEXT", "Feedback for the next attempt");
  option("--as", &retry.as, "NAME", who_acts);

  auto& cancel = command<ItemCancelOptions>("cancel", "pawl item cancel doc-0419",
                                            "Cancel an item; the others go on.", &item_cancel);
  argument(&cancel.ids, "ID...", "KEY or JOB/KEY; - reads them from stdin");
  option("--job", &cancel.job, "JOB", which_job);

  words_of(command<ItemOptions>("attempts", "pawl item attempts doc-0419 --stage convert",
                                "Show every attempt: result, verdict, feedback, decision.",
                                &item_attempts));

  auto& diff = command<ItemDiffOptions>(
      "diff", "pawl item diff doc-0419/convert 1 3",
      "Compare the outputs of two attempts; the two newest where none are named.", &item_diff);
  words_of(diff.item);
  optional_argument(&diff.attempts, "A B", "Two attempt numbers");

  auto& logs = command<ItemLogsOptions>("logs", "pawl item logs doc-0419 --stage convert",
                                        "Print what the commands of an item wrote.", &item_logs);
  words_of(logs.item);
  option("--attempt", &logs.attempt, "N", "Only this attempt");
}

void CommandTree::add_reviews() {
  noun("review", "Reviews: list, next, show, claim, release, approve, edit, changes, reject.");
  auto& list = command<ReviewListOptions>(
      "list", "pawl review list", "List what waits for people, oldest first.", &review_list);
  option("--job", &list.job, "JOB", "Only reviews of this job");
  choice("--status", &list.status, {"open", "answered", "closed", "superseded", "all"},
         "Others than the open ones");
  option("--limit", &list.limit, "N", how_many);
  option("--after", &list.after, "REVIEW", "The last number of the page before");

  auto& next = command<ReviewNextOptions>(
      "next", "pawl review next",
      "Show what has waited longest. On a terminal: decide by key, and go on to the next.",
      &review_next);
  option("--job", &next.job, "JOB", "Only reviews of this job");
  option("--as", &next.as, "NAME", who_acts);

  auto& show = command<ReviewShowOptions>("show", "pawl review show 318",
                                          "Show a review with its attempts.", &review_show);
  argument(&show.review, "REVIEW", "The review's number");

  auto& claim =
      command<ReviewClaimOptions>("claim", "pawl review claim 318 --for 30m",
                                  "Keep a review for yourself for a while.", &review_claim);
  argument(&claim.reviews, "REVIEW...", which_reviews);
  option("--for", &claim.lasting, "TIME", "How long the claim holds; 10m unless said");
  option("--as", &claim.as, "NAME", who_acts);

  auto& release = command<ReviewClaimOptions>("release", "pawl review release 318",
                                              "Give a claimed review back.", &review_release);
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
      argument(&it.reviews, "REVIEW", "The review's number");
    } else {
      argument(&it.reviews, "REVIEW...", which_reviews);
    }
    option("--as", &it.as, "NAME", who_acts);
    option("--digest", &it.digest, "DIGEST", "What was shown to you; anything else is a conflict");
    return it;
  };
  auto& approve = answer("approve", "", "Approve an attempt's output.", &review_approve);
  option("--attempt", &approve.attempt, "N", "The attempt; else the newest shown");
  option("--note", &approve.note, "TEXT", "A remark");

  auto& edit = answer("edit", " --output better.json",
                      "Approve with a changed output, edited in $EDITOR.", &review_edit);
  option("--attempt", &edit.attempt, "N", "The attempt to start from; else the newest shown");
  option("--output", &edit.output, "FILE", "The whole changed output as JSON; - reads stdin");
  option("--note", &edit.note, "TEXT", "A remark");

  auto& changes =
      answer("changes", " --note \"keep the tables\"",
             "Ask for another attempt, with your note as its feedback.", &review_changes);
  required_option("--note", &changes.note, "TEXT", "What to do better");

  auto& reject = answer("reject", " --reason \"not a contract\"",
                        "Reject for good; the item becomes a dead letter.", &review_reject);
  required_option("--reason,--note", &reject.note, "TEXT", "Why");
}

void CommandTree::add_dead_letters() {
  noun("dlq", "Dead letters: list, show, retry, discard, export, purge.");
  auto& list = command<DlqListOptions>("list", "pawl dlq list --by error",
                                       "List what failed and nobody has dealt with.", &dlq_list);
  option("--job", &list.job, "JOB", "Only letters of this job");
  option("--filter", &list.filter, "EXPR", "Only those that match: error ~ \"timeout\"");
  choice("--by", &list.by, {"error"}, "Group letters that failed alike");
  flag("--discarded", list.discarded, "Those that were discarded, too");
  option("--limit", &list.limit, "N", how_many);
  option("--after", &list.after, "TASK", "The last task number of the page before");

  auto& show = command<ItemOptions>("show", "pawl dlq show doc-0419",
                                    "Show a dead letter with every failure.", &dlq_show);
  argument(&show.id, "ID", "KEY, JOB/KEY or KEY/STAGE");
  option("--job", &show.job, "JOB", which_job);
  option("--stage", &show.stage, "STAGE", "The stage");

  const auto act = [&](const std::string& verb, const std::string& rest, const std::string& about,
                       Command<DlqActOptions> does) -> DlqActOptions& {
    auto& it = command<DlqActOptions>(verb, "pawl dlq " + verb + " " + rest, about, does);
    optional_argument(&it.ids, "ID...", "KEY, JOB/KEY or KEY/STAGE; - reads them from stdin");
    option("--job", &it.job, "JOB", "Only letters of this job");
    option("--stage", &it.stage, "STAGE", "Only letters of this stage");
    option("--filter", &it.filter, "EXPR", "All that match: error ~ \"timeout\"");
    flag("--all", it.all, "All there are");
    flag("--dry-run", it.dry_run, "Only tell what would be done");
    option("--as", &it.as, "NAME", who_acts);
    return it;
  };
  auto& retry = act("retry", "--filter 'error ~ \"timeout\"' --dry-run",
                    "Make dead letters ready again; to work on them: pawl resume.", &dlq_retry);
  option("--note", &retry.note, "TEXT", "Feedback for the next attempt");
  auto& discard = act("discard", "doc-0419 --reason \"a blank page\"",
                      "Mark dead letters as dealt with. Their record stays.", &dlq_discard);
  required_option("--reason,--note", &discard.note, "TEXT", "Why");
  act("purge", "--filter 'discarded and age > 30d' --dry-run",
      "Delete the items of discarded letters, with all their records.", &dlq_purge);

  auto& out = command<DlqExportOptions>("export", "pawl dlq export > letters.jsonl",
                                        "Print every letter as one line of JSON.", &dlq_export);
  option("--job", &out.job, "JOB", "Only letters of this job");
  option("--filter", &out.filter, "EXPR", "Only those that match");
  flag("--discarded", out.discarded, "Those that were discarded, too");
}

void CommandTree::add_record() {
  heading("The record");
  no_noun();
  auto& log = command<EventsOptions>("events", "pawl events --follow --type 'gate.*'",
                                     "What happened, in order.", &events);
  flag("--follow,-f", log.follow, "Go on as things happen");
  option("--job", &log.job, "JOB", "Only events of this job");
  option("--item", &log.item, "ID", "Only events of this item: KEY or JOB/KEY");
  list_option("--type", log.types, "TYPE", "Only this type, or gate.*; may be given again");
  option("--since", &log.since, "TIME", "15m, or a time as 2026-03-01T12:00:00Z");

  auto& decisions = command<ItemOptions>("why", "pawl why doc-0419/convert",
                                         "Every decision about an item, with its rule.", &why);
  argument(&decisions.id, "ID[/STAGE]", "KEY, JOB/KEY or KEY/STAGE");
  option("--job", &decisions.job, "JOB", which_job);
  option("--stage", &decisions.stage, "STAGE", "Only this stage");

  auto& outputs = command<ResultsOptions>("results", "pawl results 41 --to out/",
                                          "Get the outputs out.", &results);
  optional_argument(&outputs.job, "JOB", "The job; the newest where none is named");
  option("--stage", &outputs.stage, "STAGE", "Only outputs of this stage");
  option("--to", &outputs.to, "DIR", "Copy outputs and files into this directory");

  auto& store = command<VerifyStoreOptions>(
      "verify", "pawl verify", "Check a store's records against the engine's promises.", &verify);
  optional_argument(&store.store, "STORE", "The store; the project's where none is named");
  flag("--quick", store.quick,
       "Do not read the bytes of payloads, nor compare the indexes of the database");
  flag("--explain", store.explain, "Tell the promises, or in place of STORE one of them: I6");

  auto& again = command<ReplayJobOptions>(
      "replay", "pawl replay 41 --workflow new.yaml",
      "What a changed workflow would have decided about a job that ran.", &replay);
  argument(&again.job, "JOB", "The job whose record is decided again");
  required_option("--workflow", &again.workflow, "FILE", "The workflow of today");

  auto& out = command<ExportJobOptions>(
      "export", "pawl export 41 -o job.jsonl",
      "Write a job with all its records to a file, to go on with it in another store.",
      &export_one);
  argument(&out.job, "JOB", "The job: ended, or paused with no attempt open");
  option("--output,-o", &out.file, "FILE", "Where to; stdout unless said");
  option("--sign", &out.sign, "KEY", "Sign it with this Ed25519 private key, a PEM file");

  auto& in = command<ImportJobOptions>("import", "pawl import job.jsonl --store other.db",
                                       "Bring an exported job into this store, and verify it.",
                                       &import_one);
  argument(&in.file, "FILE|-", "What `pawl export` wrote; - reads stdin");
  option("--trusted-key", &in.trusted_keys, "KEY",
         "Accept what this Ed25519 public key signed, a PEM file; may be given again");

  auto& processes = command<WorkersOptions>("workers", "pawl workers",
                                            "The processes that work on the store.", &workers);
  flag("--all", processes.all, "Those that have signed off, too");
}

void CommandTree::add_about() {
  heading("About pawl");
  command("doctor", "pawl doctor", "Look for what stands in the way here.", &doctor);
  auto& format = command<SchemaOptions>("schema", "pawl schema > workflow.schema.json",
                                        "Print the JSON Schema of workflow files.", &schema);
  optional_argument(&format.which, "WHICH", "workflow");
  auto& code = command<ExplainOptions>("explain", "pawl explain E012",
                                       "The long story of an error code.", &explain);
  argument(&code.code, "CODE", "E012");
  command("version", "pawl version --json", "Print the version.", &show_version);
}

}  // namespace pawl::cli
