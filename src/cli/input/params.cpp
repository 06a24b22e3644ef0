#include "cli/input/params.hpp"

#include <map>
#include <set>

#include "cli/output/render.hpp"

namespace pawl::cli {

Result<Json> read_params(const std::vector<ParamSpec>& specs,
                         const std::vector<std::string>& texts) {
  std::map<std::string, std::string> given;
  std::set<std::string> misread;
  Error faults{ErrorCode::invalid, {}, {}};
  const auto note = [&](const std::string& message, const std::string& help) {
    if (!message.empty()) faults.message += (faults.message.empty() ? "" : "; ") + message;
    if (!help.empty()) faults.help += (faults.help.empty() ? "" : "; ") + help;
  };
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
      note("not a param: '" + printable(text) + "'",
           misread.empty() ? "pass --param name=value" : "");
      misread.insert(text);
    } else if (!given.emplace(text.substr(0, sign), text.substr(sign + 1)).second) {
      note("param '" + printable(text.substr(0, sign)) + "' is given twice", "");
    }
  }
  // A param without its `=` was reported above. Do not report its missing value as well.
  std::vector<ParamSpec> told = specs;
  std::erase_if(told, [&](const ParamSpec& param) { return misread.contains(param.name); });
  Result<Json> bound = bind_params(told, given);
  if (!bound) note(bound.error().message, bound.error().help);
  if (faults.message.empty()) return bound;
  return std::unexpected(std::move(faults));
}

}  // namespace pawl::cli
