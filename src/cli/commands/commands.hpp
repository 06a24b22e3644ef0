#pragma once

/// Every command of the program. Each function is defined in the file of its command.

#include <string>
#include <vector>

#include "cli/commands/command_entry.hpp"

namespace pawl::cli {

// Workflows
CommandEntry init_command();
CommandEntry check_command();
CommandEntry graph_command();
CommandEntry describe_command();
CommandEntry run_command();
CommandEntry resume_command();
CommandEntry work_command();
CommandEntry serve_command();

// Jobs, items and reviews
CommandEntry status_command();
CommandEntry job_list_command();
CommandEntry job_show_command();
CommandEntry job_pause_command();
CommandEntry job_resume_command();
CommandEntry job_revive_command();
CommandEntry job_cancel_command();
CommandEntry job_trust_command();
CommandEntry job_budget_command();
CommandEntry job_wait_command();
CommandEntry item_list_command();
CommandEntry item_show_command();
CommandEntry item_retry_command();
CommandEntry item_cancel_command();
CommandEntry item_skip_command();
CommandEntry item_attempts_command();
CommandEntry item_diff_command();
CommandEntry item_logs_command();
CommandEntry review_list_command();
CommandEntry review_next_command();
CommandEntry review_show_command();
CommandEntry review_claim_command();
CommandEntry review_release_command();
CommandEntry review_assign_command();
CommandEntry review_approve_command();
CommandEntry review_edit_command();
CommandEntry review_changes_command();
CommandEntry review_reject_command();
CommandEntry review_undo_command();
CommandEntry dlq_list_command();
CommandEntry dlq_show_command();
CommandEntry dlq_retry_command();
CommandEntry dlq_discard_command();
CommandEntry dlq_purge_command();
CommandEntry dlq_export_command();

// People
CommandEntry user_add_command();
CommandEntry user_list_command();
CommandEntry user_remove_command();
CommandEntry user_role_command();
CommandEntry user_groups_command();
CommandEntry token_create_command();
CommandEntry token_list_command();
CommandEntry token_revoke_command();
CommandEntry audit_list_command();
CommandEntry audit_export_command();
CommandEntry audit_verify_command();

// The record
CommandEntry events_command();
CommandEntry why_command();
CommandEntry results_command();
CommandEntry verify_command();
CommandEntry replay_command();
CommandEntry export_command();
CommandEntry import_command();
CommandEntry import_checkpoint_command();
CommandEntry workers_command();
CommandEntry pools_command();

// About pawl
CommandEntry doctor_command();
CommandEntry schema_command();
CommandEntry explain_command();
CommandEntry version_command();

/// A heading of the help with its commands.
struct CommandGroup {
  std::string heading;
  std::vector<CommandEntry> commands;
};
/// In the order of the help.
[[nodiscard]] std::vector<CommandGroup> command_groups();

/// What the help says about a noun.
[[nodiscard]] std::string about_noun(const std::string& noun);

}  // namespace pawl::cli
