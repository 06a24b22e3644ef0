/// Whatever a database gives as a journal row: it is read or called corrupt, and what was read is
/// written and read back as the same events.

#include "codec/journal.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "pawl/core/result.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr EventSeq row = 7;
  const JobId job{3};
  const Timestamp at{std::chrono::seconds(1'700'000'000)};
  const auto events = codec::read_events(text, row, job, at);
  if (!events) {
    require(events.error().code == ErrorCode::corrupt, "refused for another reason");
    require(events.error().message.starts_with("journal row 7, event "), "refused without a place");
    return 0;
  }
  require(events->size() <= codec::events_per_row, "more events than a row has numbers for");
  for (std::size_t i = 0; i < events->size(); ++i) {
    const Event& event = (*events)[i];
    require(event.seq == row * 16 + static_cast<EventSeq>(i), "events without a gap");
    require(event.job == job && event.at == at, "job and time are the row's");
  }
  std::string written;
  codec::append_events(written, *events);
  const auto again = codec::read_events(written, row, job, at);
  require(again && *again == *events, "events that do not read back");
  std::string last;
  codec::append_events(last, *again);
  require(last == written, "a text that is not the last");
  return 0;
}
