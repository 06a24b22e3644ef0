#pragma once

/// Every command of the program: its options and its function, which returns the exit code.
/// `arguments.cpp` parses the command line and calls these functions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.hpp"
#include "cli/dlq_commands.hpp"

namespace pawl::cli {

class Session;

// Workflows

struct RunOptions {
  std::string file;
  std::vector<std::string> params;   ///< "k=v"
  std::optional<std::string> items;  ///< a glob, a file, or "-"; none: those of the workflow file
  bool dry_run = false;
  bool detach = false;
  bool fresh = false;
  bool is_new = false;
  std::string key;
  std::optional<std::uint32_t> parallel;
  bool keep_running = false;
  std::string file_quota;
};
int run(Session& session, const RunOptions& options);

struct ResumeOptions {
  std::optional<std::int64_t> job;
  bool keep_running = false;
  std::string file_quota;
};
int resume(Session& session, const ResumeOptions& options);

struct WorkOptions {
  std::vector<std::string> stages;
  std::vector<std::string> categories;
  std::optional<std::uint32_t> parallel;
  std::string lease;
  bool keep_running = false;
  std::string file_quota;
  bool drain = false;
};
int work(Session& session, const WorkOptions& options);

struct CheckOptions {
  std::vector<std::string> files;
};
int check(Session& session, const CheckOptions& options);

struct GraphOptions {
  std::string target;  ///< a file or a job
  std::string format = "ascii";
};
int graph(Session& session, const GraphOptions& options);

struct DescribeOptions {
  std::string target;
};
int describe(Session& session, const DescribeOptions& options);

struct SchemaOptions {
  std::string which = "workflow";
};
int schema(Session& session, const SchemaOptions& options);

struct ExplainOptions {
  std::string code;
};
int explain(Session& session, const ExplainOptions& options);

struct InitOptions {
  std::string dir;
};
int init(Session& session, const InitOptions& options);

int doctor(Session& session);

// Jobs

struct StatusOptions {
  std::optional<std::int64_t> job;  ///< none: the newest
  bool watch = false;
};
int status(Session& session, const StatusOptions& options);

struct JobListOptions {
  std::string state;
  std::string workflow;
  std::uint32_t limit = 100;
};
int job_list(Session& session, const JobListOptions& options);

struct OneJobOptions {
  std::int64_t job = 0;
};
int job_show(Session& session, const OneJobOptions& options);
struct JobActOptions {
  std::vector<std::string> jobs;  ///< "-": read from stdin
};
int job_pause(Session& session, const JobActOptions& options);
int job_resume(Session& session, const JobActOptions& options);
int job_cancel(Session& session, const JobActOptions& options);

struct JobBudgetOptions {
  std::int64_t job = 0;
  std::optional<std::int64_t> attempts;
  std::optional<double> cost_usd;
  std::optional<std::int64_t> tokens;
  std::string deadline;
};
int job_budget(Session& session, const JobBudgetOptions& options);

struct JobWaitOptions {
  std::int64_t job = 0;
  std::string timeout;  ///< empty: no timeout
};
int job_wait(Session& session, const JobWaitOptions& options);

// Items

struct ItemListOptions {
  std::optional<std::int64_t> job;
  std::string state;
  std::string category;
  std::uint32_t limit = 100;
  std::string after;  ///< the key of the last item of the previous page
};
int item_list(Session& session, const ItemListOptions& options);

/// One item, or one stage of it.
struct ItemOptions {
  std::string id;
  std::optional<std::int64_t> job;
  std::string stage;
};
int item_show(Session& session, const ItemOptions& options);
int item_attempts(Session& session, const ItemOptions& options);
int why(Session& session, const ItemOptions& options);

struct ItemRetryOptions {
  std::vector<std::string> ids;  ///< "-": read from stdin
  std::optional<std::int64_t> job;
  std::string from;
  std::string note;
  std::string as;
};
int item_retry(Session& session, const ItemRetryOptions& options);

struct ItemCancelOptions {
  std::vector<std::string> ids;
  std::optional<std::int64_t> job;
};
int item_cancel(Session& session, const ItemCancelOptions& options);

struct ItemDiffOptions {
  ItemOptions item;
  std::vector<std::uint32_t> attempts;  ///< none: the two newest
};
int item_diff(Session& session, const ItemDiffOptions& options);

struct ItemLogsOptions {
  ItemOptions item;
  std::optional<std::uint32_t> attempt;  ///< none: all
};
int item_logs(Session& session, const ItemLogsOptions& options);

// Reviews

struct ReviewListOptions {
  std::optional<std::int64_t> job;
  std::string status = "open";  ///< or "all"
  std::uint32_t limit = 100;
  std::int64_t after = 0;
};
int review_list(Session& session, const ReviewListOptions& options);

struct ReviewNextOptions {
  std::optional<std::int64_t> job;
  std::string as;
};
int review_next(Session& session, const ReviewNextOptions& options);

struct ReviewShowOptions {
  std::int64_t review = 0;
};
int review_show(Session& session, const ReviewShowOptions& options);

struct ReviewClaimOptions {
  std::vector<std::string> reviews;  ///< "-": read from stdin
  std::string as;
  std::string lasting = "10m";
};
int review_claim(Session& session, const ReviewClaimOptions& options);
int review_release(Session& session, const ReviewClaimOptions& options);

struct ReviewAnswerOptions {
  std::vector<std::string> reviews;  ///< "-": read from stdin; an edit takes one
  std::string as;
  std::string note;
  std::optional<std::uint32_t> attempt;
  std::string digest;  ///< of what was shown; empty: of what is stored now
  std::string output;  ///< for an edit: a file, or "-"; empty: use $EDITOR
};
int review_approve(Session& session, const ReviewAnswerOptions& options);
int review_edit(Session& session, const ReviewAnswerOptions& options);
int review_changes(Session& session, const ReviewAnswerOptions& options);
int review_reject(Session& session, const ReviewAnswerOptions& options);

// The record

struct EventsOptions {
  bool follow = false;
  std::optional<std::int64_t> job;
  std::string item;
  std::vector<std::string> types;  ///< "gate.*"
  std::string since;               ///< "15m", or an RFC 3339 time
};
int events(Session& session, const EventsOptions& options);

struct ResultsOptions {
  std::optional<std::int64_t> job;
  std::string stage;
  std::string to;  ///< a directory
};
int results(Session& session, const ResultsOptions& options);

struct VerifyStoreOptions {
  std::string store;     ///< empty: the project's; with `explain`: a promise, or empty for all
  bool quick = false;    ///< do not read the bytes of payloads
  bool explain = false;  ///< only print the promises
};
int verify(Session& session, const VerifyStoreOptions& options);

struct ReplayJobOptions {
  std::int64_t job = 0;
  std::string workflow;  ///< a file
};
int replay(Session& session, const ReplayJobOptions& options);

struct WorkersOptions {
  bool all = false;  ///< include workers that have signed off
};
int workers(Session& session, const WorkersOptions& options);

int show_version(Session& session);

struct HelpOptions {
  std::string topic;
};
/// Shows a topic other than a command: "exit-codes".
int help_topic(Session& session, const HelpOptions& options);

}  // namespace pawl::cli
