/// What work in a store costs in memory: a waiting item, a running attempt that holds no thread, a
/// sleeping retry. Measures allocated bytes, compared with the same engine without the work; on
/// SQLite they include its page cache, which grows to 16 MiB and then stays.

#include <atomic>
#include <mutex>
#include <thread>

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

enum class Kind : std::uint8_t { waiting_item, running_attempt, sleeping_retry };

struct Held {
  double bytes_each = 0;
  std::int64_t peak_kib = 0;
};

/// Attempts that have started and stay open until `let_go`.
class OpenAttempts {
 public:
  void hold(std::shared_ptr<AsyncAttempt> attempt) {
    const std::lock_guard lock(mutex_);
    attempts_.push_back(std::move(attempt));
  }
  [[nodiscard]] std::int64_t count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::int64_t>(attempts_.size());
  }
  void let_go() {
    std::vector<std::shared_ptr<AsyncAttempt>> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(attempts_);
    }
    for (const auto& attempt : all) attempt->complete(Output{.json = stage_output()});
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<AsyncAttempt>> attempts_;
};

Program open_stage(OpenAttempts& open) {
  WorkflowBuilder builder("open");
  builder.async_stage("stays_open", [&open](std::shared_ptr<AsyncAttempt> attempt) {
    open.hold(std::move(attempt));
  });
  auto program = builder.build();
  if (!program) give_up(text_of(program.error()));
  return *std::move(program);
}

void wait_until(const std::function<bool()>& is_so) {
  while (!is_so()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

Held held(const std::shared_ptr<Store>& store, Kind kind, std::int64_t count) {
  OpenAttempts open;
  const Program program = kind == Kind::running_attempt ? open_stage(open) : failing_stage();
  const auto parallel =
      kind == Kind::running_attempt ? static_cast<std::uint32_t>(count) : EngineOptions{}.parallel;
  const std::unique_ptr<Engine> engine =
      must(Engine::create(store, {.parallel = parallel}), "an engine");
  engine->serve(program);
  if (kind != Kind::waiting_item) engine->start();
  const std::int64_t before = allocated_bytes();
  const JobId job = submit_to(*store, program, count);
  const auto in_state = [&](StateKind state) {
    return must(store->records().job(job), "the job").stages.front()[state];
  };
  if (kind == Kind::running_attempt) wait_until([&] { return open.count() == count; });
  if (kind == Kind::sleeping_retry) {
    wait_until([&] { return in_state(StateKind::retry_scheduled) == count; });
  }
  // Exclude what the engine still does about the last of them.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::int64_t after = allocated_bytes();
  open.let_go();
  engine->stop();
  return {.bytes_each = static_cast<double>(after - before) / static_cast<double>(count)};
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::waiting_item:
      return "bytes/waiting item";
    case Kind::running_attempt:
      return "bytes/open attempt";
    case Kind::sleeping_retry:
      return "bytes/asleep retry";
  }
  return "";
}

}  // namespace

Lines memory(const Plan& plan) {
  const std::int64_t count = plan.full ? 100'000 : 10'000;
  Lines lines;
  for (const Kind kind : {Kind::waiting_item, Kind::running_attempt, Kind::sleeping_retry}) {
    const Held in_memory =
        in_child([&] { return held(open_memory_store(system_clock()), kind, count); });
    const Held on_sqlite = in_child([&] {
      const Folder folder(plan.folder);
      return held(must(open_sqlite_store({.path = folder.path() / "store.db"}), "a store"), kind,
                  count);
    });
    lines.push_back(
        {.work = "memory, " + count_text(count) + " on sqlite",
         .figure = name_of(kind),
         .ours = {on_sqlite.bytes_each},
         .beside = "the memory store",
         .other = {in_memory.bytes_each},
         .notes = {"peak of the process: " + std::to_string(on_sqlite.peak_kib / 1'024) +
                   " MiB, memory store " + std::to_string(in_memory.peak_kib / 1'024) + " MiB"}});
  }
  return lines;
}

}  // namespace pawl::bench
