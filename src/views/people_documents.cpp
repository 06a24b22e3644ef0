/// The documents of people, tokens and the audit trail.

#include <string>
#include <utility>

#include "pawl/store/audit.hpp"
#include "pawl/store/people.hpp"
#include "pawl/store/records.hpp"
#include "pawl/views/documents.hpp"
#include "views/document_writer.hpp"

namespace pawl {

using namespace views;
using codec::ObjectWriter;

Json person_document(const Person& person) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("name", person.name);
    object.write("role", person.role);
    object.write("groups", person.groups);
    write_time(object, "added_at", person.added_at);
  }
  return Json::trusted(std::move(out));
}

Json token_document(const TokenRecord& token) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("token", token.number);
    object.write("name", token.name);
    object.write("kind", token.kind);
    object.write("role", token.role);
    object.write("worker_kinds", token.worker_kinds);
    write_name(object, "note", token.note);
    write_time(object, "created_at", token.created_at);
    write_time(object, "expires_at", token.expires_at);
    write_time(object, "revoked_at", token.revoked_at);
    write_time(object, "used_at", token.used_at);
  }
  return Json::trusted(std::move(out));
}

Json audit_document(const AuditEntry& entry) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("number", entry.number);
    write_time(object, "at", entry.at);
    write_name(object, "by", entry.actor.name);
    object.write("kind", entry.actor.kind);
    object.write("method", entry.actor.method);
    write_name(object, "address", entry.actor.address);
    object.write("act", entry.act);
    object.write("job", entry.job ? Json{entry.job.value()} : Json{});
    write_name(object, "target", entry.target);
    write_name(object, "details", entry.details);
    write_name(object, "reason", entry.reason);
    write_name(object, "before", entry.before);
    write_name(object, "after", entry.after);
    write_name(object, "origin", entry.origin);
    object.write("digest", entry.digest);
  }
  return Json::trusted(std::move(out));
}

Json audit_check_document(const AuditCheck& check) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("ok", check.faults.empty());
    object.write("entries", check.entries);
    write_name(object, "head", check.head);
    object.write("faults", check.faults);
  }
  return Json::trusted(std::move(out));
}

Json tally_document(const Tally& tally) {
  return Json::object({{"count", tally.count}, {"is_more", tally.is_more}});
}

}  // namespace pawl
