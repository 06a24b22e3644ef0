#pragma once

/// One stream of server-sent events, checked as it arrives.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/chunked_body.hpp"
#include "pawl/core/ids.hpp"

namespace pawl::bench {

class LiveStream {
 public:
  /// `delays`, if not null, gets the milliseconds from the time of each event to its arrival.
  explicit LiveStream(std::vector<double>* delays = nullptr) : delays_(delays) {}

  /// Takes bytes of the answer, its head first. Ends the program if the answer is not a stream.
  void take(std::string_view bytes);

  [[nodiscard]] bool has_begun() const { return has_begun_; }
  [[nodiscard]] EventSeq last() const { return last_; }
  [[nodiscard]] std::int64_t events() const { return events_; }
  [[nodiscard]] std::int64_t disordered() const { return disordered_; }
  [[nodiscard]] std::int64_t notices() const { return notices_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  void take_head();
  void take_line(std::string_view line);
  void end_event();

  std::vector<double>* delays_;
  bool has_begun_ = false;
  bool is_chunked_ = false;
  ChunkedBody body_;
  std::string text_;  ///< decoded, and not used yet

  // Of the event that is arriving:
  EventSeq id_ = 0;
  bool has_data_ = false;
  bool is_notice_ = false;

  EventSeq last_ = 0;
  std::int64_t events_ = 0;
  std::int64_t disordered_ = 0;
  std::int64_t notices_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace pawl::bench
