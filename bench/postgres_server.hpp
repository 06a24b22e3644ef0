#pragma once

/// The bench's own PostgreSQL server: on loopback, with the durability that PostgreSQL has unless
/// told otherwise, for both sides of every comparison.

#include <filesystem>
#include <string>

namespace pawl::bench {

/// Its address. The first call starts it, with its data in `folder` where it can be reached by the
/// user that the server runs as, and otherwise in the system's folder for temporary files.
/// REQUIRES: the first call is not made in a child process, which would take it along.
[[nodiscard]] const std::string& postgres_url(const std::filesystem::path& folder);

/// What it has written down. REQUIRES: it was started.
[[nodiscard]] std::filesystem::path postgres_log();

/// Ends it where it was started. A bench that is killed leaves that to the one who watches over the
/// server.
void stop_postgres();

/// A schema of its own on the server, gone with this object.
class Schema {
 public:
  explicit Schema(std::string server);
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  ~Schema();
  [[nodiscard]] const std::string& server() const { return server_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// What a store is opened with; `settings` (`a=b`) are those of its sessions.
  [[nodiscard]] std::string store(const std::string& setting = "") const;

 private:
  std::string server_;
  std::string name_;
};

}  // namespace pawl::bench
