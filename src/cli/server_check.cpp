#include "cli/server_check.hpp"

#include "pawl/store/postgres.hpp"

namespace pawl::cli {

Status check_server(Session& session, const std::filesystem::path& fallback) {
  const Result<StorePlace> place = session.store_place(fallback);
  // If no store is named, opening it reports that.
  if (!place || place->is_file()) return {};
  const auto found = examine_postgres({.url = place->url});
  if (!found) return std::unexpected(found.error());
  Error faults{ErrorCode::refused, {}, {}};
  for (const PostgresFinding& one : *found) {
    if (one.health == PostgresFinding::Health::warning) {
      session.say("warning: " + one.text + "; " + one.help);
    }
    if (one.health != PostgresFinding::Health::failed) continue;
    faults.message += (faults.message.empty() ? "" : "; ") + one.text;
    faults.help += (faults.help.empty() ? "" : "; ") + one.help;
  }
  if (faults.message.empty()) return {};
  faults.message = "cannot work on this server: " + faults.message;
  return std::unexpected(std::move(faults));
}

}  // namespace pawl::cli
