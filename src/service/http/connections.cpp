#include "service/http/connections.hpp"

#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

namespace pawl::service {
namespace {

namespace asio = boost::asio;

/// Clients over a limit that are answered at the same time; more are closed without an answer.
constexpr std::size_t turned_away_max = 64;

/// If even the handler's refusal fails.
Response plain_refusal(const Refusal& refusal) {
  Response response{.status = refusal.status, .headers = {}, .body = refusal.why + "\n"};
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  return response;
}

}  // namespace

Connections::Connections(IoContext& io, Handler& handler, const ServerLimits& limits,
                         Exemption is_exempt, std::shared_ptr<RequestThreads> threads)
    : io_(io),
      handler_(handler),
      limits_(limits),
      threads_(std::move(threads)),
      admission_(limits, std::move(is_exempt)) {}

Connections::~Connections() = default;

void Connections::add(Socket socket, const std::string& peer) {
  ++accepted_;
  if (is_stopping_) return;
  std::optional<std::string> place = admission_.admit(peer);
  if (!place) {
    ++refused_;
    return turn_away(std::move(socket), peer);
  }
  ++connections_;
  insert(std::move(socket), peer, std::move(place)).open();
}

void Connections::turn_away(Socket socket, const std::string& peer) {
  if (open_.size() - admission_.count() >= turned_away_max) return;
  insert(std::move(socket), peer, std::nullopt).turn_away();
}

Connection& Connections::insert(Socket socket, const std::string& peer,
                                std::optional<std::string> place) {
  const ConnectionId id = ++last_id_;
  auto wire = std::make_shared<Wire>(std::move(socket), scratch_, limits_.write_timeout);
  Entry entry{.connection = std::make_unique<Connection>(*this, id, std::move(wire), peer),
              .place = std::move(place)};
  return *open_.emplace(id, std::move(entry)).first->second.connection;
}

template <class Call>
bool Connections::with(ConnectionId id, const Call& call) {
  const auto found = open_.find(id);
  if (found == open_.end()) return false;
  Connection& connection = *found->second.connection;
  try {
    call(connection);
  } catch (...) {
    connection.on_broken();  // what it has to do next is not known
  }
  return true;
}

template <class Call>
void Connections::with_each(const Call& call) {
  std::vector<ConnectionId> ids;
  for (const auto& [id, entry] : open_) ids.push_back(id);
  for (const ConnectionId id : ids) with(id, call);
}

void Connections::stop() {
  is_stopping_ = true;
  with_each([](Connection& connection) { connection.stop(); });
  note_if_empty();
}

void Connections::close_all() {
  is_stopping_ = true;
  with_each([](Connection& connection) { connection.close(); });
  note_if_empty();
}

void Connections::ended(ConnectionId id) {
  const auto found = open_.find(id);
  Entry entry = std::move(found->second);
  open_.erase(found);
  if (entry.place) {
    admission_.leave(*entry.place);
    --connections_;
  }
  // Later: the connection is still on the stack.
  asio::post(io_, [connection = std::move(entry.connection)] {});
  note_if_empty();
}

void Connections::note_if_empty() {
  if (!is_stopping_ || !open_.empty()) return;
  {
    const runtime::MutexLock lock(mutex_);
    is_empty_ = true;
  }
  emptied_.notify_all();
}

void Connections::wait_until_empty(SteadyClock::time_point until) {
  const runtime::MutexLock lock(mutex_);
  while (!is_empty_ && SteadyClock::now() < until) emptied_.wait_until(mutex_, until);
}

ServerFigures Connections::figures() const {
  return {
      .connections = connections_, .streams = streams_, .accepted = accepted_, .refused = refused_};
}

std::string_view Connections::date() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (now != date_at_) {
    date_ = http_date(now);
    date_at_ = now;
  }
  return date_;
}

std::size_t Connections::body_max(const Request& head) const {
  try {
    return handler_.body_max(head);
  } catch (...) {
    return 0;
  }
}

Response Connections::refusal(const Refusal& refusal, const Request& request) {
  Response response;
  try {
    response = handler_.refuse(refusal.status, refusal.why, request);
  } catch (...) {
    response = plain_refusal(refusal);
  }
  if (refusal.status == 503 && !response.headers.find("Retry-After")) {
    response.headers.add("Retry-After", "5");
  }
  return response;
}

std::optional<Response> Connections::answer_at_once(const Request& request) {
  try {
    return handler_.answer_at_once(request);
  } catch (...) {
    return refusal({.status = 500, .why = "an internal error"}, request);
  }
}

void Connections::answer(ConnectionId id, Request request) {
  threads_->run([this, id, request = std::move(request)]() mutable {
    std::optional<Response> response;
    try {
      response = handler_.answer(request);
    } catch (...) {
      return asio::post(io_, [this, id, request = std::move(request)] {
        with(id, [&](Connection& connection) { connection.on_failure(request); });
      });
    }
    asio::post(io_, [this, id, response = std::move(*response)]() mutable {
      // The connection may have ended in the meantime.
      std::shared_ptr<BodyStream> stream = response.stream;
      if (!with(id, [&](Connection& connection) { connection.on_answer(std::move(response)); })) {
        drop(std::move(stream));
      }
    });
  });
}

std::shared_ptr<StreamPump> Connections::pump(ConnectionId id, std::shared_ptr<BodyStream> stream) {
  return std::make_shared<StreamPump>(
      threads_, std::move(stream), [this, id](BodyStream::Piece piece) {
        asio::post(io_, [this, id, piece = std::move(piece)]() mutable {
          with(id, [&](Connection& connection) { connection.on_piece(std::move(piece)); });
        });
      });
}

void Connections::drop(std::shared_ptr<BodyStream> stream) {
  if (stream) threads_->run([stream = std::move(stream)] {});
}

bool Connections::hold_bodies(std::size_t before, std::size_t now) {
  bodies_ = bodies_ - before + now;
  return now <= before || bodies_ <= limits_.bodies_max;
}

}  // namespace pawl::service
