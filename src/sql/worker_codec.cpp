#include "sql/worker_codec.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codec/object_reader.hpp"
#include "codec/object_writer.hpp"
#include "pawl/codec/json.hpp"
#include "sql/fault.hpp"
#include "sql/stored.hpp"

namespace pawl::sql {
namespace {

using codec::ObjectReader;
using codec::ObjectWriter;

using Names = std::vector<std::string>;

void append_left(std::string& out, const WorkerLimits::Left& left) {
  ObjectWriter object(out);
  object.write("job", left.job.value());
  object.write_unless("stage", left.stage, {});
  object.write_unless("reason", left.reason, {});
}

Status read_job(const Json& json, JobId& job) {
  const Result<std::int64_t> number = JsonView(json).integer();
  if (!number) return fail(ErrorCode::corrupt, "the limits of a worker name no job");
  job = JobId{*number};
  return {};
}

Status read_left(const Json& json, WorkerLimits::Left& left) {
  return ObjectReader(json, "what a worker leaves", ErrorCode::corrupt)
      .need("job", left.job)
      .read("stage", left.stage)
      .read("reason", left.reason)
      .finish();
}

}  // namespace

std::string limits_text(const WorkerLimits& limits) {
  if (limits == WorkerLimits{}) return {};
  std::string out;
  {
    ObjectWriter object(out);
    object.write_unless<std::uint32_t>("parallel", limits.parallel, 0);
    object.write_unless("stages", Names(limits.stages.begin(), limits.stages.end()), {});
    object.write_unless("categories", Names(limits.categories.begin(), limits.categories.end()),
                        {});
    if (!limits.jobs.empty()) {
      std::string& list = object.member("jobs");
      list += '[';
      for (const JobId job : limits.jobs) {
        if (job != *limits.jobs.begin()) list += ',';
        list += std::to_string(job.value());
      }
      list += ']';
    }
    object.write_unless<std::int64_t>("cut_at", limits.cut_at.value(), 0);
    if (!limits.left.empty()) {
      std::string& list = object.member("left");
      list += '[';
      for (const WorkerLimits::Left& left : limits.left) {
        if (&left != &limits.left.front()) list += ',';
        append_left(list, left);
      }
      list += ']';
    }
  }
  return out;
}

WorkerLimits limits_from(std::string_view text) {
  WorkerLimits limits;
  if (text.empty()) return limits;
  Names stages;
  Names categories;
  std::vector<JobId> jobs;
  const Json json = stored_json(std::string(text));
  const Status read = ObjectReader(json, "the limits of a worker", ErrorCode::corrupt)
                          .read("parallel", limits.parallel)
                          .read("stages", stages)
                          .read("categories", categories)
                          .read_list("jobs", jobs, read_job)
                          .read("cut_at", limits.cut_at)
                          .read_list("left", limits.left, read_left)
                          .finish();
  if (!read) throw Fault(read.error());
  limits.stages = {stages.begin(), stages.end()};
  limits.categories = {categories.begin(), categories.end()};
  limits.jobs = {jobs.begin(), jobs.end()};
  return limits;
}

}  // namespace pawl::sql
