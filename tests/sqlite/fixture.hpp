#pragma once

/// A directory for each test, and a small world in it.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pawl/codec/workflow.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/store/store.hpp"
#include "temporary_folder.hpp"

namespace pawl::sqlite {

class Folder : public TemporaryFolder {
 public:
  /// Every file below it with its bytes, to check that nothing was changed.
  [[nodiscard]] std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path().string()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    return files;
  }
};

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Runs `body` in its own process. Returns its exit code, or -1 if a signal ended it.
inline int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline std::shared_ptr<Store> must_open(const SqliteOptions& options,
                                        const Clock& clock = system_clock()) {
  Result<std::shared_ptr<Store>> store = open_sqlite_store(options, clock);
  if (!store) {
    ADD_FAILURE() << store.error().text();
    std::abort();
  }
  return *store;
}

/// Two stages, one after the other.
inline Workflow two_stages() {
  return compile({.name = "letters",
                  .stages = {{.name = "read", .handler = "read"},
                             {.name = "sort", .needs = {"read"}, .handler = "sort"}}})
      .value();
}

inline std::vector<NewItem> numbered_items(int count) {
  std::vector<NewItem> items(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    items[static_cast<std::size_t>(i)].key = "item-" + std::to_string(i);
    items[static_cast<std::size_t>(i)].data = Json::object({{"n", i}});
  }
  return items;
}

inline Job submit(Store& store, const Workflow& workflow, int count) {
  const std::vector<NewItem> items = numbered_items(count);
  return store.submit({.workflow = workflow}, {.items = items, .close = true}).value().job;
}

inline WorkerId enlist(Store& store) {
  return store.enlist({.host = "here", .pid = ::getpid(), .name = "test"}).value();
}

/// Claims up to `max` tasks, whatever the lane.
inline std::vector<Claimed> claim(Store& store, WorkerId worker, std::uint32_t max) {
  ClaimRequest request{.worker = worker, .shares = {}};
  const std::vector<LaneHead> heads = store.ready_lanes().value();
  for (const LaneHead& head : heads) {
    request.shares.push_back({.job = head.job, .lanes = {{head.lane, head.stage}}, .max = max});
  }
  return store.claim(request).value().opened;
}

inline Step success(const Workflow& workflow, const Task& task, Timestamp now, Json output = {}) {
  Attempt closed;
  closed.started_at = closed.ended_at = now;
  closed.output = std::move(output);
  return close(workflow.stage(task.stage()), task, std::move(closed));
}

/// Works until nothing is ready.
inline void work_off(Store& store, const Workflow& workflow, WorkerId worker, BatchNumber& batch) {
  for (;;) {
    std::vector<Step> steps;
    for (const Claimed& claimed : claim(store, worker, 500)) {
      steps.push_back(success(workflow, claimed.task, store.now(), claimed.data));
    }
    if (steps.empty()) return;
    ASSERT_TRUE(store.commit(worker, ++batch, steps));
  }
}

}  // namespace pawl::sqlite
