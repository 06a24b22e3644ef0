#include "bench/live_stream.hpp"

#include <charconv>

#include "bench/measure.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/clock.hpp"

namespace pawl::bench {

namespace {

/// How long ago the event of this document was, in milliseconds.
double age_of(std::string_view document) {
  constexpr std::string_view before = R"("at":")";
  const std::size_t begin = document.find(before);
  if (begin == std::string_view::npos) give_up("an event has no time");
  const std::string_view rest = document.substr(begin + before.size());
  const auto at = parse_rfc3339(rest.substr(0, rest.find('"')));
  if (!at) give_up("an event has no time");
  return std::chrono::duration<double, std::milli>(system_clock().now() - *at).count();
}

}  // namespace

void LiveStream::take(std::string_view bytes) {
  bytes_ += static_cast<std::int64_t>(bytes.size());
  if (!has_begun_) {
    text_ += bytes;
    take_head();
  } else if (is_chunked_) {
    body_.take(bytes, text_);
  } else {
    text_ += bytes;
  }
  if (!has_begun_) return;
  std::size_t begin = 0;
  for (std::size_t end = text_.find('\n'); end != std::string::npos;
       end = text_.find('\n', begin)) {
    take_line(std::string_view(text_).substr(begin, end - begin));
    begin = end + 1;
  }
  text_.erase(0, begin);
}

void LiveStream::take_head() {
  constexpr std::string_view end_of_head = "\r\n\r\n";
  const std::size_t end = text_.find(end_of_head);
  if (end == std::string::npos) return;
  const std::string head = text_.substr(0, end);
  if (!head.contains(" 200 ")) give_up("the daemon refused to stream events: " + text_);
  has_begun_ = true;
  is_chunked_ = head.contains(": chunked");
  const std::string rest = text_.substr(end + end_of_head.size());
  text_.clear();
  if (is_chunked_) {
    body_.take(rest, text_);
  } else {
    text_ = rest;
  }
}

void LiveStream::take_line(std::string_view line) {
  constexpr std::string_view id = "id: ";
  constexpr std::string_view event = "event: ";
  constexpr std::string_view data = "data: ";
  if (line.empty()) {
    end_event();
  } else if (line.starts_with(id)) {
    std::from_chars(line.data() + id.size(), line.data() + line.size(), id_);
  } else if (line.starts_with(event)) {
    const std::string_view name = line.substr(event.size());
    is_notice_ = name == "reset" || name == "dropped";
  } else if (line.starts_with(data)) {
    has_data_ = true;
    if (delays_ != nullptr && !is_notice_) delays_->push_back(age_of(line));
  }
}

void LiveStream::end_event() {
  if (is_notice_) {
    ++notices_;
  } else if (has_data_) {
    ++events_;
    if (id_ <= last_) ++disordered_;
    last_ = id_;
  }
  has_data_ = false;
  is_notice_ = false;
}

}  // namespace pawl::bench
