#include "workflow/settings_codes.hpp"

#include <array>

namespace pawl::workflow {
namespace {

// Sorted by code. A code never changes its meaning; the number of a removed code is not reused.
constexpr auto stories = std::to_array<CodeStory>({
    {"E101", "not an address to listen on",
     R"(`pawl serve` listens on an IP address of this machine and a port. An IPv6 address stands in
brackets, and needs quotes in YAML. Port 0 takes a free port.

wrong:  listen: localhost
right:  listen: 127.0.0.1:7878

wrong:  listen: [::1]:7878
right:  listen: "[::1]:7878"
)"},
    {"E102", "not the address of a web site",
     R"(`public_url` is what people type into their browser: http or https, a host, and if need be a port
and a path below which a reverse proxy passes requests on. It has no user, no query and no fragment.

wrong:  public_url: pawl.example.org
right:  public_url: https://pawl.example.org

wrong:  public_url: https://example.org/pawl?page=1
right:  public_url: https://example.org/pawl
)"},
    {"E103", "not a range of IP addresses",
     R"(A trusted proxy is named by its IP address, or by a range: an address, a slash and the number of
bits that all addresses of the range share. The other bits are zero. Host names are not looked up. A
range of all addresses would trust everybody.

wrong:  trusted: [proxy.example.org, 10.1.2.3/8]
right:  trusted: [192.0.2.7, 10.0.0.0/8]
)"},
    {"E104", "not the name of a header field that a proxy can set",
     R"(`user_header` is the name of the field in which the reverse proxy says who has signed in. The
proxy must remove this field from what clients send. Fields with a meaning of their own, such as
Host, Cookie or Authorization, cannot be used.

wrong:  user_header: "X-Forwarded-User:"
right:  user_header: X-Forwarded-User
)"},
    {"E105", "a user header without trusted proxies",
     R"(Anyone can send a header field. `user_header` is believed only if the request comes from an
address under `trusted`, so without `trusted` nobody could ever sign in with it.

wrong:  proxy: { user_header: X-Forwarded-User }
right:  proxy: { trusted: [127.0.0.1], user_header: X-Forwarded-User }
)"},
    {"E106", "open to everybody on a network",
     R"(With `sign_in: none` everybody who reaches the service is the local user, who may do everything,
and submitting a job runs code. This is only for a loopback address that no reverse proxy passes
on: `pawl serve` refuses to start otherwise.

wrong:  listen: 0.0.0.0:7878
        sign_in: none
right:  listen: 0.0.0.0:7878
        sign_in: required
)"},
    {"W101", "missing directory of workflows",
     R"(The directory does not exist now, or is not a directory, so none of its workflows can be
submitted. This is only a warning: it may be created later. A relative path begins at the
project, the directory that contains `.pawl`.

wrong:  workflows: [flow]
right:  workflows: [flows]
)"},
    {"W102", "no name under which others reach the service",
     R"(The service listens on a network, but answers only requests that name a loopback address, such as
127.0.0.1, or the host of `public_url`. Without `public_url` every request from another machine
gets the status 421. This prevents pages of other sites from reaching the service under their name.

wrong:  listen: 0.0.0.0:7878
right:  listen: 0.0.0.0:7878
        public_url: http://pawl.example.org:7878
)"},
});

}  // namespace

std::span<const CodeStory> settings_codes() { return stories; }

}  // namespace pawl::workflow
