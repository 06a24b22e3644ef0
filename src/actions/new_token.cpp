#include "actions/new_token.hpp"

#include <optional>
#include <utility>

#include "pawl/codec/names.hpp"
#include "pawl/core/permission.hpp"
#include "pawl/core/text.hpp"
#include "text/durations.hpp"

namespace pawl::actions {
namespace {

/// Collects faults, to report them at once.
class Faults {
 public:
  void add(const std::string& message, const std::string& help) {
    error_.message += (error_.message.empty() ? "" : "; ") + message;
    error_.help += (error_.help.empty() ? "" : "; ") + help;
  }
  [[nodiscard]] bool is_empty() const { return error_.message.empty(); }
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_{.code = ErrorCode::invalid, .message = {}, .help = {}};
};

/// The time at which the token expires; none: never.
Timestamp read_expiry(Faults& faults, const std::string& expires, const TokenFieldNames& names,
                      Timestamp now) {
  if (expires.empty()) return no_time;
  const std::string field(names.expires);
  const std::optional<Duration> lasting = text::parse_duration_sum(expires);
  if (lasting && *lasting > Duration::zero()) return now + *lasting;
  const std::string quoted = "\"" + valid_text(expires) + "\"";
  if (lasting) {
    faults.add(field + " must be longer than 0s", "pass a duration such as 90d");
  } else if (text::is_too_long_a_duration(expires)) {
    faults.add(field + ": " + quoted + " is too long for a duration",
               "use at most 285 years: 104000d");
  } else {
    faults.add(field + ": " + quoted + " is not a duration",
               "write a number and a unit: 12h, 30d, 90d");
  }
  return no_time;
}

Result<TokenRecord> record_of(const TokenRequest& request, const TokenFieldNames& names,
                              Timestamp now) {
  TokenRecord record{.name = request.name,
                     .kind = request.kind,
                     .role = request.role,
                     .worker_kinds = request.worker_kinds,
                     .note = request.note};
  Faults faults;
  if (const Status good = check_name(name_of(request.kind), request.name); !good) {
    faults.add(good.error().message, good.error().help);
  }
  if (!request.worker_kinds.empty() && request.kind != ActorKind::worker) {
    faults.add(std::string(names.worker_kinds) + " is only for the token of a worker",
               "leave it out, or make the token one of a worker");
  }
  record.expires_at = read_expiry(faults, request.expires, names, now);
  if (!faults.is_empty()) return std::unexpected(faults.error());
  return record;
}

}  // namespace

Result<NewToken> create_token(Store& store, const TokenRequest& request, const Actor& actor,
                              const TokenFieldNames& names) {
  Result<TokenRecord> record = record_of(request, names, store.now());
  if (!record) return std::unexpected(record.error());
  Secret secret = make_secret();
  record->sha256 = secret.sha256;
  People& people = store.people();
  const Status created = people.change(CreateToken{.token = *record}, actor);
  if (!created) return std::unexpected(created.error());
  Result<TokenRecord> stored = people.token(secret.sha256);
  if (!stored) return std::unexpected(stored.error());
  return NewToken{.record = *std::move(stored), .secret = std::move(secret.text)};
}

}  // namespace pawl::actions
