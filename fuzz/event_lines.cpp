/// Whatever a command writes to $PAWL_EVENTS: its lines are counted or ignored, never both, each by
/// itself, and what it used never goes down.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "actions/attempt_records.hpp"
#include "pawl/codec/json.hpp"

namespace {

using namespace pawl;

actions::EventLines lines_of(std::string_view text) {
  static const int file = ::memfd_create("events", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  require(::ftruncate(file, 0) == 0, "no memory");
  require(::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
          "no memory");
  return actions::read_events(path, pawl::actions::Mask());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const actions::EventLines once = lines_of(text);
  const auto lines = 1 + std::ranges::count(text, '\n');
  require(once.ignored >= 0 && once.ignored <= lines, "more lines ignored than there are");
  require((once.ignored == 0) == once.first_ignored.empty(), "ignored without a reason");
  require(once.usage.tokens >= 0 && once.usage.cost_microusd >= 0, "usage never goes down");
  require(parse_json(actions::note_of(once).summary.text()).has_value(), "a note that is not JSON");
  // A line means the same wherever it stands.
  const actions::EventLines twice = lines_of(text + "\n" + text);
  require(twice.ignored == 2 * once.ignored, "a line is ignored only once");
  require(twice.first_ignored == once.first_ignored, "another line comes first");
  require(twice.usage == once.usage + once.usage, "usage that does not add up");
  return 0;
}
