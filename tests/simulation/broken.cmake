# Proves that the simulation can fail: programs with one deliberate fault, each of which it must
# catch.
#
# pawl_broken(<name> <source> <was> <is>)
#
# The source is copied with the text <was>, which must occur in it exactly once, replaced by <is>,
# and linked in place of the real one. The real sources are unchanged. The worlds are those of
# simulation.worlds_1, in which the real program is known to be correct.
function(pawl_broken name source was is)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${source}")
  file(READ "${PROJECT_SOURCE_DIR}/src/${source}" text)
  string(REPLACE "${was}" "${is}" broken "${text}")
  string(LENGTH "${text}" length)
  string(REPLACE "${was}" "" without "${text}")
  string(LENGTH "${without}" length_without)
  string(LENGTH "${was}" length_was)
  math(EXPR once "${length} - ${length_was}")
  if(NOT length_without EQUAL once)
    message(FATAL_ERROR "tests/simulation/broken.cmake: '${name}' wants to break src/${source} where "
      "it says\n${was}\nwhich does not stand there exactly once (any more).")
  endif()
  set(copy "${CMAKE_CURRENT_BINARY_DIR}/broken/${name}.cpp")
  file(CONFIGURE OUTPUT "${copy}" CONTENT "${broken}" @ONLY)

  set(target pawl_broken_${name})
  add_executable(${target} main.cpp "${copy}")
  pawl_compile_options(${target})
  target_compile_options(${target} PRIVATE -g0 -Wno-error)
  get_filename_component(folder "${PROJECT_SOURCE_DIR}/src/${source}" DIRECTORY)
  target_include_directories(${target} PRIVATE "${folder}")
  target_link_libraries(${target} PRIVATE pawl_simulation)
  target_link_options(${target} PRIVATE -s)
  add_test(NAME simulation.broken.${name} COMMAND ${target} --broken --first 1000000 --steps 3000000)
  set_tests_properties(simulation.broken.${name} PROPERTIES LABELS simulation)
  pawl_timeout(300 simulation.broken.${name})
endfunction()

# What the store must refuse.
pawl_broken(token_not_checked store/memory/memory_rows.cpp
  [=[if (row == nullptr || row->version != expected) return false;]=]
  [=[if (row == nullptr) return false;]=])
pawl_broken(event_of_what_was_not_written store/ledger/task_flow.cpp
  [=[if (!books_.replace(row, step.expected)) return fenced();]=]
  [=[if (!books_.replace(row, step.expected)) {
    books_.log(job.id, events);
    return fenced();
  }]=])
pawl_broken(used_twice store/ledger/task_flow.cpp
  [=[if (step.closed) rows_.insert_attempt(*step.closed);
  if (!step.children]=]
  [=[if (step.closed) {
    rows_.insert_attempt(*step.closed);
    job.used.tokens += step.closed->usage.tokens;
  }
  if (!step.children]=])
pawl_broken(cancel_of_an_item_overlooked store/ledger/task_flow.cpp
  [=[return progress && progress->cancelled;]=]
  [=[return false && progress && progress->cancelled;]=])
pawl_broken(stale_view_taken store/ledger/task_flow.cpp
  [=[if (step.generation != 0 && (step.generation != job.generation || overlooks_cancel(job, step))) {]=]
  [=[if (step.generation != 0 && overlooks_cancel(job, step)) {]=])
pawl_broken(review_applied_twice store/ledger/review_answers.cpp
  [=[  if (review->status != ReviewStatus::open) return no_longer_open(*review);
  if (touched->job->cancelled) {]=]
  [=[  if (review->status == ReviewStatus::superseded) return no_longer_open(*review);
  if (touched->job->cancelled) {]=])
pawl_broken(review_of_other_content store/ledger/review_answers.cpp
  [=[act.answer.digest != review->digest]=]
  [=[act.answer.digest == review->digest + "x"]=])
pawl_broken(lease_cut_short store/memory/memory_workers.cpp
  [=[worker.lease_until <= now)]=]
  [=[worker.lease_until <= now + std::chrono::seconds(1))]=])
pawl_broken(timer_early store/memory/memory_rows.cpp
  [=[if (when > now || due.size() == max) break;]=]
  [=[if (when > now + Duration{1} || due.size() == max) break;]=])
pawl_broken(need_not_waited_for store/ledger/task_flow.cpp
  [=[if (waiting->satisfied == plan.full_mask) {]=]
  [=[if (waiting->satisfied != 0) {]=])
pawl_broken(children_left_behind store/ledger/rerun.cpp
  [=[    write_rerun(touched, step, *before);
    events.insert]=]
  [=[    flow_.supersede_review(before->id);
    flow_.write_step(touched, step, *before);
    events.insert]=])

# What the core must decide.
pawl_broken(number_reused core/open.cpp
  [=[++ready.attempts;]=]
  [=[if (ready.attempts == 0 || ready.cause != Cause::interrupted) ++ready.attempts;]=])
pawl_broken(budget_off_by_one core/budget.cpp
  [=[job.attempts_opened >= *budget.max_total_attempts]=]
  [=[job.attempts_opened > *budget.max_total_attempts]=])
pawl_broken(cost_forgotten core/budget.cpp
  [=[job.used.cost_microusd >= *budget.cost_microusd]=]
  [=[job.used.cost_microusd > *budget.cost_microusd]=])
pawl_broken(opened_after_a_cancel core/budget.cpp
  [=[if (job.cancelled || job.paused != PauseCause::none || job.has_ended()) return {};]=]
  [=[if (job.paused != PauseCause::none || job.has_ended()) return {};]=])
pawl_broken(rejection_not_counted core/decide/observations.cpp
  [=[++counts.rejections;]=]
  [=[if (counts.rejections == 0) ++counts.rejections;]=])
pawl_broken(interruption_counted core/decide/observations.cpp
  [=[give_back(counts);
  if (!closed.graceful && closed.ran) {]=]
  [=[++counts.failures;
  if (!closed.graceful && closed.ran) {]=])
pawl_broken(rate_too_fast core/rate.cpp
  [=[count_th_newest + rate.per]=]
  [=[count_th_newest + rate.per / 2]=])
pawl_broken(reduce_too_early core/advance.cpp
  [=[return job.stages[at(stage)].ended() + adopted >= job.items.total;]=]
  [=[return job.stages[at(stage)].ended() + adopted + 1 >= job.items.total;]=])
pawl_broken(one_more_than_parallel store/ledger/admission.cpp
  [=[if (job.parallel > 0 && job.attempts_open >= static_cast<std::int64_t>(job.parallel))]=]
  [=[if (job.parallel > 0 && job.attempts_open > static_cast<std::int64_t>(job.parallel))]=])

# What the engine must not forget.
pawl_broken(refused_result_dropped runtime/loop_commits.cpp
  [=[if (batch->steps.size() == 1) return substitute(batch->steps.front(), error);]=]
  [=[if (batch->steps.size() == 1) return void(held_.take_for(batch->steps.front()));]=])
pawl_broken(forgotten_result_not_missed runtime/loop_holdings.cpp
  [=[if (!differences.unknown.empty()) want_read_back();]=]
  [=[]=])
pawl_broken(version_of_a_forgotten_write store/ledger/books.cpp
  [=[next.version = next_stamp(expected, now_);]=]
  [=[next.version = expected + 1;]=])
pawl_broken(generation_of_a_forgotten_act store/ledger/books.cpp
  [=[job.generation = next_stamp(job.generation, now_);]=]
  [=[++job.generation;]=])
pawl_broken(full_job_keeps_the_slots runtime/scheduler.cpp
  [=[return is_anybody_left || end_round();]=]
  [=[return (is_anybody_left && false) || end_round();]=])
pawl_broken(taken_for_dead_and_does_not_ask runtime/loop_claims.cpp
  [=[if (claims.error().code == ErrorCode::not_found) return renew();]=]
  [=[]=])
pawl_broken(lost_commit_sent_again runtime/loop_commits.cpp
  [=[const bool was_written = self && self->last_batch == batch->number;]=]
  [=[const bool was_written = self && self->last_batch == batch->number + 1'000'000;]=])
pawl_broken(events_skipped runtime/event_feed.cpp
  [=[if (!events) {  // the store does not answer now; the cursor stays
]=]
  [=[if (!events) {
      if (!seen.empty()) ++seen.back().first;
]=])
pawl_broken(trouble_of_the_store_counted runtime/execution.cpp
  [=[if (attempt_->missed_store && finished_->draft.result == AttemptResult::failure) hand_back();]=]
  [=[]=])
pawl_broken(end_of_the_log_not_missed runtime/event_feed.cpp
  [=[const bool follows = seen.empty() || (!events->empty() && is(events->front(), seen.back()));]=]
  [=[const bool follows = true;]=])

# What people may do, and what follows from their answers and from time.
pawl_broken(vote_counted_twice core/review_rules.cpp
  [=[    if (earlier.answer.reviewer == answer.reviewer) {]=]
  [=[    if (earlier.answer.reviewer == answer.reviewer) people.push_back(answer.reviewer);
    if (false) {]=])
pawl_broken(vote_for_other_edits_kept core/review_rules.cpp
  [=[      ballot.voided.push_back(earlier.number);]=]
  [=[]=])
pawl_broken(self_approval_let_through core/review_rules.cpp
  [=[ballot.needs_other_eyes = is_enough && needs_other_eyes(rules, people, submitted_by, editors);]=]
  [=[ballot.needs_other_eyes = false;]=])
pawl_broken(editor_forgotten core/review_rules.cpp
  [=[return is_approval(earlier.answer) && earlier.answer.edits == content.edits &&]=]
  [=[return is_counted_approval(earlier) && earlier.answer.edits == content.edits &&]=])
pawl_broken(other_attempt_not_in_the_digest store/ledger/review_digest.cpp
  [=[const bool is_other_attempt = proposed.attempt != review.attempt;]=]
  [=[const bool is_other_attempt = false;]=])
pawl_broken(claim_of_a_colleague_ended store/ledger/review_claims.cpp
  [=[if (!may && is_claimed_by_other(*review, act.by, now_)) {]=]
  [=[if (false) {]=])
pawl_broken(approved_by_time core/review_rules.cpp
  [=[  return {.outcome = ReviewOutcome::reject,
          .reviewer = std::string(overdue_name),]=]
  [=[  return {.outcome = ReviewOutcome::approve,
          .reviewer = std::string(overdue_name),]=])
pawl_broken(early_notice store/memory/memory_rows.cpp
  [=[review.notice_at != no_time && review.notice_at <= now;]=]
  [=[review.notice_at != no_time && review.notice_at <= now + std::chrono::seconds(1);]=])
pawl_broken(role_not_asked_for store/ledger/operations.cpp
  [=[if (const Status may = check_permission(by.actor, by.standing, right_for(act)); !may) {]=]
  [=[if (const Status may = check_permission(by.actor, by.standing, Right::see); !may) {]=])
pawl_broken(act_without_audit store/ledger/operations.cpp
  [=[books_.audit().note(std::move(entry));]=]
  [=[]=])
pawl_broken(paused_stage_claimed store/ledger/admission.cpp
  [=[if (job.is_paused(stage)) return false;]=]
  [=[]=])
pawl_broken(paused_stage_goes_on store/ledger/admission.cpp
  [=[return may.yes && !touched.job->is_paused(step.next.stage()) &&]=]
  [=[return may.yes &&]=])
pawl_broken(foreign_undo_let_through store/ledger/review_answers.cpp
  [=[if ((!has_given && !is_the_answer) || is_for_others) {]=]
  [=[if (false) {]=])
