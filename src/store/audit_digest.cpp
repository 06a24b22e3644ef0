#include "codec/object_writer.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/store/audit.hpp"

namespace pawl {

std::string audit_digest(const AuditEntry& entry, std::string_view previous) {
  std::string text;
  {
    codec::ObjectWriter object(text);
    object.write("previous", previous);
    object.write("number", entry.number);
    object.write("at", entry.at);
    object.write("actor", entry.actor.name);
    object.write("kind", entry.actor.kind);
    object.write("method", entry.actor.method);
    object.write("address", entry.actor.address);
    object.write("act", entry.act);
    object.write("job", entry.job.value());
    object.write("target", entry.target);
    object.write("details", entry.details);
    object.write("reason", entry.reason);
    object.write("before", entry.before);
    object.write("after", entry.after);
    object.write("origin", entry.origin);
  }
  return sha256_hex(text);
}

}  // namespace pawl
