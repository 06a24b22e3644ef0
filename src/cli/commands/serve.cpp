/// `pawl serve`: the daemon: engine, HTTP API, live events.

#include <algorithm>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/project/settings_source.hpp"
#include "cli/work/systemd.hpp"
#include "cli/work/worker.hpp"
#include "core/joined.hpp"
#include "pawl/store/people.hpp"
#include "service/access/web_address.hpp"
#include "service/service.hpp"

namespace pawl::cli {
namespace {

struct ServeOptions {
  std::string listen;
  std::string public_url;
  std::string settings;
  std::string log;
  bool no_work = false;
  std::optional<std::uint32_t> parallel;
  std::string lease;
  bool keep_running = false;
  std::string file_quota;
};

constexpr Duration look_every = std::chrono::milliseconds(100);
constexpr std::chrono::milliseconds request_patience = std::chrono::seconds(10);

/// What the command line says replaces what the file says.
Status apply(const ServeOptions& options, service::Settings& settings) {
  if (!options.listen.empty()) settings.listen = options.listen;
  if (options.public_url.empty()) return {};
  const auto site = service::parse_web_address(options.public_url);
  if (!site) {
    return pawl::fail(
        ErrorCode::invalid,
        "--public-url: '" + printable(options.public_url) + "' is not the address of a site",
        "pass one such as https://pawl.example.org or https://example.org/flows");
  }
  settings.public_url = text_of(*site);
  return {};
}

/// The daemon while it runs.
class Daemon {
 public:
  Daemon(Session& session, const ServeOptions& options, const StopSignals& signals,
         service::Log& log, Worker& worker, service::Service& service)
      : session_(session),
        options_(options),
        signals_(signals),
        log_(log),
        worker_(worker),
        service_(service) {}

  int carry_out() {
    if (const Status started = worker_.start(); !started) return session_.fail(started.error());
    service_.start();
    log_.say(LogLevel::info, "listening on " + service_.address());
    if (const int shown = show_address(); shown != exit_done) return shown;
    notify_systemd("READY=1");
    while (goes_on()) worker_.show_remarks();
    notify_systemd("STOPPING=1");
    log_.say(LogLevel::info, "stopping");
    service_.stop(request_patience);
    if (!worker_.is_interrupted()) worker_.drain();
    while (worker_.engine().status().open_attempts > 0 && worker_.may_continue(look_every)) {
      worker_.show_remarks();
    }
    if (const Status stopped = worker_.stop(); !stopped) return session_.fail(stopped.error());
    log_.say(LogLevel::info, "stopped; nothing was lost");
    return exit_done;
  }

 private:
  /// Waits a moment. False when a signal says stop, or the engine cannot go on.
  bool goes_on() {
    const int signal = signals_.take(look_every);
    if (signal == SIGHUP) reload();
    return (signal == 0 || signal == SIGHUP) && !worker_.engine().status().fault;
  }

  void reload() {
    notify_systemd("RELOADING=1");
    take_over(read_settings_source(session_, options_.settings));
    notify_systemd("READY=1");
  }

  void take_over(const Result<SettingsSource>& source) {
    if (!source || !source->settings) {
      log_.say(LogLevel::error,
               "the settings stay as they were: " +
                   (source ? in_words(source->settings.error()) : source.error().text()));
      return;
    }
    service::Settings settings = *source->settings;
    if (const Status applied = apply(options_, settings); !applied) {
      log_.say(LogLevel::error, applied.error().text());
    }
    for (const Diagnostic& warning : settings.warnings) {
      log_.say(LogLevel::warning, in_words({warning}));
    }
    const std::vector<std::string> later = service_.reload(settings);
    log_.say(LogLevel::info, "the workflow files were read again");
    if (!later.empty()) {
      log_.say(LogLevel::warning, "these settings need a restart: " + joined(later));
    }
  }

  /// Where the service is, and where to sign in: with a one-time code if the local user is one of
  /// the people of the store, or if it has none.
  int show_address() {
    const std::string local = Session::local_actor().name;
    const Result<std::vector<Person>> people = worker_.engine().store().people().all();
    if (!people) return session_.fail(people.error());
    const bool may_sign_in =
        people->empty() || std::ranges::find(*people, local, &Person::name) != people->end();
    const std::string url = "http://" + service_.address() + "/";
    const std::string sign_in = may_sign_in ? service_.sign_in_url(local) : std::string();
    session_.present(
        {.document =
             [&] {
               return Json::object(
                   {{"url", url}, {"sign_in_url", sign_in.empty() ? Json() : Json(sign_in)}});
             },
         .text =
             [&] {
               if (!sign_in.empty()) return "sign in once, within 10 minutes:  " + sign_in + "\n";
               return "serving " + url + "; '" + printable(local) +
                      "' is not one of the people of this store, so sign in with a token: pawl "
                      "token create --name NAME\n";
             },
         .id = [&] { return url; }});
    *session_.streams().out << std::flush;
    return exit_done;
  }

  Session& session_;
  const ServeOptions& options_;
  const StopSignals& signals_;
  service::Log& log_;
  Worker& worker_;
  service::Service& service_;
};

LogLevel least_level(const Session& session) {
  if (session.globals().verbose) return LogLevel::debug;
  return session.output() == OutputMode::ids ? LogLevel::warning : LogLevel::info;
}

int serve(Session& session, const ServeOptions& options) {
  const StopSignals signals;
  const Result<std::uint32_t> parallel = parallel_from(options.parallel);
  if (!parallel) return session.fail(parallel.error());
  const Result<Duration> lease = lease_from(options.lease);
  if (!lease) return session.fail(lease.error());
  const Result<std::int64_t> file_quota = file_quota_from(options.file_quota);
  if (!file_quota) return session.fail(file_quota.error());
  const Result<SettingsSource> source = read_settings_source(session, options.settings);
  if (!source) return session.fail(source.error());
  std::optional<service::Settings> settings = settings_or_show(session, *source);
  if (!settings) return exit_usage;
  if (const Status applied = apply(options, *settings); !applied) {
    return session.fail(applied.error());
  }
  if (const Status safe = service::check_safe(*settings); !safe) {
    session.fail(safe.error());
    return exit_usage;
  }
  if (const Status fit = check_server(session); !fit) return session.fail(fit.error());
  const auto store = session.store_or_create(session.directory());
  if (!store) return session.fail(store.error());

  const bool is_json =
      options.log == "json" || (options.log.empty() && !session.streams().err_is_terminal);
  service::Log log(is_json ? service::LogForm::json : service::LogForm::text, least_level(session),
                   system_clock(),
                   [&](const std::string& line) { *session.streams().err << line << std::flush; });
  for (const Diagnostic& warning : settings->warnings) {
    log.say(LogLevel::warning, in_words({warning}));
  }
  Worker worker(session, *store, signals,
                {.name = "pawl serve",
                 .parallel = *parallel > 0 ? *parallel : std::max<std::uint32_t>(processors(), 8),
                 .lease = *lease,
                 .keep_running = options.keep_running,
                 .file_quota = *file_quota,
                 .claims = !options.no_work,
                 .log = [&](LogLevel level, const std::string& line) { log.say(level, line); }});
  if (const Status enlisted = worker.enlist(); !enlisted) return session.fail(enlisted.error());
  const Result<StorePlace> place = session.store_place();
  if (!place) return session.fail(place.error());
  const Result<std::filesystem::path> run_directory = session.run_directory();
  if (!run_directory) return session.fail(run_directory.error());
  const auto service =
      service::Service::open({.engine = worker.engine(),
                              .log = log,
                              .local_user = Session::local_actor().name,
                              .works = !options.no_work,
                              .store_kind = place->is_file() ? "sqlite" : "postgresql",
                              .run_directory = *run_directory,
                              .trusts_owner = session.trusts_owner(),
                              .is_dead = [&](WorkerId id) { return is_known_dead(*place, id); }},
                             *settings);
  if (!service) return session.fail(service.error());
  return Daemon(session, options, signals, log, worker, **service).carry_out();
}

}  // namespace

CommandEntry serve_command() {
  return command(
      "serve", "pawl serve --listen 127.0.0.1:7878",
      "Work on all jobs of the store, and serve the HTTP API and live events, until stopped.",
      &serve, [](ServeOptions& it) -> Words {
        return {
            option("--listen", &it.listen, "ADDRESS:PORT",
                   "Where to listen; default: `listen` of the settings, else 127.0.0.1:7878"),
            option("--public-url", &it.public_url, "URL",
                   "The address that browsers use; default: `public_url` of the settings"),
            option("--settings", &it.settings, "FILE",
                   "The settings; default: .pawl/serve.yaml of the project, if it exists"),
            flag("--no-work", it.no_work,
                 "Run no attempts; only serve, and look after what is due"),
            choice("--log", &it.log, {"text", "json"},
                   "The form of the log on stderr; default: text on a terminal, else json"),
            option("--parallel", &it.parallel, "N",
                   "Maximum attempts at the same time; default: the number of processors, at "
                   "least 8"),
            lease_option(it.lease),
            keep_running_flag(it.keep_running),
            file_quota_option(it.file_quota),
        };
      });
}

}  // namespace pawl::cli
