/// The page for signing in.

#include <string>
#include <string_view>

#include "service/api/call.hpp"
#include "service/api/route.hpp"
#include "service/pages/pages.hpp"

namespace pawl::service {
namespace {

/// Nothing from elsewhere, no script in the page, no frame around it.
constexpr std::string_view page_policy =
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action "
    "'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

Result<Reply> page(std::string_view text, std::string_view type) {
  Response response{.status = 200, .headers = {}, .body = std::string(text)};
  response.headers.add("Content-Type", std::string(type) + "; charset=utf-8");
  response.headers.add("Content-Security-Policy", std::string(page_policy));
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

Result<Reply> show_sign_in(Call& /*call*/) { return page(pages.sign_in, "text/html"); }
Result<Reply> send_script(Call& /*call*/) { return page(pages.script, "text/javascript"); }
Result<Reply> send_style(Call& /*call*/) { return page(pages.style, "text/css"); }

Route page_route(std::string_view path, Handle handle, std::string_view operation,
                 std::string_view summary, std::string_view type) {
  return {.method = "GET",
          .path = path,
          .access = Access::open(),
          .handle = handle,
          .operation = operation,
          .tag = "pages",
          .summary = summary,
          .kind = ReplyKind::other,
          .content_type = type};
}

}  // namespace

std::vector<Route> page_routes() {
  return {
      page_route("/", &show_sign_in, "showSignIn", "The page for signing in.", "text/html"),
      page_route("/pages/sign_in.js", &send_script, "sendSignInScript", "The script of that page.",
                 "text/javascript"),
      page_route("/pages/style.css", &send_style, "sendStyle", "The style of the pages.",
                 "text/css"),
  };
}

}  // namespace pawl::service
