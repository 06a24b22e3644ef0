#pragma once

/// The daemon beside an engine: HTTP, sign-in, the API and live events, put together.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "pawl/runtime/engine.hpp"
#include "service/log.hpp"
#include "service/settings.hpp"

namespace pawl::service {

/// What the service works on. All of it must outlive the service.
struct ServiceParts {
  Engine& engine;
  Log& log;
  std::string local_user;                    ///< who everybody is if no sign-in is needed
  bool works = true;                         ///< whether the engine runs stages
  std::string store_kind = {};               ///< "sqlite" or "postgresql"
  std::filesystem::path run_directory = {};  ///< where the workers of this machine are tracked
  bool trusts_owner = false;                 ///< uses paths that others can write to
  /// Whether the process of a worker is known to have died; none: nobody knows.
  std::function<bool(WorkerId)> is_dead = {};
};

class Service {
 public:
  /// Binds the address and reads the workflow files. Answers nothing before `start`. `invalid` or
  /// `unavailable` for an address that cannot be used, `refused` for unsafe settings.
  [[nodiscard]] static Result<std::unique_ptr<Service>> open(const ServiceParts& parts,
                                                             const Settings& settings);
  virtual ~Service() = default;

  virtual void start() = 0;
  /// Takes over the workflow directories of these settings. The others need a restart; returns
  /// the names of those that differ.
  virtual std::vector<std::string> reload(const Settings& settings) = 0;
  /// From now on `/readyz` answers 503, streams end, and nothing new is accepted. Returns when
  /// every request was answered, or after this time.
  virtual void stop(std::chrono::milliseconds patience) = 0;

  /// "127.0.0.1:7878", with the real port.
  [[nodiscard]] virtual std::string address() const = 0;
  /// An address that signs this person in, once and within ten minutes.
  [[nodiscard]] virtual std::string sign_in_url(const std::string& person) = 0;
};

}  // namespace pawl::service
