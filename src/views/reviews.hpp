#pragma once

/// A review with everything that a person needs to decide: the question, the attempts and the
/// output. A digest ties the answer to what was shown.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/store/records.hpp"
#include "views/votes.hpp"

namespace pawl::views {

struct ShownReview {
  Review review;
  Job job;
  Workflow workflow;
  std::optional<Item> item;  ///< none: a job-wide stage
  Task task;
  std::vector<Attempt> attempts;
  Votes votes;
  Timestamp read_at;
  Json output;  ///< of the attempt under review
  /// What was approved or what an approval would approve; none: nobody approved anything.
  std::optional<ApprovedContent> approved = {};
  Json approved_output = {};  ///< of that attempt, without the edits
  /// The resolved input of the stage. Only its action can resolve it, so the caller fills it in;
  /// null: there is none.
  Json in = {};
  std::string in_fault = {};  ///< why the input cannot be shown; empty: it can

  [[nodiscard]] const StageDefinition& stage() const;
  [[nodiscard]] std::string item_key() const { return item ? item->key : std::string(); }
  /// The name of the fan-out child; empty: it is none.
  [[nodiscard]] std::string child() const { return task.child ? task.child->key : std::string(); }
  /// "convert", or "convert[page-3]" for a fan-out child.
  [[nodiscard]] std::string task_name() const;
  /// The attempt with this number; null if there is none.
  [[nodiscard]] const Attempt* find(AttemptNumber number) const;
  /// The output that was approved or that an approval would approve, with its edits.
  [[nodiscard]] const Json& content() const;
  /// `show` of the stage's review: {"main": "out.x", "beside": ["in.y"]}; null if it has none.
  [[nodiscard]] Json show() const;
};

/// Reads everything about a review. `now` tells what is overdue.
[[nodiscard]] Result<ShownReview> load_review(Records& records, ReviewId id, Timestamp now);

/// The whole output of an attempt of the task. `not_found` if there is no such attempt.
[[nodiscard]] Result<Json> output_of_attempt(Records& records, const ShownReview& shown,
                                             AttemptNumber number);

/// Why the review was opened: "a gate was uncertain (the judge is not sure)".
[[nodiscard]] std::string reason_in_words(const ShownReview& shown);
/// Whether an approval would approve an output as its gates judged it, without edits, and all of
/// them accepted it with every criterion met. The gates that only advise count, too. An output of a
/// stage without gates has passed them all.
[[nodiscard]] bool passed_all_gates(const ShownReview& shown);

/// How a document shows outputs.
enum class OutputForm : std::uint8_t {
  whole,     ///< all of them in full, each file with the path of its content on this machine
  recorded,  ///< those of the attempts as they are recorded: a large one is {"$ref","size"}. Files
             ///< have no path
};
/// The JSON document of a review as lists show it.
[[nodiscard]] Json short_review_document(const ShownReview& shown);
/// The JSON document of a review, with its input, output, attempts and criteria.
[[nodiscard]] Result<Json> shown_review_document(Records& records, const ShownReview& shown,
                                                 OutputForm form = OutputForm::whole);

}  // namespace pawl::views
