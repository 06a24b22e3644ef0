#pragma once

/// A world whose events are followed, and clients that read the streams.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "away_store.hpp"
#include "pawl/testing/testing.hpp"
#include "service/live/follower.hpp"
#include "service/live/live_events.hpp"

namespace pawl::service {

/// One message of a stream, as a browser reads it.
struct Message {
  std::string id;
  std::string event;
  std::string data;
};

/// A client that reads a stream.
class Client {
 public:
  explicit Client(std::shared_ptr<BodyStream> stream) : stream_(std::move(stream)) {
    stream_->on_wake([wakes = wakes_] { ++*wakes; });
  }

  /// One piece.
  BodyStream::State read_piece() {
    const BodyStream::Piece piece = stream_->next();
    text_ += piece.bytes;
    largest_ = std::max(largest_, piece.bytes.size());
    return piece.state;
  }
  /// Until there is nothing more.
  BodyStream::State read() {
    BodyStream::State state = BodyStream::State::more;
    while (state == BodyStream::State::more) state = read_piece();
    return state;
  }
  [[nodiscard]] std::vector<Message> messages() const {
    std::vector<Message> all;
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = text_.find("\n\n", begin);
      EXPECT_NE(end, std::string::npos) << "an unfinished message";
      if (end == std::string::npos) break;
      Message message;
      std::istringstream lines(text_.substr(begin, end - begin));
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("id: ")) message.id = line.substr(4);
        if (line.starts_with("event: ")) message.event = line.substr(7);
        if (line.starts_with("data: ")) message.data = line.substr(6);
      }
      if (!message.data.empty()) all.push_back(message);
      begin = end + 2;
    }
    return all;
  }
  /// The numbers of the events of the log.
  [[nodiscard]] std::vector<EventSeq> numbers() const {
    std::vector<EventSeq> numbers;
    for (const Message& message : messages()) {
      if (message.event != "reset" && message.event != "dropped") {
        numbers.push_back(std::stoll(message.id));
      }
    }
    return numbers;
  }
  [[nodiscard]] std::vector<std::string> events() const {
    std::vector<std::string> events;
    for (const Message& message : messages()) events.push_back(message.event);
    return events;
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] int wakes() const { return *wakes_; }
  [[nodiscard]] std::size_t largest() const { return largest_; }
  [[nodiscard]] BodyStream& stream() { return *stream_; }

 private:
  std::shared_ptr<BodyStream> stream_;
  std::shared_ptr<std::atomic<int>> wakes_ = std::make_shared<std::atomic<int>>(0);
  std::string text_;
  std::size_t largest_ = 0;
};

class LiveTest : public ::testing::Test {
 protected:
  static Program letters() {
    const StageFunction succeed = [](Context&, std::stop_token) -> Outcome { return Output{}; };
    WorkflowBuilder build("letters");
    build.stage("write", succeed);
    build.stage("send", succeed).needs("write");
    return testing::built(build);
  }

  /// A job with so many items, from its submission to its end.
  JobId run_job(int size) {
    std::vector<NewItem> all;
    for (int i = 0; i < size; ++i) {
      all.push_back({.key = "doc-" + std::to_string(i), .category = {}, .data = {}});
    }
    const JobId job = world_.submit(program_, std::move(all));
    world_.finish(job);
    return job;
  }

  /// The numbers of the events on record after this one.
  std::vector<EventSeq> on_record(EventSeq after = 0, JobId job = {}) {
    std::vector<EventSeq> numbers;
    const auto events = world_.records().events({.job = job, .after = after, .limit = 1'000'000});
    for (const Event& event : *events) numbers.push_back(event.seq);
    return numbers;
  }
  EventSeq newest() { return world_.records().last_event().value_or(0); }

  LiveEvents live(LiveLimits limits = {}) {
    limits.has_thread = false;
    return LiveEvents(world_.engine(), limits, [this] { return now_; });
  }

  AwayStore* store_ = nullptr;
  testing::World world_{{.store = [this](const Clock& clock) -> Result<std::shared_ptr<Store>> {
    auto store = std::make_shared<AwayStore>(open_memory_store(clock));
    store_ = store.get();
    return store;
  }}};
  Program program_ = letters();
  LiveEvents::SteadyTime now_{};
};

}  // namespace pawl::service
