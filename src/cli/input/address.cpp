#include "cli/input/address.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>
#include <utility>

#include "cli/output/render.hpp"

namespace pawl::cli {
namespace {

constexpr std::uint32_t jobs_page = 100;
/// How many keys to compare for a suggestion.
constexpr std::uint32_t keys_compared = 1'000;

/// One way to read the text. The parts no longer contain escapes.
struct Reading {
  std::optional<JobId> job;
  std::string key;                                  ///< empty: a job-wide stage
  std::string stage;                                ///< empty: none
  std::optional<std::string> child = std::nullopt;  ///< of the stage; empty: none of them
};

/// The slashes that separate parts.
std::vector<std::size_t> slashes_in(std::string_view text) {
  std::vector<std::size_t> slashes;
  for (std::size_t at = find_unescaped(text, '/'); at != std::string_view::npos;
       at = find_unescaped(text, '/', at + 1)) {
    slashes.push_back(at);
  }
  return slashes;
}

class Readings {
 public:
  explicit Readings(const AddressText& address) : stage_(address.stage) {
    std::optional<JobId> given;
    if (address.job) given = JobId{*address.job};
    const std::optional<ChildText> named = read_child(address.text);
    if (named) {
      child_ = named->child;
      add_all_exact(given, named->parent);
      child_.reset();
    }
    add_all_exact(given, address.text);
    add_all_free(given, address.text);
    if (named) {
      child_ = named->child;
      add_all_free(given, named->parent);
    }
  }

  [[nodiscard]] const std::vector<Reading>& all() const { return all_; }
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

 private:
  void add_all_exact(std::optional<JobId> given, std::string_view text) {
    const std::size_t slash = find_unescaped(text, '/');
    if (slash == std::string_view::npos) return;
    const std::optional<JobId> leading = job_number(text.substr(0, slash));
    if (leading && (!given || *given == *leading)) add_exact(*leading, text.substr(slash + 1));
  }

  void add_all_free(std::optional<JobId> given, std::string_view text) {
    add(given, text, {});
    for (const std::size_t at : slashes_in(text)) {
      const bool has_both = at > 0 && at + 1 < text.size();
      if (stage_.empty() && has_both) add(given, text.substr(0, at), text.substr(at + 1));
    }
  }

  /// Reads the text in the form that is printed. No stage has a slash in its name.
  void add_exact(JobId job, std::string_view text) {
    const std::vector<std::size_t> slashes = slashes_in(text);
    if (stage_.empty()) {
      const std::size_t last = slashes.empty() ? std::string_view::npos : slashes.back();
      const bool has_both = last != std::string_view::npos && last > 0 && last + 1 < text.size();
      if (has_both) add(job, text.substr(0, last), text.substr(last + 1));
      // A text with an escape is a key.
      if (!text.contains('\\')) add(job, {}, text);
    }
    add(job, text, {});
  }

  void add(std::optional<JobId> job, std::string_view key, std::string_view stage) {
    Result<std::string> read_key = read_id_part(key);
    Result<std::string> read_stage = read_id_part(stage);
    if (!read_key || !read_stage) {
      fault_ = read_key ? read_stage.error() : read_key.error();
      return;
    }
    all_.push_back({.job = job,
                    .key = std::move(*read_key),
                    .stage = stage.empty() ? stage_ : *read_stage,
                    .child = child_});
  }

  const std::string& stage_;
  std::optional<std::string> child_;  ///< of the readings that are added
  std::vector<Reading> all_;
  std::optional<Error> fault_;
};

/// Turns `not_found` into an empty value. Other errors stay errors.
template <class T>
Result<std::optional<T>> found(Result<T> result) {
  if (result) return std::optional<T>(std::move(*result));
  if (result.error().code == ErrorCode::not_found) return std::optional<T>();
  return std::unexpected(std::move(result.error()));
}

class Resolver {
 public:
  explicit Resolver(Records& records) : records_(records) {}

  Result<std::optional<Address>> try_reading(const Reading& reading) {
    if (reading.key.empty()) return try_job_wide(reading);
    if (reading.job) {
      Result<std::optional<Job>> job = found(records_.job(*reading.job));
      if (!job) return std::unexpected(job.error());
      if (!*job) return std::optional<Address>();
      return in_job(**job, reading);
    }
    return in_newest([&](const Job& job) { return in_job(job, reading); });
  }

  /// JOB/STAGE, or STAGE of the newest job, if that stage is job-wide.
  Result<std::optional<Address>> try_job_wide(const Reading& reading) {
    const std::string& stage = reading.stage.empty() ? reading.key : reading.stage;
    const auto fits = [&](const Job& job) -> Result<std::optional<Address>> {
      Result<Workflow> workflow = records_.workflow(job.workflow_hash);
      if (!workflow) return std::unexpected(workflow.error());
      const std::optional<StageIndex> index = workflow->find(stage);
      if (!index || workflow->stage(*index).scope != Scope::all) return std::optional<Address>();
      return with_child({job, *workflow, std::nullopt, index}, reading);
    };
    if (!reading.job) {
      Result<std::optional<Job>> newest = found(newest_job(records_));
      if (!newest) return std::unexpected(newest.error());
      return *newest ? fits(**newest) : Result<std::optional<Address>>(std::nullopt);
    }
    Result<std::optional<Job>> job = found(records_.job(*reading.job));
    if (!job) return std::unexpected(job.error());
    return *job ? fits(**job) : Result<std::optional<Address>>(std::nullopt);
  }

  /// The error for a child that the stage does not have; none if no reading named one.
  [[nodiscard]] const std::optional<Error>& missing_child() const { return missing_child_; }

 private:
  using InJob = std::function<Result<std::optional<Address>>(const Job&)>;

  Result<std::optional<Address>> in_newest(const InJob& look) {
    JobFilter filter{.limit = jobs_page};
    for (;;) {
      const Result<std::vector<Job>> page = records_.jobs(filter);
      if (!page) return std::unexpected(page.error());
      for (const Job& job : *page) {
        Result<std::optional<Address>> answer = look(job);
        if (!answer || *answer) return answer;
      }
      if (page->size() < filter.limit) return std::optional<Address>();
      filter.before = page->back().id;
    }
  }

  Result<std::optional<Address>> in_job(const Job& job, const Reading& reading) {
    Result<std::optional<Item>> item = found(records_.item(job.id, reading.key));
    if (!item) return std::unexpected(item.error());
    if (!*item) return std::optional<Address>();
    Result<Workflow> workflow = records_.workflow(job.workflow_hash);
    if (!workflow) return std::unexpected(workflow.error());
    std::optional<StageIndex> stage;
    if (!reading.stage.empty()) {
      stage = workflow->find(reading.stage);
      if (!stage) return std::optional<Address>();
    }
    if (reading.child && !stage) return std::optional<Address>();
    return with_child({job, std::move(*workflow), std::move(*item), stage}, reading);
  }

  /// The address with the child of the reading; none if the stage has no such child.
  Result<std::optional<Address>> with_child(Address address, const Reading& reading) {
    address.child = reading.child;
    if (!address.is_child()) return std::optional<Address>(std::move(address));
    const Result<std::vector<Task>> tasks = views::tasks_at(records_, address);
    if (!tasks) return std::unexpected(tasks.error());
    if (!tasks->empty()) return std::optional<Address>(std::move(address));
    if (missing_child_) return std::optional<Address>();
    const Result<Error> missing = no_child(address);
    if (!missing) return std::unexpected(missing.error());
    missing_child_ = *missing;
    return std::optional<Address>();
  }

  /// The error with the nearest name among the children that the stage has.
  Result<Error> no_child(Address address) {
    const std::string child = *std::exchange(address.child, std::nullopt);
    const Result<std::vector<Task>> parents = views::tasks_at(records_, address);
    if (!parents) return std::unexpected(parents.error());
    std::vector<std::string> names;
    for (const Task& parent : *parents) {
      if (parent.expansion == 0) continue;
      const Result<std::vector<Task>> page =
          records_.tasks({.parent = parent.id, .limit = keys_compared});
      if (!page) return std::unexpected(page.error());
      for (const Task& one : *page) names.push_back(one.child ? one.child->key : std::string());
    }
    const std::string stage = address_of(address);
    const std::string near = nearest_name(child, names);
    address.child = near;
    return Error{ErrorCode::not_found,
                 "stage '" + printable(stage) + "' has no fan-out child '" + printable(child) + "'",
                 near.empty()
                     ? "list what the stage ran: pawl item attempts " + quoted_for_shell(stage)
                     : "did you mean '" + address_of(address) + "'?"};
  }

  Records& records_;
  std::optional<Error> missing_child_;
};

/// The error for an address that matches nothing. `text` is the address without escapes.
std::unexpected<Error> nothing_meant(Records& records, const AddressText& address,
                                     const std::string& text) {
  std::string message = "no such item";
  if (address.job) message += " in job " + std::to_string(*address.job);
  message += ": '" + printable(address.text) + "'";
  const Result<Job> job = job_or_newest(records, address.job);
  if (!job) return std::unexpected(job.error());

  if (!address.stage.empty()) {
    const Result<Workflow> workflow = records.workflow(job->workflow_hash);
    if (!workflow) return std::unexpected(workflow.error());
    if (const auto stage = workflow->require_stage(address.stage); !stage) {
      return std::unexpected(stage.error());
    }
  }
  const Result<std::vector<Item>> items =
      records.items({.job = job->id, .category = {}, .limit = keys_compared});
  if (!items) return std::unexpected(items.error());
  std::vector<std::string> keys;
  for (const Item& item : *items) keys.push_back(item.key);
  std::string near = nearest_name(text, keys);
  for (std::size_t at = text.find('/'); near.empty() && at != std::string::npos;
       at = text.find('/', at + 1)) {
    const std::string key = text.substr(0, at);
    const bool is_key = std::ranges::count(keys, key) > 0;
    if (!is_key) continue;
    const Result<Workflow> workflow = records.workflow(job->workflow_hash);
    if (!workflow) return std::unexpected(workflow.error());
    if (const auto stage = workflow->require_stage(text.substr(at + 1)); !stage) {
      return std::unexpected(stage.error());
    }
  }
  return pawl::fail(ErrorCode::not_found, std::move(message),
                    near.empty() ? "list the items of a job: pawl item list --job JOB"
                                 : "did you mean '" + id_part(near) + "'?");
}

}  // namespace

std::optional<JobId> job_number(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || number <= 0) {
    return std::nullopt;
  }
  return JobId{number};
}

Result<Address> resolve(Records& records, const AddressText& text) {
  Resolver resolver(records);
  const Readings read(text);
  if (read.fault()) return std::unexpected(*read.fault());
  const std::vector<Reading>& readings = read.all();
  for (const Reading& reading : readings) {
    Result<std::optional<Address>> answer = resolver.try_reading(reading);
    if (!answer) return std::unexpected(std::move(answer.error()));
    if (*answer) return std::move(**answer);
  }
  for (const Reading& reading : readings) {
    Result<std::optional<Address>> answer = resolver.try_job_wide(reading);
    if (!answer) return std::unexpected(std::move(answer.error()));
    if (*answer) return std::move(**answer);
  }
  if (resolver.missing_child()) return std::unexpected(*resolver.missing_child());
  return nothing_meant(records, text, read_id_part(text.text).value_or(text.text));
}

std::optional<ChildText> read_child(std::string_view text) {
  std::size_t open = std::string_view::npos;
  for (std::size_t at = find_unescaped(text, '['); at != std::string_view::npos;
       at = find_unescaped(text, '[', at + 1)) {
    open = at;
  }
  const bool is_child =
      open != std::string_view::npos && find_unescaped(text, ']', open) + 1 == text.size();
  if (!is_child) return std::nullopt;
  Result<std::string> child = read_id_part(text.substr(open + 1, text.size() - open - 2));
  if (!child) return std::nullopt;
  return ChildText{.parent = std::string(text.substr(0, open)), .child = std::move(*child)};
}

Result<Job> newest_job(Records& records) {
  Result<std::vector<Job>> newest = records.jobs({.limit = 1});
  if (!newest) return std::unexpected(std::move(newest.error()));
  if (newest->empty()) {
    return pawl::fail(ErrorCode::not_found, "the store has no jobs yet",
                      "start one: pawl run FILE");
  }
  return std::move(newest->front());
}

Result<Job> job_or_newest(Records& records, const std::optional<std::int64_t>& job) {
  return job ? records.job(JobId{*job}) : newest_job(records);
}

Status require_job(Records& records, const std::optional<std::int64_t>& job) {
  if (!job) return {};
  const Result<Job> found = records.job(JobId{*job});
  return found ? Status() : std::unexpected(found.error());
}

Result<PinnedJob> pinned_job(Session& session, const std::optional<std::int64_t>& job) {
  Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return std::unexpected(std::move(store.error()));
  Records& records = (*store)->records();
  Result<Job> found = job_or_newest(records, job);
  if (!found) return std::unexpected(std::move(found.error()));
  Result<Workflow> workflow = records.workflow(found->workflow_hash);
  if (!workflow) return std::unexpected(std::move(workflow.error()));
  return PinnedJob{std::move(*store), std::move(*found), std::move(*workflow)};
}

}  // namespace pawl::cli
