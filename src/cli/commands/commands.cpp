#include "cli/commands/commands.hpp"

namespace pawl::cli {

std::vector<CommandGroup> command_groups() {
  return {
      {"Workflows",
       {init_command(), check_command(), graph_command(), describe_command(), run_command(),
        resume_command(), work_command(), serve_command()}},
      {"Jobs, items and reviews",
       {status_command(),         job_list_command(),       job_show_command(),
        job_pause_command(),      job_resume_command(),     job_revive_command(),
        job_cancel_command(),     job_trust_command(),      job_budget_command(),
        job_wait_command(),       item_list_command(),      item_show_command(),
        item_retry_command(),     item_skip_command(),      item_cancel_command(),
        item_attempts_command(),  item_diff_command(),      item_logs_command(),
        review_list_command(),    review_next_command(),    review_show_command(),
        review_claim_command(),   review_release_command(), review_assign_command(),
        review_approve_command(), review_edit_command(),    review_changes_command(),
        review_reject_command(),  review_undo_command(),    dlq_list_command(),
        dlq_show_command(),       dlq_retry_command(),      dlq_discard_command(),
        dlq_purge_command(),      dlq_export_command()}},
      {"People",
       {user_add_command(), user_list_command(), user_role_command(), user_groups_command(),
        user_remove_command(), token_create_command(), token_list_command(), token_revoke_command(),
        audit_list_command(), audit_export_command(), audit_verify_command()}},
      {"The record",
       {events_command(), why_command(), results_command(), verify_command(), replay_command(),
        export_command(), import_command(), import_checkpoint_command(), workers_command(),
        pools_command()}},
      {"About pawl", {doctor_command(), schema_command(), explain_command(), version_command()}},
  };
}

std::string about_noun(const std::string& noun) {
  if (noun == "job") return "Jobs: list, show, pause, resume, revive, cancel, trust, budget, wait.";
  if (noun == "item") return "Items: list, show, retry, skip, cancel, attempts, diff, logs.";
  if (noun == "review") {
    return "Reviews: list, next, show, claim, release, assign, approve, edit, changes, reject, "
           "undo.";
  }
  if (noun == "user") return "People: add, list, role, groups, remove.";
  if (noun == "token") return "Tokens to sign in with: create, list, revoke.";
  if (noun == "audit") return "The audit trail, who did what: list, export, verify.";
  return "Dead letters: list, show, retry, discard, export, purge.";
}

}  // namespace pawl::cli
