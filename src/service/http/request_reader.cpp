#include "service/http/request_reader.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "service/http/field_text.hpp"

namespace pawl::service {

namespace http = boost::beast::http;
using boost::beast::error_code;

/// Decodes the body into a string. Of the head it keeps nothing: `read_head` did that.
class RequestReader::Parser final : public http::basic_parser<true> {
 public:
  Parser(std::string& body, std::size_t part_max) : body_(body), part_max_(part_max) {
    eager(true);
    // The limit is checked here: Beast counts a chunk twice if its line arrives in two pieces.
    body_limit(boost::none);
    header_limit(std::numeric_limits<std::uint32_t>::max());
  }

  void allow(std::size_t body_max) { body_max_ = body_max; }
  [[nodiscard]] bool expects_first_chunk() const { return chunked() && !has_chunks_; }

 private:
  using Text = boost::beast::string_view;

  void on_request_impl(http::verb /*verb*/, Text /*method*/, Text /*target*/, int /*version*/,
                       error_code& /*error*/) override {}
  void on_response_impl(int /*status*/, Text /*reason*/, int /*version*/,
                        error_code& /*error*/) override {}
  void on_header_impl(error_code& /*error*/) override { in_trailers_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*error*/) override {}
  void on_finish_impl(error_code& /*error*/) override {}

  void on_field_impl(http::field /*field*/, Text name, Text value, error_code& error) override {
    if (!in_trailers_) return;
    trailers_ += name.size() + value.size();
    if (trailers_ > part_max_) error = http::error::header_limit;
  }
  void on_chunk_header_impl(std::uint64_t size, Text extension, error_code& error) override {
    has_chunks_ = true;
    const std::string_view text(extension.data(), extension.size());
    if (!is_field_value(text) || text.size() > part_max_) {
      error = http::error::bad_chunk_extension;
    } else if (size > body_max_ - body_.size()) {
      error = http::error::body_limit;
    }
  }
  std::size_t on_body_impl(Text bytes, error_code& /*error*/) override { return append(bytes); }
  std::size_t on_chunk_body_impl(std::uint64_t /*rest*/, Text bytes,
                                 error_code& /*error*/) override {
    return append(bytes);
  }
  std::size_t append(Text bytes) {
    body_.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  std::string& body_;
  const std::size_t part_max_;
  std::size_t body_max_ = 0;
  std::size_t trailers_ = 0;
  bool in_trailers_ = false;
  bool has_chunks_ = false;
};

RequestReader::RequestReader(std::size_t head_max) : head_max_(head_max) {}
RequestReader::~RequestReader() = default;

std::size_t RequestReader::read(std::string_view bytes) {
  switch (state_) {
    case State::head:
      return read_head_bytes(bytes);
    case State::body:
      return read_body_bytes(bytes);
    case State::deciding:
    case State::complete:
    case State::refused:
      break;
  }
  return 0;
}

std::size_t RequestReader::read_head_bytes(std::string_view bytes) {
  // One byte more than allowed is enough to know that it is too long.
  const std::size_t taken = scanner_.scan(bytes.substr(0, head_max_ + 1 - unread_.size()));
  unread_ += bytes.substr(0, taken);
  if (scanner_.state() == HeadScanner::State::malformed) {
    refuse(400, "a byte that no head has, or a line that does not end with CR LF");
  } else if (unread_.size() > head_max_) {
    refuse(431, "the head is longer than " + std::to_string(head_max_) + " bytes");
  } else if (scanner_.state() == HeadScanner::State::complete) {
    finish_head();
  }
  return taken;
}

void RequestReader::finish_head() {
  std::string bytes = std::exchange(unread_, {});
  if (bytes.starts_with("\r\n")) bytes.erase(0, 2);
  HeadReading reading = read_head(bytes);
  head_ = std::move(reading.head);
  if (reading.refusal) {
    state_ = State::refused;
    refusal_ = std::move(*reading.refusal);
    return;
  }
  parser_ = std::make_unique<Parser>(head_.request.body, head_max_);
  error_code error;
  const std::size_t taken = parser_->put(boost::asio::buffer(bytes), error);
  const auto length = error ? boost::none : parser_->content_length();
  const bool agrees = !error && taken == bytes.size() && parser_->chunked() == head_.is_chunked &&
                      length.value_or(0) == head_.length && parser_->is_done() != head_.has_body();
  if (!agrees) return refuse(400, "the head is malformed");
  state_ = State::deciding;
}

void RequestReader::allow_body(std::size_t body_max) {
  if (head_.length > body_max) {
    return refuse(413, "the body is longer than " + std::to_string(body_max) + " bytes");
  }
  parser_->allow(body_max);
  state_ = head_.has_body() ? State::body : State::complete;
}

std::size_t RequestReader::read_body_bytes(std::string_view bytes) {
  const bool is_kept = !unread_.empty();
  if (is_kept) unread_ += bytes;
  const std::string_view given = is_kept ? std::string_view(unread_) : bytes;
  if (parser_->expects_first_chunk() && given.size() == 4 && given.starts_with("0\r\n")) {
    // Beast 1.81 fails an assertion if it is asked again when only one byte came after "0\r\n".
    // More bytes must come in any case.
    unread_ = std::string(given);
    return bytes.size();
  }
  error_code error;
  const std::size_t taken =
      given.empty() ? 0 : parser_->put(boost::asio::buffer(given.data(), given.size()), error);
  const std::size_t left = given.size() - taken;
  if (error && error != http::error::need_more) {
    if (error == http::error::body_limit) {
      refuse(413, "the body is too long");
    } else {
      refuse(400, "the chunks of the body are malformed");
    }
  } else if (parser_->is_done()) {
    state_ = State::complete;
    unread_.clear();
    return bytes.size() - left;
  } else if (left > head_max_) {
    refuse(400, "a chunk has a line that is too long");
  } else {
    unread_ = std::string(given.substr(taken));
  }
  return bytes.size();
}

void RequestReader::refuse(unsigned status, std::string why) {
  state_ = State::refused;
  refusal_ = {.status = status, .why = std::move(why)};
}

}  // namespace pawl::service
