#include "transfer/inspection.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/arrival.hpp"
#include "store/verify/checks.hpp"
#include "transfer/export_reader.hpp"

namespace pawl::transfer {
namespace {

constexpr ErrorCode bad = ErrorCode::invalid;
/// Task ids leave this many for ordinals.
constexpr std::int64_t ordinal_max = std::int64_t{1} << 46;
/// They are kept in memory until the end of the file.
constexpr std::size_t original_shifts_max = 100'000;

class Inspection {
 public:
  explicit Inspection(std::istream& in) : reader_(in) {}

  Result<Contents> run() {
    if (Status begun = read_beginning(); !begun) return std::unexpected(begun.error());
    for (;;) {
      const Result<std::optional<Line>> line = reader_.next();
      if (!line) return std::unexpected(line.error());
      if (!*line) break;
      const bool is_piece = std::holds_alternative<PayloadPiece>(**line);
      if (payload_ && !is_piece) return reader_.fault(bad, "the payload before is not whole");
      if (Status seen = std::visit([this](const auto& one) { return see(one); }, **line); !seen) {
        return reader_.fault(seen.error().code, seen.error().message);
      }
    }
    if (!is_whole_) return reader_.fault(bad, "the line 'due' is missing");
    if (payload_) return reader_.fault(bad, "the payload before is not whole");
    const bool is_signed = reader_.signature().has_value();
    if (is_signed != header_->is_signed) {
      return reader_.fault(ErrorCode::corrupt,
                           is_signed ? "the export was not signed, and has a signature"
                                     : "the export was signed, and its signature is missing",
                           "copy the file again");
    }
    if (Status same = compare_counters(); !same) return std::unexpected(same.error());
    return Contents{.header = *std::move(header_),
                    .workflow = *std::move(workflow_),
                    .job = *job_,
                    .originals = originals(),
                    .first_ordinal = first_,
                    .last_ordinal = last_,
                    .moved = reader_.counts(),
                    .sha256 = reader_.sha256(),
                    .signature = reader_.signature(),
                    .signed_by = reader_.signed_by()};
  }

 private:
  template <class Value>
  Status read_first(std::optional<Value>& into, const char* what) {
    Result<std::optional<Line>> line = reader_.next();
    if (!line) return std::unexpected(line.error());
    auto* value = *line ? std::get_if<Value>(&**line) : nullptr;
    if (value == nullptr) return reader_.fault(bad, std::string(what) + " should be here");
    into.emplace(std::move(*value));
    return {};
  }

  Status read_beginning() {
    if (Status read = read_first(header_, "the header of an export"); !read) return read;
    if (Status read = read_first(workflow_, "the workflow"); !read) return read;
    if (Status read = read_first(job_, "the job"); !read) return read;
    Job& job = *job_;
    const Workflow& workflow = *workflow_;
    job.workflow_name = workflow.name();
    job.workflow_hash = workflow.hash();
    const std::size_t stages = workflow.stage_count();
    if (job.stages.size() != stages || job.children.size() != stages) {
      return reader_.fault(bad, "the job does not count each stage of its workflow");
    }
    if ((job.reduce_ordinal != 0) == workflow.all_scope_stages().empty()) {
      return reader_.fault(bad, "the job's job-wide tasks are not those of its workflow");
    }
    if (!job.paused_stages.empty() && at(job.paused_stages.back()) >= stages) {
      return reader_.fault(bad, "the job has paused stages that its workflow does not have");
    }
    for (store::JobTally* tally : {&own_, &originals_}) {
      tally->stages.resize(stages);
      tally->children.resize(stages);
    }
    return note(job.reduce_ordinal);
  }

  Status note(std::int64_t ordinal) {
    if (ordinal == 0) return {};
    if (ordinal < 0 || ordinal >= ordinal_max) return fail(bad, "an id is out of range");
    if (first_ == 0 || ordinal < first_) first_ = ordinal;
    last_ = std::max(last_, ordinal);
    if (last_ - first_ >= arrival_ordinals_max) return fail(bad, "the ids are too far apart");
    return {};
  }
  Status note(ItemId item) { return note(item.value()); }
  Status note(TaskId task) {
    if (task && at(stage_of(task)) >= workflow_->stage_count()) {
      return fail(bad, "the workflow has no stage " + std::to_string(at(stage_of(task))));
    }
    return note(ordinal_of(task));
  }

  Status see(const ArrivingTask& it) {
    const Task& task = it.task;
    if (!task.id || ordinal_of(task.id) == 0) return fail(bad, "a task needs an id");
    if (!it.is_original && (task.kind() == StateKind::retry_scheduled) != is_whole_) {
      return fail(bad, "retries, and they alone, come after the line 'due'");
    }
    tally(it.is_original).count(task, {});
    for (const TaskId id : {task.id, task.child ? task.child->parent : TaskId{}}) {
      if (Status noted = note(id); !noted) return noted;
    }
    return note(task.item);
  }
  Status see(const MovedAttempt& it) {
    store::JobTally& into = tally(it.is_original);
    into.used = into.used + it.attempt.usage;
    return note(it.attempt.task);
  }
  Status see(const ArrivingReview& it) {
    const bool waits = it.review.status == ReviewStatus::answered;
    if (!it.is_original && waits && !is_whole_) {
      return fail(bad, "answers that wait come after the line 'due'");
    }
    if (Status noted = note(it.review.task); !noted) return noted;
    return note(it.review.item);
  }
  Status see(const ArrivingItem& it) {
    if (!it.item.id) return fail(bad, "an item needs an id");
    if (is_whole_) return fail(bad, "items come before the line 'due'");
    tally(it.is_original).count(it.item);
    if (Status noted = note(it.item.id); !noted) return noted;
    return note(it.item.adopted_from);
  }
  Status see(const ArrivingEvents& it) {
    for (const Event& event : it.events) {
      if (Status noted = note(event.task); !noted) return noted;
      if (Status noted = note(event.item); !noted) return noted;
    }
    return {};
  }
  Status see(const ArrivingAudit&) {
    return is_whole_ ? Status(fail(bad, "audit entries come before the line 'due'")) : Status();
  }
  Status see(const PayloadPiece& it) {
    if (!payload_)
      payload_ = Payload{.sha256 = it.sha256, .size = it.size, .read = 0, .digest = {}};
    if (payload_->sha256 != it.sha256 || payload_->size != it.size || payload_->read != it.offset) {
      return fail(bad, "the pieces of a payload do not fit together");
    }
    payload_->digest.update(it.bytes);
    payload_->read += static_cast<std::int64_t>(it.bytes.size());
    if (payload_->read < payload_->size) {
      return it.bytes.empty() ? Status(fail(bad, "a piece of a payload is empty")) : Status();
    }
    const bool is_same = payload_->digest.finish_hex() == it.sha256;
    payload_.reset();
    return is_same ? Status() : Status(fail(ErrorCode::corrupt, "the payload is damaged"));
  }
  Status see(const OriginalJob& it) {
    shifts_.insert(shifts_.end(), it.shifts.begin(), it.shifts.end());
    if (shifts_.size() <= original_shifts_max) return {};
    return fail(bad, "the jobs that items were adopted from were moved more than " +
                         std::to_string(original_shifts_max) + " times");
  }
  Status see(const DueFollows&) {
    if (std::exchange(is_whole_, true)) return fail(bad, "the line 'due' is here twice");
    return {};
  }
  Status see(const Header&) { return twice(); }
  Status see(const Workflow&) { return twice(); }
  Status see(const Job&) { return twice(); }
  Status see(const LastLine&) { return twice(); }
  Status see(const codec::Signature&) { return twice(); }
  static Status twice() { return fail(bad, "this line belongs elsewhere in an export"); }

  store::JobTally& tally(bool is_original) { return is_original ? originals_ : own_; }

  Status compare_counters() const {
    Verification found;
    store::Findings findings(found);
    store::check_job(*job_, *workflow_, own_, findings);
    if (found.violations.empty()) return {};
    return fail(ErrorCode::corrupt,
                "the export does not add up: " + found.violations.front().message,
                "run `pawl verify` on the store it came from");
  }

  std::optional<Job> originals() {
    if (originals_.items.total == 0) return std::nullopt;
    std::ranges::sort(shifts_);
    shifts_.erase(std::ranges::unique(shifts_).begin(), shifts_.end());
    Job job;
    job.workflow_name = job_->workflow_name;
    job.workflow_hash = job_->workflow_hash;
    job.params = job_->params;
    if (!shifts_.empty()) job.labels = labels_after_moves(shifts_);
    job.items = originals_.items;
    job.attempts_opened = originals_.attempts_opened;
    job.dead_letters = originals_.dead_letters;
    job.failed_tasks = originals_.failed_tasks;
    job.used = originals_.used;
    job.stages = std::move(originals_.stages);
    job.children = std::move(originals_.children);
    return job;
  }

  struct Payload {
    std::string sha256;
    std::int64_t size = 0;
    std::int64_t read = 0;
    Sha256 digest;
  };

  ExportReader reader_;
  std::optional<Header> header_;
  std::optional<Workflow> workflow_;
  std::optional<Job> job_;
  store::JobTally own_;
  store::JobTally originals_;
  std::vector<std::int64_t> shifts_;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  bool is_whole_ = false;
  std::optional<Payload> payload_;
};

}  // namespace

Result<Contents> inspect(std::istream& in) { return Inspection(in).run(); }

}  // namespace pawl::transfer
