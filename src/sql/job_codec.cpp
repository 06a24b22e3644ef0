#include "sql/job_codec.hpp"

#include <array>
#include <charconv>

#include "sql/decoded.hpp"

namespace pawl::sql {

namespace {

/// The totals in the order of the text; used for reading and writing.
template <class JobLike, class Visit>
void each_total(JobLike& job, Visit visit) {
  visit(job.items.total);
  visit(job.items.succeeded);
  visit(job.items.failed);
  visit(job.items.cancelled);
  visit(job.items.adopted);
  visit(job.attempts_opened);
  visit(job.attempts_open);
  visit(job.dead_letters);
  visit(job.failed_tasks);
  visit(job.decisions_since_progress);
  visit(job.used.cost_microusd);
  visit(job.used.tokens);
}

void append(std::string& out, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append(std::string& out, const std::vector<StateCounts>& stages) {
  out += '|';
  for (const StateCounts& counts : stages) {
    for (std::size_t kind = 0; kind < state_kinds; ++kind) {
      if (counts.by_kind[kind] == 0) continue;
      append(out, static_cast<std::int64_t>(kind));
      out += ':';
      append(out, counts.by_kind[kind]);
      out += ',';
    }
    out += ';';
  }
}

/// Parses the text from left to right.
class CountersReader {
 public:
  explicit CountersReader(std::string_view text) : left_(text) {}

  std::int64_t number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc{}) damaged();
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return value;
  }
  void expect(char wanted) {
    if (!take(wanted)) damaged();
  }
  bool take(char wanted) {
    if (left_.empty() || left_.front() != wanted) return false;
    left_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool at_end() const { return left_.empty(); }
  [[nodiscard]] bool at(char next) const { return !left_.empty() && left_.front() == next; }

  std::vector<StateCounts> stages() {
    expect('|');
    std::vector<StateCounts> stages;
    while (!at_end() && !at('|')) {
      StateCounts counts;
      while (!take(';')) {
        const std::int64_t kind = number();
        expect(':');
        if (kind < 0 || kind >= static_cast<std::int64_t>(state_kinds)) damaged();
        counts.by_kind[static_cast<std::size_t>(kind)] = number();
        expect(',');
      }
      stages.push_back(counts);
    }
    return stages;
  }
  [[noreturn]] static void damaged() {
    throw Fault(ErrorCode::corrupt, "the counters of a job are damaged",
                "restore the database from a backup");
  }

 private:
  std::string_view left_;
};

}  // namespace

std::string counters_text(const Job& job) {
  std::string text;
  text.reserve(96 + 32 * job.stages.size());
  each_total(job, [&](std::int64_t number) {
    append(text, number);
    text += ' ';
  });
  append(text, job.last_progress_at.time_since_epoch().count());
  append(text, job.stages);
  append(text, job.children);
  // Written only where there are any: most jobs have none.
  const bool has_more = job.near_budgets != 0 || !job.paused_stages.empty();
  if (job.items.rejected > 0 || has_more) {
    text += '|';
    append(text, job.items.rejected);
    text += ' ';
    append(text, job.items.adopted_rejected);
  }
  if (has_more) {
    text += '|';
    append(text, job.near_budgets);
    text += ' ';
    for (const StageIndex stage : job.paused_stages) {
      append(text, static_cast<std::int64_t>(stage));
      text += ',';
    }
  }
  return text;
}

void read_counters(std::string_view text, Job& job) {
  CountersReader reader(text);
  each_total(job, [&](std::int64_t& number) {
    number = reader.number();
    reader.expect(' ');
  });
  job.last_progress_at = Timestamp{Duration{reader.number()}};
  job.stages = reader.stages();
  job.children = reader.stages();
  if (reader.take('|')) {
    job.items.rejected = reader.number();
    reader.expect(' ');
    job.items.adopted_rejected = reader.number();
  }
  if (reader.take('|')) {
    job.near_budgets = static_cast<std::uint32_t>(reader.number());
    reader.expect(' ');
    while (!reader.at_end()) {
      job.paused_stages.push_back(static_cast<StageIndex>(reader.number()));
      reader.expect(',');
    }
  }
  if (!reader.at_end()) CountersReader::damaged();
}

namespace {

void read_job(const Cursor& row, JobRow& result) {
  Columns columns(row);
  Job& job = result.job;
  columns.into(job.id);
  columns.into(job.workflow_name);
  columns.into(job.workflow_hash);
  columns.into(job.key);
  columns.into(job.params);
  columns.into(job.labels);
  job.budget = decoded<Budget>(columns.view());
  job.tolerate_failures = decoded<Tolerance>(columns.view());
  columns.into(job.parallel);
  columns.into(job.priority);
  columns.into(job.submitted_at);
  columns.into(job.deadline_at);
  columns.into(job.ended_at);
  columns.into(job.submission_open);
  columns.into(job.generation);
  columns.into(job.paused);
  columns.into(job.cancelled);
  columns.into(job.reduce_ordinal);
  columns.into(result.pass);
  columns.into(result.first_ordinal);
  columns.into(result.last_ordinal);
  columns.into(job.trust);
  columns.into(job.trusted_by);
  columns.into(job.trusted_at);
  columns.into(job.submitted_by);
  read_counters(columns.view(), job);
}

}  // namespace

JobRow job_row_of(const Cursor& row) {
  JobRow result;
  reading_row([&] { return "job " + std::to_string(result.job.id.value()); },
              [&] { read_job(row, result); });
  return result;
}

JobSettings settings_of(const JobRow& row) {
  const Job& job = row.job;
  return {.key = job.key,
          .workflow_hash = job.workflow_hash,
          .labels = job.labels,
          .budget = job.budget,
          .tolerate_failures = job.tolerate_failures,
          .parallel = job.parallel,
          .priority = job.priority,
          .deadline_at = job.deadline_at,
          .ended_at = job.ended_at,
          .submission_open = job.submission_open,
          .generation = job.generation,
          .paused = job.paused,
          .cancelled = job.cancelled,
          .reduce_ordinal = job.reduce_ordinal,
          .pass = row.pass,
          .trust = job.trust,
          .trusted_by = job.trusted_by,
          .trusted_at = job.trusted_at,
          .submitted_by = job.submitted_by};
}

JobTexts job_texts(const Job& job) {
  return {.budget = codec::to_json_text(job.budget),
          .tolerance = codec::to_json_text(job.tolerate_failures),
          .counters = counters_text(job)};
}

}  // namespace pawl::sql
