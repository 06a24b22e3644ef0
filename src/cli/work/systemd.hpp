#pragma once

/// Talks to systemd: the daemon is ready, reloading, stopping.

#include <string_view>

namespace pawl::cli {

/// Sends lines such as "READY=1" to the socket that NOTIFY_SOCKET names. Does nothing without it:
/// then nobody waits.
void notify_systemd(std::string_view state);

}  // namespace pawl::cli
