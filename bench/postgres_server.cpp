#include "bench/postgres_server.hpp"

#include <cstdio>
#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure.hpp"
#include "bench/postgres_session.hpp"

namespace pawl::bench {

namespace {

struct Running {
  std::filesystem::path folder;  ///< empty: none runs
  std::string url;
};
Running& running() {
  static Running one;
  return one;
}

/// Calls the program that runs a server. Returns the line it prints.
std::string call(const std::string& verb, const std::string& rest) {
  const std::string command = "python3 -B '" PAWL_SERVER_PROGRAM "' " + verb + " '" +
                              running().folder.string() + "' " + rest + " --for " +
                              std::to_string(::getpid());
  std::FILE* const answer = ::popen(command.c_str(), "r");
  if (answer == nullptr) return "";
  std::string line;
  for (int c = std::fgetc(answer); c != EOF && c != '\n'; c = std::fgetc(answer)) {
    line += static_cast<char>(c);
  }
  return ::pclose(answer) == 0 ? line : "";
}

}  // namespace

const std::string& postgres_url(const std::filesystem::path& folder) {
  Running& server = running();
  if (!server.folder.empty()) return server.url;
  server.folder = folder / "server";
  before_giving_up(stop_postgres);
  // As root the server runs as another user, who needs access to this folder.
  std::filesystem::permissions(folder, std::filesystem::perms::others_exec,
                               std::filesystem::perm_options::add);
  server.url = call("start", "shared_buffers=256MB");
  if (server.url.empty()) give_up("no PostgreSQL server could be started");
  return server.url;
}

std::filesystem::path postgres_log() { return running().folder / "log"; }

void stop_postgres() {
  if (running().folder.empty()) return;
  (void)call("stop", "");
  running() = {};
}

Schema::Schema(std::string server) : server_(std::move(server)) {
  static int count = 0;
  name_ = "bench_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
}

Schema::~Schema() { PostgresSession(server_).run("DROP SCHEMA IF EXISTS " + name_ + " CASCADE"); }

std::string Schema::store(const std::string& setting) const {
  std::string url = server_ + "?schema=" + name_;
  if (const std::size_t equals = setting.find('='); equals != std::string::npos) {
    url += "&options=-c" + setting.substr(0, equals) + "%3D" + setting.substr(equals + 1);
  }
  return url;
}

}  // namespace pawl::bench
