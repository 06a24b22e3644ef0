/// W7: the requests of each page of the dashboard on a large store, over one connection that is
/// kept, while the engine in the same process runs commands as fast as it can. Compared with the
/// same requests while it has nothing to do.

#include <chrono>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <thread>

#include "bench/daemon.hpp"
#include "bench/service_store.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::bench {

namespace {

/// A page: what it asks for, one request after the other, the n-th time.
struct Page {
  std::string name;
  std::function<std::vector<std::string>(std::int64_t n)> targets;
};

/// Neighbouring numbers are far apart; each comes again only after many others.
std::int64_t spread(std::int64_t n, std::int64_t count) { return 1 + n * 7'919 % count; }

std::vector<Page> pages_of(const ServiceStore& store) {
  using Targets = std::vector<std::string>;
  const std::string api = "/api/v1/";
  const auto always = [&](const std::string& target) {
    return [target](std::int64_t) { return Targets{target}; };
  };
  const auto item_id = [=](std::int64_t n) { return std::to_string(spread(n, store.items)); };
  const auto item = [=](std::int64_t n) { return api + "items/" + item_id(n); };
  const auto job_id = [=](std::int64_t n) { return std::to_string(1 + n % store.jobs); };
  const auto job = [=](std::int64_t n) { return api + "jobs/" + job_id(n); };
  // Somewhere in the last tenth of the job.
  const auto late_item = [=](std::int64_t n) {
    const std::int64_t each = store.items_of_a_job();
    return std::to_string((1 + n % store.jobs) * each - each / 10 + n % (each / 10));
  };
  const auto review = [=](std::int64_t n) {
    return api + "reviews/" + std::to_string(spread(n, store.reviews));
  };
  return {
      {"overview",
       [=](std::int64_t n) {
         return Targets{api + "overview", api + "jobs?limit=20", job(n) + "/stages"};
       }},
      {"jobs", always(api + "jobs")},
      {"job", [=](std::int64_t n) { return Targets{job(n), job(n) + "/stages"}; }},
      {"items", [=](std::int64_t n) { return Targets{job(n) + "/items"}; }},
      {"items, far down",
       [=](std::int64_t n) { return Targets{job(n) + "/items?after=" + late_item(n)}; }},
      {"item", [=](std::int64_t n) { return Targets{item(n)}; }},
      {"attempts", [=](std::int64_t n) { return Targets{item(n) + "/attempts"}; }},
      {"why", [=](std::int64_t n) { return Targets{item(n) + "/why"}; }},
      {"inbox", always(api + "reviews")},
      {"review", [=](std::int64_t n) { return Targets{review(n)}; }},
      {"dead letters", always(api + "dead-letters")},
      {"dead letters, groups", always(api + "dead-letters/groups")},
      {"events", always(api + "events?since=15m")},
      {"events of a job", [=](std::int64_t n) { return Targets{api + "events?job=" + job_id(n)}; }},
      {"events of an item",
       [=](std::int64_t n) { return Targets{api + "events?item=" + item_id(n)}; }},
      {"workers", always(api + "workers")},
      {"search",
       [=](std::int64_t n) {
         return Targets{api + "search?q=item-00000" + std::to_string(n % 10)};
       }},
      {"metrics", always("/metrics")},
  };
}

/// What the requests of a page took, in milliseconds, by round.
struct Times {
  std::vector<std::vector<double>> working;
  std::vector<std::vector<double>> idle;
  std::int64_t bytes = 0;  ///< of the last answers
};

class Visitor {
 public:
  Visitor(Daemon& daemon, const ServiceStore& store)
      : client_(daemon.client()), pages_(pages_of(store)), times_(pages_.size()) {}

  /// Loads every page so often, in turns.
  void visit(int loads, std::vector<std::vector<double>> Times::* into) {
    for (Times& times : times_) (times.*into).emplace_back();
    for (int load = 0; load < loads; ++load) {
      ++number_;
      for (std::size_t i = 0; i < pages_.size(); ++i) {
        (times_[i].*into).back().push_back(load_page(pages_[i], times_[i]));
      }
    }
  }

  [[nodiscard]] Lines lines() const {
    Lines lines;
    for (std::size_t i = 0; i < pages_.size(); ++i) lines.push_back(line_of(pages_[i], times_[i]));
    return lines;
  }

  [[nodiscard]] HttpClient& client() { return client_; }

 private:
  double load_page(const Page& page, Times& times) {
    double milliseconds = 0;
    times.bytes = 0;
    for (const std::string& target : page.targets(number_)) {
      const HttpAnswer answer = client_.get(target);
      if (answer.status != 200) {
        give_up(target + " was answered with " + std::to_string(answer.status) + ": " +
                answer.body);
      }
      milliseconds += answer.milliseconds;
      times.bytes += static_cast<std::int64_t>(answer.body.size());
    }
    return milliseconds;
  }

  static Line line_of(const Page& page, const Times& times) {
    constexpr double share = 0.95;
    Line line{.work = "W7 " + page.name,
              .figure = "p95 ms",
              .beside = "an idle engine",
              .bar = at_most(0, 50)};
    std::vector<double> all;
    for (const std::vector<double>& round : times.working) {
      line.ours.push_back(quantile(round, share));
      all.insert(all.end(), round.begin(), round.end());
    }
    for (const std::vector<double>& round : times.idle) {
      line.other.push_back(quantile(round, share));
    }
    std::ostringstream note;
    note << std::fixed << std::setprecision(2) << "p50 " << quantile(all, 0.5)
         << " ms, the slowest of " << all.size() << " " << quantile(all, 1) << " ms; "
         << std::setprecision(1) << static_cast<double>(times.bytes) / 1e3 << " kB";
    line.notes = {note.str()};
    return line;
  }

  HttpClient client_;
  std::vector<Page> pages_;
  std::vector<Times> times_;
  std::int64_t number_ = 0;
};

/// A job of commands that the daemon works on.
class Commands {
 public:
  Commands(HttpClient& client, JobId job)
      : client_(client), target_("/api/v1/jobs/" + std::to_string(job.value())) {
    while (attempts() == 0) pause();
  }
  [[nodiscard]] std::int64_t attempts() const {
    return must(field(client_.document(target_), "budget.attempts_used").integer(), "a job");
  }
  void must_have_work_left() const {
    const Json job = client_.document(target_);
    if (must(field(job, "items.active").integer(), "a job") == 0) {
      give_up("the engine ran out of work before the end of the requests");
    }
  }
  /// Pauses the job and lets the engine end what runs.
  void stop() const {
    if (client_.post(target_ + "/pause").status != 200) give_up("the job cannot be paused");
    for (int i = 0; i < 20; ++i) pause();
  }

 private:
  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

  HttpClient& client_;
  std::string target_;
};

Line memory_line(const Daemon& daemon) {
  const ProcessMemory memory = daemon.memory();
  return {.work = "W7 memory after all pages",
          .figure = "MB resident",
          .ours = {memory.megabytes()},
          .bar = at_most(0, 60),
          .notes = {"peak " + std::to_string(memory.peak_kib / 1'024) + " MiB; " +
                    std::to_string(memory.own_kib / 1'024) +
                    " MiB are its own, the rest is the program's file and the like"}};
}

}  // namespace

Lines w7_pages(const Plan& plan) {
  const int loads = plan.full ? 100 : 30;
  const std::int64_t commands = plan.full ? 200'000 : 50'000;
  const ServiceStore& store = service_store(plan);
  Daemon daemon(store.project);
  Visitor visitor(daemon, store);
  std::vector<double> rates;
  for (int round = 0; round < plan.rounds; ++round) {
    visitor.visit(loads, &Times::idle);
    const Commands work(visitor.client(), submit_commands(store.project, commands));
    const std::int64_t before = work.attempts();
    const Stopwatch watch;
    visitor.visit(loads, &Times::working);
    rates.push_back(static_cast<double>(work.attempts() - before) / watch.seconds());
    work.must_have_work_left();
    work.stop();
  }
  Lines lines = visitor.lines();
  lines.front().notes.push_back(
      count_text(store.items) + " items, " + count_text(store.attempts) + " attempts, " +
      std::to_string(store.reviews) + " reviews, " + std::to_string(store.dead_letters) +
      " dead letters; the engine ran " + std::to_string(std::llround(quantile(rates, 0.5))) +
      " commands a second meanwhile");
  lines.push_back(memory_line(daemon));
  daemon.stop();
  return lines;
}

}  // namespace pawl::bench
