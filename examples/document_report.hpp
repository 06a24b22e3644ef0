#pragma once

/// Tables about a job of the document pipeline, read from the records alone: any program that can
/// open the store could print them, while the job runs or years later.

#include <string>
#include <vector>

#include "pawl/core/job.hpp"
#include "pawl/store/records.hpp"

namespace documents {

/// A heading; bold on a terminal.
void print_heading(const std::string& text);

/// One line per stage: how many documents are where.
void print_progress(pawl::Records& records, pawl::JobId job);

/// One line per attempt at a stage of one document: what was done, which criteria were not met,
/// and what was decided. Answers the attempts.
std::vector<pawl::Attempt> print_attempts_by_criterion(pawl::Records& records, pawl::JobId job,
                                                       const std::string& document,
                                                       const std::string& stage);

/// One line per open review. Answers them.
std::vector<pawl::Review> print_open_reviews(pawl::Records& records, pawl::JobId job);

/// One line per document that is through: its title, its concepts and how it got here.
void print_results(pawl::Records& records, pawl::JobId job);

/// One line per dead letter. Answers how many there are.
std::size_t print_dead_letters(pawl::Store& store, pawl::JobId job);

/// The task of one stage for one document.
[[nodiscard]] pawl::TaskId task_of(pawl::Records& records, pawl::JobId job,
                                   const std::string& document, const std::string& stage);
/// The workflow that a job is pinned to.
[[nodiscard]] pawl::Workflow workflow_of(pawl::Records& records, pawl::JobId job);
/// What the job-wide stage made of all documents.
[[nodiscard]] pawl::Json corpus_report_of(pawl::Records& records, pawl::JobId job);

}  // namespace documents
