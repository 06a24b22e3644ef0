#include "sql/worker_codec.hpp"

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
  const Json json = stored_json(std::string(text));
  const Status read = ObjectReader(json, "the limits of a worker", ErrorCode::corrupt)
                          .read("parallel", limits.parallel)
                          .read("stages", stages)
                          .read("categories", categories)
                          .read_list("left", limits.left, read_left)
                          .finish();
  if (!read) throw Fault(read.error());
  limits.stages = {stages.begin(), stages.end()};
  limits.categories = {categories.begin(), categories.end()};
  return limits;
}

}  // namespace pawl::sql
