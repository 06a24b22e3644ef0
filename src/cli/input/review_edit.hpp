#pragma once

/// Lets a person edit an output and approves the edited one.

#include <optional>
#include <string>

#include "cli/output/review_view.hpp"
#include "cli/session.hpp"
#include "pawl/store/store.hpp"

namespace pawl::cli {

/// What to edit, and the rest of the answer.
struct EditRequest {
  Actor actor;                        ///< the reviewer
  Answer answer;                      ///< the note, the attempt and the digest
  std::optional<std::string> field;   ///< only this one, as plain text
  std::optional<std::string> output;  ///< the whole edited output as JSON; none: use the editor
  /// How long after it is sent the answer takes effect.
  Duration undo_for{0};
};

/// Edits the output, or the edits that are proposed already, and sends them. The editor (VISUAL,
/// EDITOR, vi) opens a single text as plain text, and everything else as JSON. If there are several
/// fields and at least one of them is text, a person at a terminal is asked which one to edit. A
/// field that is a file may stay as it is, or become the path of another file, which is stored.
///
/// A text that is refused is not lost: on a terminal the editor opens again, with the error on top.
/// The draft is kept until it is sent or given up, and the next edit of the review opens it.
/// Leaving the text as it was refused ends the edit and keeps the draft; an empty file gives it up.
[[nodiscard]] Result<ShownReview> edit_review(Session& session, Store& store,
                                              const ShownReview& shown, EditRequest request);

/// The beginning of the names of a review's drafts.
[[nodiscard]] std::string draft_prefix(ReviewId review);
/// Removes the drafts of a review that has been answered.
void discard_drafts(const Session& session, ReviewId review);

}  // namespace pawl::cli
