#include "views/live.hpp"

#include <cmath>

#include "codec/object_writer.hpp"
#include "views/document_writer.hpp"
#include "views/outputs.hpp"

namespace pawl::views {

std::string RunningAttempt::name() const {
  std::string out = item_key.empty() ? stage : item_key + "/" + stage;
  return child.empty() ? out : out + "[" + child + "]";
}

Json with_live(const Json& document, const std::vector<RunningAttempt>& running) {
  std::string out = "[";
  for (const RunningAttempt& one : running) {
    if (&one != &running.front()) out += ',';
    codec::ObjectWriter object(out);
    write_name(object, "item", one.item_key);
    object.write("stage", one.stage);
    write_name(object, "child", one.child);
    object.write("attempt_number", one.attempt);
    write_optional(object, "progress", one.progress);
    write_name(object, "message", one.message);
  }
  return with_member(document, "live", Json::trusted(out + "]"));
}

std::string report_in_words(const RunningAttempt& running) {
  std::string out;
  if (running.progress && *running.progress >= 0 && *running.progress <= 1) {
    // 0.29 * 100 is a little less than 29.
    out = std::to_string(static_cast<int>(std::floor(*running.progress * 100 + 1e-6))) + "%";
  }
  if (running.message.empty()) return out;
  return out.empty() ? running.message : out + ", " + running.message;
}

}  // namespace pawl::views
