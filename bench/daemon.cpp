#include "bench/daemon.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::bench {

namespace {

constexpr std::chrono::seconds patience(60);

/// Those that run, for `give_up`.
std::vector<pid_t>& running() {
  static std::vector<pid_t> processes;
  return processes;
}

/// They write to the folder that is removed next.
void kill_daemons() {
  for (const pid_t process : std::exchange(running(), {})) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
}

std::filesystem::path log_of(const std::filesystem::path& project) { return project / "serve.log"; }

[[noreturn]] void become_daemon(const std::filesystem::path& project,
                                const std::vector<std::string>& more, int output) {
  // Nobody else would end it if the benchmark is killed.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_DFL);
  const int log = ::open(log_of(project).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  std::vector<std::string> words{PAWL_PROGRAM, "serve",       "--json",
                                 "--listen",   "127.0.0.1:0", "--dir",
                                 project,      "--store",     project / ".pawl/pawl.db"};
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(pointers.front(), pointers.data());
  std::_Exit(127);
}

/// The part of an address "http://127.0.0.1:7878/#code=…" before its path.
std::string host_of(const std::string& url) {
  const std::size_t begin = std::min(url.find("//"), url.size() - 2) + 2;
  return url.substr(begin, url.find('/', begin) - begin);
}

std::string last_line_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) last = std::move(line);
  return last;
}

}  // namespace

Daemon::Daemon(const std::filesystem::path& project, const std::vector<std::string>& more)
    : project_(project) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) give_up("no pipe");
  before_giving_up(kill_daemons);
  std::fflush(nullptr);
  const Stopwatch watch;
  process_ = ::fork();
  if (process_ < 0) give_up("no child process");
  if (process_ == 0) become_daemon(project, more, ends[1]);
  running().push_back(process_);
  ::close(ends[1]);
  const Descriptor output(ends[0]);
  read_address(output.raw());
  HttpClient client(address_);
  while (client.get("/readyz").status != 200) {
    if (watch.seconds() > std::chrono::duration<double>(patience).count()) {
      give_up_on("does not get ready");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  milliseconds_to_ready_ = watch.seconds() * 1e3;
}

void Daemon::read_address(int output) {
  std::string line;
  for (char c = 0; ::read(output, &c, 1) == 1 && c != '\n';) line += c;
  const Result<Json> said = parse_json(line);
  if (!said) give_up_on("did not start");
  const std::string url = field(*said, "url").string().value_or("");
  const std::string sign_in = field(*said, "sign_in_url").string().value_or("");
  constexpr std::string_view before_code = "#code=";
  const std::size_t code = sign_in.find(before_code);
  if (url.empty() || code == std::string::npos) give_up_on("did not say where it is: " + line);
  address_ = host_of(url);
  code_ = sign_in.substr(code + before_code.size());
}

void Daemon::give_up_on(const std::string& why) const {
  give_up("'pawl serve' " + why + "; its log ends with: " + last_line_of(log_of(project_)));
}

Daemon::~Daemon() {
  if (process_ == 0) return;
  std::erase(running(), process_);
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

const std::string& Daemon::cookie() {
  if (!cookie_.empty()) return cookie_;
  HttpClient client(address_);
  const HttpAnswer answer = client.post("/api/v1/session", Json::object({{"code", code_}}).text());
  if (answer.cookie.empty()) give_up_on("lets nobody in: " + answer.body);
  cookie_ = answer.cookie;
  return cookie_;
}

HttpClient Daemon::client() {
  HttpClient client(address_);
  client.use_cookie(cookie());
  return client;
}

ProcessMemory Daemon::memory() const {
  std::ifstream status("/proc/" + std::to_string(process_) + "/status");
  ProcessMemory memory;
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t kib = 0;
    words >> name >> kib;
    if (name == "VmRSS:") memory.resident_kib = kib;
    if (name == "VmHWM:") memory.peak_kib = kib;
    if (name == "RssAnon:") memory.own_kib = kib;
  }
  if (memory.resident_kib == 0) give_up_on("is gone");
  return memory;
}

double Daemon::processor_seconds() const {
  std::ifstream stat("/proc/" + std::to_string(process_) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(stat)), {});
  // The name of the program is in parentheses and may contain anything; state is the third field,
  // and the times of user and system are the 14th and the 15th.
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

void Daemon::stop() {
  ::kill(process_, SIGTERM);
  int status = 0;
  const Stopwatch watch;
  while (::waitpid(process_, &status, WNOHANG) == 0) {
    if (watch.seconds() > std::chrono::duration<double>(patience).count()) {
      give_up_on("does not stop");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::erase(running(), process_);
  process_ = 0;
  if (status != 0) give_up_on("did not end well");
}

}  // namespace pawl::bench
