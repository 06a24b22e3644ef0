/// A job becomes a file. In this order: header, workflow, job; what adopted items came from; tasks,
/// each after its attempts and those after the payloads they name; reviews; items; the log; the
/// audit trail; and last what time moves by itself, so that nothing of an incomplete import can
/// move.

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <utility>

#include "files/regular_file.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/arrival.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/transfer/transfer.hpp"
#include "pawl/version.hpp"
#include "store/payloads/payload_names.hpp"
#include "transfer/lines.hpp"

namespace pawl {

namespace transfer {
namespace {

/// How much is remembered so as not to be read or written twice; more costs only repetition.
constexpr std::size_t remembered_max = 100'000;

std::string named(JobId job) { return "job " + std::to_string(job.value()); }

std::vector<store::PayloadName> payloads_of(const MovedAttempt& moved) {
  return store::payloads_named_in(moved.attempt);
}
std::vector<store::PayloadName> payloads_of(const ArrivingTask& moved) {
  if (!moved.task.child) return {};
  return store::files_named_in(moved.task.child->data.text());
}
std::vector<store::PayloadName> payloads_of(const ArrivingReview& moved) {
  std::vector<store::PayloadName> names;
  const auto add = [&](const Answer& answer) {
    if (!answer.edits) return;
    std::ranges::move(store::files_named_in(answer.edits->text()), std::back_inserter(names));
  };
  if (moved.review.answer) add(*moved.review.answer);
  for (const GivenAnswer& given : moved.answers) add(given.answer);
  return names;
}
std::vector<store::PayloadName> payloads_of(const ArrivingItem& moved) {
  return store::files_named_in(moved.item.data.text());
}

std::string random_id() {
  std::random_device random;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id;
  for (int i = 0; i < 32; ++i) id += digits[random() % digits.size()];
  return id;
}

Status check_it_holds_still(const Job& job) {
  const std::string number = std::to_string(job.id.value());
  if (is_arriving(job)) {
    return fail(ErrorCode::refused, named(job.id) + " is still being imported itself");
  }
  if (!job.labels.is_null() && !is_object(job.labels)) {
    return fail(ErrorCode::refused,
                named(job.id) + " has labels that are no object, and a move is noted in them");
  }
  if (job.has_ended()) return {};
  if (job.attempts_open > 0) {
    return fail(ErrorCode::refused,
                named(job.id) + " has " + std::to_string(job.attempts_open) + " attempts open",
                job.paused == PauseCause::none && !job.cancelled
                    ? "pause it (`pawl job pause " + number + "`) and wait for them to end"
                    : "wait for them to end, or stop the workers");
  }
  if (job.paused == PauseCause::none) {
    return fail(ErrorCode::refused, named(job.id) + " is running",
                "pause it first: `pawl job pause " + number + "`");
  }
  return {};
}

class Export {
 public:
  Export(Records& records, std::ostream& out, const ExportOptions& options)
      : records_(records),
        out_(out),
        page_(std::max<std::uint32_t>(options.page, 1)),
        signing_key_(options.signing_key) {
    exported_.export_id = options.export_id.empty() ? random_id() : options.export_id;
  }

  Result<Exported> run(JobId id, Timestamp at) {
    const Result<Job> job = records_.job(id);
    if (!job) return std::unexpected(job.error());
    if (Status still = check_it_holds_still(*job); !still) return std::unexpected(still.error());
    if (Status may = may_be_signed(*job); !may) return std::unexpected(may.error());
    const Result<Workflow> workflow = records_.workflow(job->workflow_hash);
    if (!workflow) return std::unexpected(workflow.error());

    Status done = write(Header{.pawl = std::string(version),
                               .at = at,
                               .export_id = exported_.export_id,
                               .is_signed = !signing_key_.empty()});
    if (done) done = write(*workflow);
    if (done) done = write(*job);
    if (done && job->items.adopted + job->items.adopted_rejected > 0) done = write_originals(id);
    if (done) done = write_tasks({.job = id, .limit = page_});
    if (done) done = write_reviews(id);
    if (done) done = write_items(id);
    if (done) done = write_events(id);
    if (done) done = write_audit(id);
    if (done) done = write(DueFollows{});
    if (done) done = write_due(id);
    if (done) done = check_unchanged(*job);
    if (done) done = write_last();
    if (!done) return std::unexpected(done.error());
    return exported_;
  }

 private:
  Status may_be_signed(const Job& job) {
    if (signing_key_.empty()) return {};
    if (!is_trusted(job.trust)) {
      return fail(ErrorCode::refused,
                  named(job.id) + " is not trusted here, so it is not signed either",
                  "accept it first: `pawl job trust " + std::to_string(job.id.value()) + "`");
    }
    if (const Result<codec::Signature> tried = codec::sign(signing_key_, ""); !tried) {
      return std::unexpected(tried.error());
    }
    Result<std::string> fingerprint = key_fingerprint(signing_key_);
    if (!fingerprint) return std::unexpected(fingerprint.error());
    exported_.signed_by = *std::move(fingerprint);
    return {};
  }

  template <class Value>
  Status write(const Value& value) {
    return put(line_of(value));
  }

  Status put(const std::string& line) {
    if (line.size() > export_line_max) {
      return fail(ErrorCode::refused, "a record of " + std::to_string(line.size()) +
                                          " bytes is too long: a line of an export has at most " +
                                          std::to_string(export_line_max));
    }
    digest_.update(line);
    out_ << line;
    if (!out_) return fail(ErrorCode::unavailable, "the export cannot be written any further");
    return {};
  }

  /// A record, after the payloads it names.
  template <class Value>
  Status write_with_payloads(const Value& value) {
    for (const store::PayloadName& name : payloads_of(value)) {
      if (Status written = write_payload(name); !written) return written;
    }
    return put(line_of(value));
  }

  Status write_payload(const store::PayloadName& name) {
    if (kept_.size() > remembered_max) kept_.clear();
    if (!kept_.insert(name.sha256).second) return {};
    const Result<std::filesystem::path> path = records_.payload_path(name.sha256);
    if (!path && path.error().code == ErrorCode::not_found) {
      if (name.is_certain) ++exported_.payloads_missing;
      return {};
    }
    if (!path) return std::unexpected(path.error());
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(*path, error);
    if (error) return fail(ErrorCode::unavailable, "cannot read " + path->string());

    std::vector<store::PayloadName> inside;
    PayloadPiece piece{
        .sha256 = name.sha256, .size = static_cast<std::int64_t>(size), .offset = 0, .bytes = {}};
    std::string seen;  // the end of the piece before, and this one
    Sha256 digest;
    const auto flush = [&]() -> Status {
      digest.update(piece.bytes);
      if (name.is_output) {
        seen.erase(0, seen.size() - std::min(seen.size(), store::payload_name_max));
        seen += piece.bytes;
        std::ranges::move(store::files_named_in(seen), std::back_inserter(inside));
      }
      if (Status written = write(piece); !written) return written;
      piece.offset += static_cast<std::int64_t>(piece.bytes.size());
      piece.bytes.clear();
      return {};
    };
    Status read = files::read_regular_file(*path, [&](std::string_view bytes) -> Status {
      while (!bytes.empty()) {
        const std::size_t some = std::min(bytes.size(), payload_piece_max - piece.bytes.size());
        piece.bytes += bytes.substr(0, some);
        bytes.remove_prefix(some);
        if (piece.bytes.size() < payload_piece_max) continue;
        if (Status flushed = flush(); !flushed) return flushed;
      }
      return {};
    });
    if (read && (piece.offset == 0 || !piece.bytes.empty())) read = flush();
    if (!read) return read;
    if (piece.offset != piece.size || digest.finish_hex() != name.sha256) {
      return fail(ErrorCode::corrupt, "the payload file '" + path->string() + "' has changed",
                  "restore it from a backup");
    }
    ++exported_.moved.payloads;
    for (store::PayloadName& one : inside) {
      one.is_output = false;
      if (Status written = write_payload(one); !written) return written;
    }
    return {};
  }

  /// The category of a task's item: what its lane is about.
  Result<std::string> category_of(const Task& task) {
    if (!task.item) return std::string();
    const std::int64_t base = task.lane.value() - static_cast<std::int64_t>(task.stage());
    if (const auto known = categories_.find(base); known != categories_.end()) return known->second;
    const Result<Item> item = records_.item(task.item);
    if (!item) return std::unexpected(item.error());
    if (categories_.size() > remembered_max) categories_.clear();
    categories_[base] = item->category;
    return item->category;
  }

  Status write_task(Task task, bool is_original) {
    if (task.kind() == StateKind::running) {
      return fail(ErrorCode::conflict,
                  "task " + std::to_string(task.id.value()) + " of " + named(task.job) +
                      " is being worked on",
                  "export again when it has ended");
    }
    const Result<std::string> category = category_of(task);
    if (!category) return std::unexpected(category.error());
    const Result<std::vector<Attempt>> attempts = records_.attempts(task.id);
    if (!attempts) return std::unexpected(attempts.error());
    for (const Attempt& attempt : *attempts) {
      const MovedAttempt moved{.attempt = attempt, .is_original = is_original};
      if (Status written = write_with_payloads(moved); !written) return written;
      ++exported_.moved.attempts;
    }
    if (auto* succeeded = std::get_if<Succeeded>(&task.state)) {
      if (std::exchange(succeeded->edited_by, ReviewId{})) ++edits_wanted_;
    }
    ++exported_.moved.tasks;
    return write_with_payloads(
        ArrivingTask{.task = std::move(task), .category = *category, .is_original = is_original});
  }

  /// Retries come last, where `filter` does not ask for them.
  Status write_tasks(const TaskFilter& filter) {
    return each_row(records_, filter, [&](const Task& task) -> Status {
      if (!filter.state && task.kind() == StateKind::retry_scheduled) return {};
      return write_task(task, false);
    });
  }

  Status write_review(const Review& review, bool is_original) {
    const Result<Task> task = records_.task(review.task);
    if (!task) return std::unexpected(task.error());
    const auto* succeeded = std::get_if<Succeeded>(&task->state);
    const bool stands = succeeded != nullptr && succeeded->edited_by == review.id;
    if (stands) --edits_wanted_;
    Result<std::vector<GivenAnswer>> answers = records_.answers(review.id);
    if (!answers) return std::unexpected(answers.error());
    ++exported_.moved.reviews;
    return write_with_payloads(ArrivingReview{.review = review,
                                              .stands = stands,
                                              .is_original = is_original,
                                              .answers = *std::move(answers)});
  }

  /// Answers that wait for their moment come last.
  Status write_reviews(JobId job) {
    const ReviewFilter reviews{.job = job, .limit = page_};
    return each_row(records_, reviews, [&](const Review& review) -> Status {
      if (review.status != ReviewStatus::answered) return write_review(review, false);
      answered_.push_back(review.id);
      return {};
    });
  }

  Status write_due(JobId job) {
    const TaskFilter retries{.job = job, .state = StateKind::retry_scheduled, .limit = page_};
    if (Status written = write_tasks(retries); !written) return written;
    for (const ReviewId id : answered_) {
      const Result<Review> review = records_.review(id);
      if (!review) return std::unexpected(review.error());
      if (Status written = write_review(*review, false); !written) return written;
    }
    return {};
  }

  Status write_item(const Item& item, bool is_original) {
    ++exported_.moved.items;
    return write_with_payloads(ArrivingItem{.item = item, .is_original = is_original});
  }

  [[nodiscard]] ItemFilter items_of(JobId job) const {
    return {.job = job, .category = {}, .limit = page_};
  }

  Status write_items(JobId job) {
    return each_row(records_, items_of(job),
                    [this](const Item& item) { return write_item(item, false); });
  }

  Status write_originals(JobId job) {
    return each_row(records_, items_of(job), [this](const Item& item) -> Status {
      if (!item.adopted_from) return {};
      const Result<Item> original = records_.item(item.adopted_from);
      // It was purged since, with its outputs.
      if (!original && original.error().code == ErrorCode::not_found) return {};
      if (!original) return std::unexpected(original.error());
      return write_original(*original);
    });
  }

  /// An item of a job that may go on meanwhile: what is read must be the same before and after.
  Status write_original(const Item& item) {
    if (original_jobs_.insert(item.job).second) {
      const Result<Job> job = records_.job(item.job);
      if (!job) return std::unexpected(job.error());
      const OriginalJob line{.shifts = move_of(*job).value_or(Moved{}).shifts};
      if (Status written = write(line); !written) return written;
    }
    const Result<std::vector<Task>> tasks = records_.tasks_of(item.id);
    if (!tasks) return std::unexpected(tasks.error());
    for (const Task& task : *tasks) {
      if (Status written = write_task(task, true); !written) return written;
      if (Status written = write_reviews_of(task.id); !written) return written;
      if (task.expansion == 0) continue;
      if (Status written = write_original_children(task.id); !written) return written;
    }
    const Result<std::vector<Task>> again = records_.tasks_of(item.id);
    if (!again) return std::unexpected(again.error());
    if (*again != *tasks) {
      return fail(ErrorCode::conflict,
                  "item '" + item.key + "' of " + named(item.job) +
                      ", which was adopted, changed while it was exported",
                  "export again when it has settled");
    }
    return write_item(item, true);
  }

  Status write_original_children(TaskId parent) {
    const TaskFilter children{.parent = parent, .limit = page_};
    return each_row(records_, children, [&](const Task& child) -> Status {
      if (Status written = write_task(child, true); !written) return written;
      return write_reviews_of(child.id);
    });
  }

  Status write_reviews_of(TaskId task) {
    return each_row(records_, ReviewFilter{.task = task, .limit = page_},
                    [&](const Review& review) { return write_review(review, true); });
  }

  /// A line for each row of the log, whatever the pages are.
  Status write_events(JobId job) {
    constexpr EventSeq row_size = 16;
    const EventFilter filter{.job = job, .limit = std::max<std::uint32_t>(page_, row_size)};
    ArrivingEvents row;
    EventSeq number = 0;
    const auto flush = [&]() -> Status {
      if (row.events.empty()) return {};
      exported_.moved.events += static_cast<std::int64_t>(row.events.size());
      Status written = write(row);
      row.events.clear();
      return written;
    };
    const Status written = each_row(records_, filter, [&](const Event& event) -> Status {
      // Trust is local to a store and is not exported.
      const bool is_of_this_store =
          event.type == EventType::job_imported || event.type == EventType::job_trusted;
      if (is_of_this_store) return {};
      if (event.seq / row_size != number) {
        if (Status flushed = flush(); !flushed) return flushed;
      }
      number = event.seq / row_size;
      row.at = event.at;
      row.events.push_back(event);
      return {};
    });
    return written ? flush() : written;
  }

  Status write_audit(JobId job) {
    return each_row(records_, AuditFilter{.job = job, .limit = page_},
                    [this](const AuditEntry& entry) {
                      ++exported_.moved.audit_entries;
                      return write(ArrivingAudit{entry});
                    });
  }

  Status check_unchanged(const Job& before) {
    const Result<Job> after = records_.job(before.id);
    if (!after) return std::unexpected(after.error());
    if (*after != before) {
      return fail(ErrorCode::conflict, named(before.id) + " changed while it was exported",
                  "export it again");
    }
    if (edits_wanted_ != 0) {
      return fail(
          ErrorCode::corrupt,
          named(before.id) + " has outputs edited in a review that " + "is not among its reviews",
          "run `pawl verify`");
    }
    return {};
  }

  Status write_last() {
    const std::string line =
        line_of(LastLine{.moved = exported_.moved, .sha256 = digest_.finish_hex()});
    out_ << line;
    if (!signing_key_.empty()) {
      const Result<codec::Signature> signature = codec::sign(signing_key_, line);
      if (!signature) return std::unexpected(signature.error());
      out_ << line_of(*signature);
    }
    out_ << std::flush;
    if (!out_) return fail(ErrorCode::unavailable, "the export cannot be written any further");
    return {};
  }

  Records& records_;
  std::ostream& out_;
  std::uint32_t page_;
  const std::string& signing_key_;
  Exported exported_;
  Sha256 digest_;
  std::set<std::string> kept_;                      ///< payloads that are in the file already
  std::map<std::int64_t, std::string> categories_;  ///< by the lane of stage 0
  std::set<JobId> original_jobs_;
  std::vector<ReviewId> answered_;
  std::int64_t edits_wanted_ = 0;  ///< outputs that are edits, less the reviews that brought them
};

}  // namespace
}  // namespace transfer

Result<std::string> key_fingerprint(std::string_view pem) { return codec::fingerprint_of(pem); }

Result<Exported> export_job(Records& records, JobId job, std::ostream& out,
                            const ExportOptions& options) {
  const Timestamp at = options.at == no_time ? system_clock().now() : options.at;
  return transfer::Export(records, out, options).run(job, at);
}

}  // namespace pawl
