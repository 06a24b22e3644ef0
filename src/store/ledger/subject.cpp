#include "store/ledger/subject.hpp"

#include "codec/object_writer.hpp"
#include "codec/values.hpp"
#include "pawl/codec/digest.hpp"

namespace pawl::store {

namespace {

struct SubjectOf {
  template <class One>
    requires requires(const One& act) { act.job; }
  Subject operator()(const One& act) const {
    return act.job;
  }
  template <class One>
    requires requires(const One& act) { act.item; }
  Subject operator()(const One& act) const {
    return act.item;
  }
  template <class One>
    requires requires(const One& act) { act.task; }
  Subject operator()(const One& act) const {
    return act.task;
  }
  template <class One>
    requires requires(const One& act) { act.review; }
  Subject operator()(const One& act) const {
    return act.review;
  }
};

struct TextOf {
  std::string operator()(JobId id) const { return "job " + std::to_string(id.value()); }
  std::string operator()(ItemId id) const { return "item " + std::to_string(id.value()); }
  std::string operator()(TaskId id) const { return "task " + std::to_string(id.value()); }
  std::string operator()(ReviewId id) const { return "review " + std::to_string(id.value()); }
};

struct JobOf {
  Rows& rows;

  JobId operator()(JobId id) const { return id; }
  JobId operator()(ItemId id) const {
    const std::optional<ItemProgress> item = rows.progress(id);
    return item ? item->job : JobId{};
  }
  JobId operator()(TaskId id) const {
    const std::optional<Task> task = rows.task(id);
    return task ? task->job : JobId{};
  }
  JobId operator()(ReviewId id) const {
    const std::optional<Review> review = rows.review(id);
    return review ? review->job : JobId{};
  }
};

/// Writes what can change about a record. Without the record, there is nothing to write.
struct StandingOf {
  Rows& rows;
  std::string& out;

  void operator()(JobId id) const {
    const Job* job = rows.job(id);
    if (job == nullptr) return;
    codec::ObjectWriter object(out);
    object.write("paused", job->paused);
    object.write_if_set("cancelled", job->cancelled);
    object.write("trust", job->trust);
    object.write("submission_open", job->submission_open);
    codec::append_json(object.member("budget"), job->budget);
    codec::append_json(object.member("tolerance"), job->tolerate_failures);
    for (const StageIndex stage : job->paused_stages) {
      object.write("paused_stage", static_cast<std::int64_t>(stage));
    }
  }
  void operator()(ItemId id) const {
    const std::optional<ItemProgress> item = rows.progress(id);
    if (!item) return;
    codec::ObjectWriter object(out);
    object.write("state", item->state);
    object.write_if_set("cancelled", item->cancelled);
  }
  void operator()(TaskId id) const {
    const std::optional<Task> task = rows.task(id);
    if (!task) return;
    codec::ObjectWriter object(out);
    object.write("state", task->kind());
    object.write("epoch", task->epoch);
    object.write("attempts", task->attempts);
    const auto* failed = std::get_if<Failed>(&task->state);
    if (failed != nullptr) object.write("discarded", failed->discarded);
  }
  void operator()(ReviewId id) const {
    const std::optional<Review> review = rows.review(id);
    if (!review) return;
    codec::ObjectWriter object(out);
    object.write("status", review->status);
    object.write("digest", review->digest);
    object.write("assigned", review->assigned);
    object.write("claimed_by", review->claimed_by);
    object.write("claimed_until", review->claimed_until);
    if (review->answer) codec::append_json(object.member("answer"), *review->answer);
    std::string& answers = object.member("answers");
    answers += '[';
    for (const GivenAnswer& given : rows.answers(id)) {
      if (given.number > 1) answers += ',';
      answers += '"';
      answers += name_of(given.fate);
      answers += '"';
    }
    answers += ']';
  }
};

}  // namespace

Subject subject_of(const Act& act) { return std::visit(SubjectOf{}, act); }

std::string text_of(const Subject& subject) { return std::visit(TextOf{}, subject); }

JobId job_of(Rows& rows, const Subject& subject) { return std::visit(JobOf{rows}, subject); }

std::string state_digest(Rows& rows, const Subject& subject) {
  std::string text;
  std::visit(StandingOf{rows, text}, subject);
  return text.empty() ? text : sha256_hex(text);
}

std::string reason_of(const Act& act) {
  return std::visit(
      []<class One>(const One& one) -> std::string {
        if constexpr (requires { one.reason; }) return one.reason;
        if constexpr (requires { one.note; }) return one.note;
        if constexpr (requires { one.answer.note; }) return one.answer.note;
        return {};
      },
      act);
}

}  // namespace pawl::store
