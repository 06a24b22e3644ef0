#include "store/payload_names.hpp"

#include <array>

#include "pawl/codec/digest.hpp"

namespace pawl {
namespace {

struct Form {
  std::string_view before;
  bool is_output;
  bool is_certain;
};
/// How records name payloads: see `payload_reference`, file outputs and artifacts.
constexpr std::array forms{
    Form{R"("$ref":"sha256:)", true, true},
    Form{R"("$file":"sha256:)", false, true},
    Form{R"("ref":"sha256:)", false, true},
    Form{R"("sha256":")", false, false},
};

}  // namespace

std::vector<PayloadName> payloads_named_in(std::string_view json) {
  std::vector<PayloadName> found;
  for (std::size_t at = json.find("sha256"); at != std::string_view::npos;
       at = json.find("sha256", at + 1)) {
    for (const Form& form : forms) {
      const std::size_t lead = form.before.find("sha256");
      if (at < lead || !json.substr(at - lead).starts_with(form.before)) continue;
      const std::string_view digest =
          json.substr(at - lead + form.before.size(), sha256_hex_digits);
      if (is_sha256_hex(digest)) {
        found.push_back({.sha256 = std::string(digest),
                         .is_output = form.is_output,
                         .is_certain = form.is_certain});
      }
    }
  }
  return found;
}

}  // namespace pawl
