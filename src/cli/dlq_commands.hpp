#pragma once

/// The commands for dead letters; `commands.hpp` has the others.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl::cli {

class Session;
struct ItemOptions;

struct DlqListOptions {
  std::optional<std::int64_t> job;
  std::optional<std::string> filter;
  std::string by;  ///< "error": grouped
  bool discarded = false;
  std::uint32_t limit = 100;
  std::int64_t after = 0;
};
int dlq_list(Session& session, const DlqListOptions& options);

int dlq_show(Session& session, const ItemOptions& options);

struct DlqActOptions {
  std::vector<std::string> ids;
  std::optional<std::int64_t> job;
  std::string stage;
  std::optional<std::string> filter;
  bool all = false;
  bool dry_run = false;
  std::string note;  ///< the feedback of a retry, or the reason of a discard
  std::string as;
};
int dlq_retry(Session& session, const DlqActOptions& options);
int dlq_discard(Session& session, const DlqActOptions& options);
int dlq_purge(Session& session, const DlqActOptions& options);

struct DlqExportOptions {
  std::optional<std::int64_t> job;
  std::optional<std::string> filter;
  bool discarded = false;
};
int dlq_export(Session& session, const DlqExportOptions& options);

}  // namespace pawl::cli
