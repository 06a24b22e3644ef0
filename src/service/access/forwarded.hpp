#pragma once

/// The addresses that reverse proxies write into the fields `X-Forwarded-For` and `Forwarded`.

#include <string>
#include <vector>

#include "service/http/message.hpp"

namespace pawl::service {

/// The addresses that a request passed through, the client's first, in their usual form. Read from
/// `X-Forwarded-For`, or from `Forwarded` if there is no such field. An entry that is not an
/// address is empty.
[[nodiscard]] std::vector<std::string> forwarded_addresses(const Request& request);

/// Whether a proxy has passed the request on.
[[nodiscard]] bool is_forwarded(const Request& request);

}  // namespace pawl::service
