#include "views/why.hpp"

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "views/wait_reason.hpp"

namespace pawl::cli {

using views::Reason;
using views::reason_document;
using views::Wait;

namespace {

Result<std::vector<Wait>> what_it_waits_for(Session& session, Records& records,
                                            const Address& address) {
  const Result<StorePlace> place = session.store_place();
  if (!place) return std::unexpected(place.error());
  const Times times = session.times();
  return views::waits_at(
      records, address,
      {.now = times.now,
       .time_text = [&](Timestamp time) { return times.of(time); },
       .is_dead = [&](WorkerId worker) { return is_known_dead(*place, worker); }});
}

std::string in_words(const std::vector<Reason>& reasons, Session& session) {
  const Times times = session.times();
  Table table({{"TIME"},
               {"STAGE", Table::Align::left, 40},
               {"WHAT HAPPENED", Table::Align::left, 90},
               {"RULE", Table::Align::left, 90}});
  for (const Reason& reason : reasons) {
    const std::string stage =
        reason.child.empty() ? reason.stage : reason.stage + "[" + reason.child + "]";
    table.add({times.of_entry(reason.at), stage, reason.trigger, reason.explanation});
  }
  return table.empty() ? "no decisions yet\n" : table.text(session.style());
}

int why(Session& session, const AddressText& asked) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Address> address = resolve(records, asked);
  if (!address) return session.fail(address.error());
  const Result<std::vector<Reason>> decisions = views::reasons_at(records, *address);
  if (!decisions) return session.fail(decisions.error());
  const std::vector<Reason>& reasons = *decisions;
  const Result<std::vector<Wait>> waits = what_it_waits_for(session, records, *address);
  if (!waits) return session.fail(waits.error());
  const std::string all_waits = views::in_words(*waits);
  std::vector<Json> wait_documents;
  for (const Wait& wait : *waits) wait_documents.push_back(views::wait_document(wait));

  Listing list(session, {.array = "decisions", .has_ids = false});
  for (const Reason& reason : reasons) {
    list.add({.document = [&] { return reason_document(reason); }});
  }
  return list.finish({.text = in_words(reasons, session) +
                              (all_waits.empty() ? "" : "waits for " + printable(all_waits) + "\n"),
                      .members = {{"waits_for", all_waits.empty() ? Json() : Json(all_waits)},
                                  {"waits", Json::array(wait_documents)}}});
}

}  // namespace

CommandEntry why_command() {
  return command("why", "pawl why doc-0419/convert",
                 "Print every decision about an item, with its rule.", &why,
                 [](AddressText& it) -> Words {
                   return {argument(&it.text, "ID[/STAGE]", "KEY, JOB/KEY or KEY/STAGE"),
                           job_of_key_option(it.job),
                           option("--stage", &it.stage, "STAGE", "Only this stage")};
                 });
}

}  // namespace pawl::cli
