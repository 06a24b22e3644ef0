#pragma once

/// An HTTP request and its response, as the handlers see them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::service {

/// The fields of a request or response, in order. Names are compared without regard to case.
class Headers {
 public:
  void add(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
  }
  /// Replaces every field of this name.
  void set(std::string_view name, std::string value);
  void remove(std::string_view name);

  /// The first field of this name; none if there is no such field.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  /// How many fields have this name.
  [[nodiscard]] std::size_t count(std::string_view name) const;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const {
    return fields_;
  }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Whether two names of fields are the same.
[[nodiscard]] bool is_same_name(std::string_view a, std::string_view b);

struct Request {
  std::string method;  ///< "GET"
  std::string target;  ///< as sent, beginning with '/': "/api/v1/jobs?limit=20"
  Headers headers;
  std::string body;
  std::string peer;  ///< the address of the other end of the connection: "127.0.0.1"

  [[nodiscard]] std::string_view path() const {
    return std::string_view(target).substr(0, target.find('?'));
  }
  /// Without the question mark; empty if there is none.
  [[nodiscard]] std::string_view query() const {
    const std::size_t mark = target.find('?');
    return mark == std::string::npos ? std::string_view()
                                     : std::string_view(target).substr(mark + 1);
  }
};

/// A body that is made while it is sent: a long list, a file, live events.
///
/// Threads: all calls come from request threads, one at a time.
class BodyStream {
 public:
  enum class State : std::uint8_t {
    more,  ///< call `next` again when the bytes are sent
    idle,  ///< call `next` again after `wake`
    end,   ///< the body is complete
    cut,   ///< the body cannot be completed: the connection ends, so that the client notices
  };
  struct Piece {
    State state = State::end;
    std::string bytes;
  };

  virtual ~BodyStream() = default;

  /// The next piece. It may read from the store or a file, but never waits for events.
  [[nodiscard]] virtual Piece next() = 0;
  /// `wake` makes the server call `next` again if the stream was idle. It may be called from any
  /// thread, also after the connection has ended. Given once, before the first `next`.
  virtual void on_wake(std::function<void()> /*wake*/) {}
  /// The server is stopping: the stream should end soon, and wakes the server if it was idle.
  virtual void stop() {}
};

/// The server adds Date, Content-Length, Transfer-Encoding and Connection by itself, and leaves out
/// those that a handler sets; `Connection: close` ends the connection all the same.
struct Response {
  unsigned status = 200;
  Headers headers;
  std::string body;
  std::shared_ptr<BodyStream> stream = nullptr;  ///< instead of the body, if set
};

/// "Not Found"
[[nodiscard]] std::string_view reason_of(unsigned status);

/// Answers requests.
class Handler {
 public:
  virtual ~Handler() = default;

  /// The longest body that a request with this head may have, in bytes. Called on the I/O thread:
  /// must be quick.
  [[nodiscard]] virtual std::size_t body_max(const Request& head) const = 0;
  /// The answer to a request that needs no time, so that it comes even while every request thread
  /// is busy; none: `answer` is asked. Called on the I/O thread.
  [[nodiscard]] virtual std::optional<Response> answer_at_once(const Request& /*request*/) {
    return std::nullopt;
  }
  /// Called on a request thread; several at the same time. HEAD is answered like GET; the server
  /// leaves out the body. What is thrown becomes `refuse` with 500.
  [[nodiscard]] virtual Response answer(const Request& request) = 0;
  /// The answer to a request that the server refuses itself: a malformed head (400), a body that is
  /// too long (413), a head that is too long (431), too many connections (503). `request` has what
  /// was read of it, which may be nothing. Called on the I/O thread.
  [[nodiscard]] virtual Response refuse(unsigned status, std::string_view why,
                                        const Request& request) = 0;
};

}  // namespace pawl::service
