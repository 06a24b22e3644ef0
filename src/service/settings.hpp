#pragma once

/// The settings of `pawl serve`: the file `.pawl/serve.yaml`. Its keys are described in
/// docs/reference/serve.md.

#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"
#include "pawl/workflow/diagnostic.hpp"
#include "service/access/address_range.hpp"
#include "service/http/server.hpp"

namespace pawl::service {

enum class SignInRule : std::uint8_t {
  required,  ///< with a token, a one-time code, or through a trusted proxy
  none,      ///< everybody is the local user; only on a loopback address, without a proxy
};

/// A reverse proxy that signs people in and says who they are in a header.
struct ProxySettings {
  /// Only these may say it, and what the address of the client is; the headers of others are
  /// ignored.
  std::vector<AddressRange> trusted;
  std::string user_header;  ///< "X-Forwarded-User"; empty: the proxy signs nobody in
  friend bool operator==(const ProxySettings&, const ProxySettings&) = default;
};

struct Settings {
  std::string listen = "127.0.0.1:7878";
  std::string public_url;  ///< "https://pawl.example.org/flows"; empty: only loopback names
  /// Absolute directories of files that may be submitted.
  std::vector<std::filesystem::path> workflows;
  SignInRule sign_in = SignInRule::required;
  ProxySettings proxy;
  Duration session_time = std::chrono::hours(12);  ///< how long a sign-in lasts
  ServerLimits limits;
  std::vector<Diagnostic> warnings;
};

inline constexpr Duration session_time_min = std::chrono::minutes(1);
inline constexpr Duration session_time_max = std::chrono::days(365);

/// Reads the text of the file; without any key, every setting has its default. Relative
/// directories are below `project`, which is absolute. Returns every fault, in the order of the
/// lines; `name` is the name of the file in them.
[[nodiscard]] std::expected<Settings, std::vector<Diagnostic>> read_settings(
    std::string_view text, const std::string& name, const std::filesystem::path& project);

/// `refused` if the service would be open to everybody on a network: without a sign-in on an
/// address that is not loopback, or behind a proxy. `invalid` if `listen` is not an address.
[[nodiscard]] Status check_safe(const Settings& settings);

}  // namespace pawl::service
