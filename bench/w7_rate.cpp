/// W7: how many requests a second `wrk` gets answered, on several connections at once. Compared
/// with a server that answers as many bytes and does nothing for them.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "bench/daemon.hpp"
#include "bench/limit_http.hpp"
#include "bench/service_store.hpp"

namespace pawl::bench {

namespace {

constexpr int connections = 16;
const std::string target = "/api/v1/jobs";

/// The number after a word in what `wrk` prints.
double number_after(const std::string& text, const std::string& word) {
  const std::size_t place = text.find(word);
  return place == std::string::npos ? 0 : std::atof(text.c_str() + place + word.size());
}

/// The requests per second that `wrk` counts.
double wrk(const std::string& address, const std::string& cookie, int seconds) {
  const std::string command = "wrk -t1 -c" + std::to_string(connections) + " -d" +
                              std::to_string(seconds) + "s -H 'Cookie: " + cookie + "' 'http://" +
                              address + target + "' 2>&1";
  std::FILE* const output = ::popen(command.c_str(), "r");
  if (output == nullptr) give_up("wrk could not be started");
  std::string text;
  std::array<char, 1'024> some;
  while (std::fgets(some.data(), some.size(), output) != nullptr) text += some.data();
  const int status = ::pclose(output);
  const double rate = number_after(text, "Requests/sec:");
  if (status != 0 || rate <= 0) {
    give_up("wrk, of Debian's package of that name, failed: " + text);
  }
  if (text.contains("Non-2xx") || text.contains("Socket errors")) {
    give_up("wrk was refused: " + text);
  }
  return rate;
}

}  // namespace

Lines w7_rate(const Plan& plan) {
  const int seconds = plan.full ? 4 : 1;
  const ServiceStore& store = service_store(plan);
  Daemon daemon(store.project);
  const std::size_t bytes = daemon.client().get(target).body.size();
  const LimitHttp limit(bytes);
  Line line{.work = "W7 rate of wrk", .figure = "requests/s", .beside = "limit_http"};
  double processor = 0;
  for (int round = 0; round < plan.rounds; ++round) {
    line.other.push_back(wrk(limit.address(), "none=none", seconds));
    const double before = daemon.processor_seconds();
    line.ours.push_back(wrk(daemon.address(), daemon.cookie(), seconds));
    processor = (daemon.processor_seconds() - before) / seconds;
  }
  line.notes = {"GET " + target + ", " + std::to_string(bytes) + " bytes, " +
                std::to_string(connections) + " connections; the daemon used " +
                std::to_string(std::lround(100 * processor)) + " % of a processor"};
  daemon.stop();
  return {line};
}

}  // namespace pawl::bench
