#pragma once

/// The verbs of a ledger, one class each. A verb has no state of its own: it works on the books,
/// the admission and the task flow of one transaction.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pawl/store/arrival.hpp"
#include "pawl/store/people.hpp"
#include "store/ledger/admission.hpp"
#include "store/ledger/books.hpp"
#include "store/ledger/task_flow.hpp"

namespace pawl::store {

class Verb {
 public:
  Verb(Books& books, Admission& admission, TaskFlow& flow)
      : books_(books), admission_(admission), flow_(flow), rows_(books.rows()), now_(books.now()) {}

 protected:
  ~Verb() = default;

  /// `forbidden` unless the actor has this right now.
  [[nodiscard]] Status check_right(const Actor& by, Right right) const;

  Books& books_;
  Admission& admission_;
  TaskFlow& flow_;
  Rows& rows_;
  Timestamp now_;
};

/// Takes in jobs and items.
class Submission : Verb {
 public:
  using Verb::Verb;
  [[nodiscard]] Result<Job> create_job(const NewJob& fresh);
  [[nodiscard]] Result<Added> add_items(const AddItems& chunk);
  [[nodiscard]] Result<Submitted> submit(const NewJob& fresh, const AddItems& chunk);

 private:
  /// A chunk of items that is being taken in.
  struct Intake {
    TouchedJob& touched;
    const AddItems& chunk;
    std::uint32_t pass = 0;
    Added added;
  };
  [[nodiscard]] Job make_job(const NewJob& fresh);
  void add_item(Intake& intake, const NewItem& item, std::string key);
  void add_task_with_history(TouchedJob& touched, Task task, const ItemHistory& history);
};

/// Opens attempts of Ready tasks for a worker.
class Claiming : Verb {
 public:
  using Verb::Verb;
  [[nodiscard]] Claims claim(const ClaimRequest& request);
  /// Applies the steps and claims for the slots that they leave free.
  [[nodiscard]] Committed apply_and_refill(WorkerId worker, std::span<const Step> steps,
                                           const Refill& refill);

 private:
  void claim_share(TouchedJob& touched, const LaneShare& share, WorkerId worker, Claims& claims);
};

/// Why a task runs again, and what its next attempt is given.
struct RerunReason {
  Cause cause = Cause::manual;
  std::optional<Feedback> feedback;
  std::string by = {};  ///< who asked for it
};

/// Runs finished work again: a task, and everything that depends on it.
class Reruns : Verb {
 public:
  using Verb::Verb;
  /// Whether the job can go on at all.
  [[nodiscard]] Status check_job(const TouchedJob& touched) const;
  /// Whether the budget of the job would let it open attempts, if it were running.
  [[nodiscard]] Status check_budget(const Job& job) const;
  /// Everything that can stand in the way is checked first, so that a refusal changes nothing.
  [[nodiscard]] Status check(const TouchedJob& touched, const Task& task);
  Status rerun(TouchedJob& touched, const Task& task, const RerunReason& reason);
  /// Runs again what was cancelled when the job ended for this cause.
  void rerun_cancelled(TouchedJob& touched, CancelCause cause);

 private:
  void rerun_cancelled_task(TouchedJob& touched, const Task& task, CancelCause cause);
  void rerun_item(TouchedJob& touched, const Task& task, const RerunReason& reason);
  void rerun_job_wide(TouchedJob& touched, const Task& task, const RerunReason& reason);
  void rerun_children(TouchedJob& touched, const Task& parent, TaskId only,
                      const RerunReason& reason);
  void write_rerun(TouchedJob& touched, const Step& step, const Task& before);
  void reset_downstream(TouchedJob& touched, const Task& task);
  void reset_job_wide_after(TouchedJob& touched, StageIndex stage);
  void recount_item(TouchedJob& touched, ItemId item);
};

/// Who acts, as far as the store knows them.
struct Acting {
  Actor actor;
  Standing standing;
};

/// What the verbs about reviews share.
class ReviewVerb : protected Verb {
 public:
  using Verb::Verb;

 protected:
  ~ReviewVerb() = default;

  [[nodiscard]] static std::string assignment_text(const std::vector<std::string>& assigned,
                                                   const std::string& note);
  /// The refusal of an act on a review that has been decided or superseded.
  [[nodiscard]] std::unexpected<Error> no_longer_open(const Review& review);
  void log_event(const Review& review, Event event);
};

/// Takes and takes back answers. An answer is bound to what was shown. Of two answers one wins, and
/// the other is refused.
class ReviewAnswers : ReviewVerb {
 public:
  using ReviewVerb::ReviewVerb;
  Result<Job> carry_out(const AnswerReview& act, const Acting& by);
  Result<Job> carry_out(const UndoAnswer& act, const Acting& by);
  Status make_effective(TouchedJob& touched, Review review, const Answer& given);
  /// Opens a review again whose answer no longer fits. That answer does not count any more.
  void reopen(Review review);

 private:
  [[nodiscard]] Reruns reruns() { return {books_, admission_, flow_}; }
  [[nodiscard]] Task changes_target(const TouchedJob& touched, const Task& task);
  [[nodiscard]] Status check_answer(const TouchedJob& touched, const Review& review,
                                    const Answer& given);
  /// The digest of the review with the edits that have been proposed, if any.
  [[nodiscard]] std::string digest_of(const TouchedJob& touched, const Review& review,
                                      const std::vector<GivenAnswer>& given);
  void end_answer(GivenAnswer given, AnswerFate fate);
};

/// Says who works on a review: claims, and assignments to others.
class ReviewClaims : ReviewVerb {
 public:
  using ReviewVerb::ReviewVerb;
  Result<Job> carry_out(const ClaimReview& act, const Acting& by);
  Result<Job> carry_out(const ReleaseReview& act, const Acting& by);
  Result<Job> carry_out(const AssignReview& act, const Acting& by);
};

/// Announces what is due about an open review, and does what its rules say.
class ReviewNotices : ReviewVerb {
 public:
  using ReviewVerb::ReviewVerb;
  void give_notice(Review review);

 private:
  [[nodiscard]] ReviewAnswers answers() { return {books_, admission_, flow_}; }
  void look_again_later(Review review);
  void reject_overdue(TouchedJob& touched, const Review& review);
  [[nodiscard]] static AuditEntry entry_about(const Review& review, std::string act);
};

/// Carries out what operators do to jobs, items and dead letters.
class Operations : Verb {
 public:
  using Verb::Verb;
  /// Checks that the actor may do this, does it, and notes it in the audit trail.
  [[nodiscard]] Result<Job> act(const Act& act, const Actor& actor);

 private:
  [[nodiscard]] Result<Job> carry_out(const Act& act, const Acting& by);
  Result<Job> carry_out(const PauseStage& act);
  Result<Job> carry_out(const ResumeStage& act);
  Result<Job> carry_out(const SkipTask& act);
  Result<Job> carry_out(const CancelJob& act);
  Result<Job> carry_out(const PauseJob& act);
  Result<Job> carry_out(const ResumeJob& act);
  Result<Job> carry_out(const ReviveJob& act);
  Result<Job> carry_out(const SetBudget& act);
  Result<Job> carry_out(const ReopenSubmission& act);
  Result<Job> carry_out(const CancelItem& act);
  Result<Job> carry_out(const Rerun& act);
  Result<Job> carry_out(const DiscardDeadLetter& act);
  Result<Job> carry_out(const PurgeItem& act);
  Result<Job> carry_out(const TrustJob& act);
  [[nodiscard]] Status check_stage(const TouchedJob& touched, StageIndex stage) const;
  void log_stage_event(TouchedJob& touched, EventType type, StageIndex stage);
  Result<Job> abandon(TouchedJob& touched, const Arriving& arriving, CancelCause cause);
  [[nodiscard]] Reruns reruns() { return {books_, admission_, flow_}; }

  std::string name_;  ///< of who acts
};

/// Changes who the people of the store are.
class Registry : Verb {
 public:
  using Verb::Verb;
  [[nodiscard]] Status change(const PeopleChange& change, const Actor& given);

 private:
  [[nodiscard]] std::string owner_of_session(const PeopleChange& change);
  Status carry_out(const AddPerson& change);
  Status carry_out(const ChangePerson& change);
  Status carry_out(const RemovePerson& change);
  Status carry_out(const CreateToken& change);
  Status carry_out(const RevokeToken& change);
  Status carry_out(const OpenSession& change);
  Status carry_out(const CloseSession& change);
};

/// Lets time pass: wakes due retries, makes due answers effective, ends overdue jobs, and closes
/// the attempts of workers that are gone.
class Sweep : Verb {
 public:
  using Verb::Verb;
  [[nodiscard]] Swept sweep(const SweepRequest& request);

 private:
  void interrupt(const Task& running);
};

/// Takes in a job from another store.
class Arrivals : Verb {
 public:
  using Verb::Verb;
  [[nodiscard]] Result<Arriving> receive(const Arrival& arrival);

 private:
  Result<Arriving> take_in(const BeginArrival& begun);
  Result<Arriving> take_in(const AddArrival& piece);
  Result<Arriving> take_in(const EndArrival& ended);
  [[nodiscard]] Status check_piece(const AddArrival& piece, const Arriving& at);
  void write_arrived(const ArrivingItem& arrived, const Arriving& at);
  void write_arrived(const ArrivingTask& arrived, const Arriving& at);
  void write_arrived(const Attempt& arrived, const Arriving& at);
  void write_arrived(const ArrivingReview& arrived, const Arriving& at);
  void write_arrived(const ArrivingEvents& arrived, const Arriving& at);
  void write_arrived(const ArrivingAudit& arrived, const Arriving& at);
  void write_arrived(const ArrivedWhole& arrived, const Arriving& at);
};

}  // namespace pawl::store
