#pragma once

/// The benchmark's own PostgreSQL server: on loopback, with PostgreSQL's default durability, for
/// both sides of every comparison.

#include <filesystem>
#include <string>

namespace pawl::bench {

/// Its address. The first call starts it, with its data in `folder` if the server's user can reach
/// it, and otherwise in the system's temporary directory. REQUIRES: the first call is not made in a
/// child process, which would end the server with itself.
[[nodiscard]] const std::string& postgres_url(const std::filesystem::path& folder);

/// The log of the server. REQUIRES: it was started.
[[nodiscard]] std::filesystem::path postgres_log();

/// Stops it if it was started. If the benchmark is killed, the watcher of the server does that.
void stop_postgres();

/// Its own schema on the server, dropped with this object.
class Schema {
 public:
  explicit Schema(std::string server);
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  ~Schema();
  [[nodiscard]] const std::string& server() const { return server_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The address for opening a store; `setting` (`a=b`) is a setting of its sessions.
  [[nodiscard]] std::string store(const std::string& setting = "") const;

 private:
  std::string server_;
  std::string name_;
};

}  // namespace pawl::bench
