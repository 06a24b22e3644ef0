#pragma once

/// The work of the killed workers. All results depend on the item only, never on the number of
/// kills: failures and rejections are counted in the record.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "pawl/codec/json.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/runtime/program.hpp"

namespace pawl::crash {

using namespace std::chrono_literals;

inline std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char one : text) hash = (hash ^ static_cast<unsigned char>(one)) * 1'099'511'628'211U;
  return hash >> 7U;
}

/// Reports every start and end of a stage's code with one write each, so that lines of several
/// processes do not mix and are in the order of time.
class Marks {
 public:
  explicit Marks(const std::string& path) {
    if (!path.empty())
      file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
  void put(char what, const Context& context) const {
    if (file_ < 0) return;
    const std::string line = std::string(1, what) + " " +
                             std::to_string(context.task().id.value()) + " " +
                             std::to_string(context.attempt()) + "\n";
    (void)!::write(file_, line.data(), line.size());
  }

 private:
  int file_ = -1;
};

/// The code of one stage between two marks; takes a little while.
inline StageFunction marked(const Marks& marks, StageFunction work) {
  return [&marks, work = std::move(work)](Context& context, std::stop_token stop) -> Outcome {
    marks.put('S', context);
    const auto takes = hash_of(context.item_key() + context.stage_name()) % 1'500;
    std::this_thread::sleep_for(std::chrono::microseconds(takes));  // waits: real work takes time
    Outcome outcome = work(context, stop);
    marks.put('E', context);
    return outcome;
  };
}

/// Fails `times` times in all, however many attempts were interrupted in between.
inline bool still_breaks(Context& context, std::uint64_t times) {
  const Result<std::vector<Attempt>> history = context.history();
  if (!history) return true;
  std::uint64_t failures = 0;
  for (const Attempt& one : *history) {
    if (one.result == AttemptResult::failure) ++failures;
  }
  return failures < times;
}

inline Outcome say(Context& context, std::string text) {
  return Output{.json = Json::object({{"stage", context.stage_name()}, {"text", std::move(text)}})};
}
inline std::string text_from(Context& context, std::string_view stage) {
  const Result<Upstream> upstream = context.upstream(stage);
  return upstream ? upstream->json.text() : "(" + upstream.error().message + ")";
}

inline Outcome fan(Context& context, std::stop_token) {
  FanOut split;
  const std::uint64_t count = 1 + hash_of(context.item_key()) % 3;
  for (std::uint64_t i = 0; i < count; ++i) {
    split.children.push_back({.key = "part-" + std::to_string(i), .data = Json(i)});
  }
  return split;
}
inline Outcome part(Context& context, std::stop_token) {
  const std::string name = context.item_key() + "/" + context.child()->key;
  if (still_breaks(context, hash_of(name) % 2)) return retryable("busy");
  return Output{.json = Json(name)};
}
inline Outcome join(Context& context, std::stop_token) {
  std::string all;
  const Status read = context.for_each_child([&](const EndedChild& child) {
    all += child.key + "=" + child.output.text() + ";";
    return true;
  });
  if (!read) return retryable(read.error().text());
  return say(context, all);
}
inline Outcome summary(Context& context, std::stop_token) {
  std::uint64_t count = 0;
  std::string all;
  const Status read = context.for_each_item([&](const SettledItem& one) {
    ++count;
    all += one.item.key + ":" + std::to_string(static_cast<int>(one.item.state));
    for (const StageOutput& output : one.outputs) all += output.output.text();
    return true;
  });
  if (!read) return retryable(read.error().text());
  return Output{.json = Json::object({{"items", count}, {"digest", hash_of(all)}})};
}

/// Retries, gates that reject first attempts, a join of two branches, fan-out, reduce.
inline Program steady_program(const Marks& marks) {
  const RetryPolicy three{
      .max_attempts = 3, .backoff = {.initial = 2ms, .max = 5ms}, .max_interruptions = 0};
  const RetryPolicy once{.max_interruptions = 0};
  WorkflowBuilder build("steady");
  build
      .stage("fetch", marked(marks,
                             [](Context& context, std::stop_token) -> Outcome {
                               return say(context, "got " + context.item_key());
                             }))
      .gate("complete",
            [](const GateContext& gate, std::stop_token) -> Judgement {
              std::uint64_t rejections = 0;
              for (const Attempt& one : gate.previous_attempts) {
                if (one.verdict == Verdict::rejected) ++rejections;
              }
              if (rejections >= hash_of(gate.task.item_key()) % 3) return accepted();
              return rejected({.summary = "not yet", .criteria = {}, .guidance = {}});
            })
      .retry(three);
  build
      .stage("flaky", marked(marks,
                             [](Context& context, std::stop_token) -> Outcome {
                               const std::uint64_t hash = hash_of(context.item_key());
                               if (still_breaks(context, hash % 19 == 0 ? 9 : hash % 3)) {
                                 return retryable("busy");
                               }
                               return say(context, "calm");
                             }))
      .needs("fetch")
      .retry(three);
  build.stage("fan", marked(marks, fan))
      .needs("flaky")
      .each(marked(marks, part))
      .join(marked(marks, join))
      .retry(three);
  build
      .stage("side", marked(marks,
                            [](Context& context, std::stop_token) -> Outcome {
                              return say(context, "beside " + text_from(context, "fetch"));
                            }))
      .needs("fetch")
      .retry(once);
  build
      .stage("merge", marked(marks,
                             [](Context& context, std::stop_token) -> Outcome {
                               return say(context,
                                          text_from(context, "fan") + text_from(context, "side"));
                             }))
      .needs("fan")
      .needs("side")
      .retry(once);
  build.all_items_stage("summary", marked(marks, summary)).needs("merge").retry(three);
  return build.build().value();
}

/// A review between two stages.
inline Program reviewed_program(const Marks& marks) {
  const RetryPolicy twice{.max_attempts = 2, .max_interruptions = 0};
  WorkflowBuilder build("reviewed");
  build
      .stage("draft", marked(marks,
                             [](Context& context, std::stop_token) -> Outcome {
                               if (still_breaks(context, hash_of(context.item_key()) % 2)) {
                                 return retryable("busy");
                               }
                               return say(context, "draft of " + context.item_key());
                             }))
      .review(ReviewPolicy::always)
      .retry(twice);
  build
      .stage("publish", marked(marks,
                               [](Context& context, std::stop_token) -> Outcome {
                                 const Result<Upstream> draft = context.upstream("draft");
                                 if (!draft) return retryable(draft.error().text());
                                 return Output{.json = Json::object({{"published", draft->json},
                                                                     {"edited", draft->edited}})};
                               }))
      .needs("draft")
      .retry(twice);
  return build.build().value();
}

/// Never succeeds.
inline Program doomed_program(const Marks& marks) {
  WorkflowBuilder build("doomed");
  build.stage("break", marked(marks, [](Context&, std::stop_token) -> Outcome {
                return final_error("torn");
              }));
  return build.build().value();
}

}  // namespace pawl::crash
