#include "store/ledger/arrival_labels.hpp"

#include <string>
#include <utility>

#include "pawl/codec/json.hpp"

namespace pawl {

namespace {

constexpr std::string_view arriving_label = "pawl.arriving";
constexpr std::string_view moved_label = "pawl.moved";
constexpr std::string_view abandoned_label = "pawl.abandoned";
constexpr std::string_view arriving_start = R"({"pawl.arriving":)";

Json note_of(const std::string& export_id, JobId originals,
             const std::vector<std::int64_t>& shifts) {
  const std::vector<Json> numbers(shifts.begin(), shifts.end());
  std::vector<std::pair<std::string, Json>> note{{"export", export_id},
                                                 {"shifts", Json::array(numbers)}};
  if (originals) note.emplace_back("originals", originals.value());
  return Json::object(note);
}

std::int64_t integer_at(const Json& object, std::string_view key) {
  return JsonView(object)[key].integer().value_or(0);
}

std::string text_at(const Json& object, std::string_view key) {
  return JsonView(object)[key].string().value_or("");
}

}  // namespace

bool is_arriving(const Job& job) { return job.labels.text().starts_with(arriving_start); }

std::optional<Arriving> arrival_of(const Job& job) {
  if (!is_arriving(job)) return std::nullopt;
  const Json state = JsonView(job.labels)[arriving_label].json().value_or(Json{});
  Moved moved = move_of(job).value_or(Moved{});
  return Arriving{.job = job.id,
                  .originals = JobId{integer_at(state, "originals")},
                  .export_id = std::move(moved.export_id),
                  .shift = moved.shifts.empty() ? 0 : moved.shifts.front(),
                  .lines = integer_at(state, "lines"),
                  .shifts = std::move(moved.shifts),
                  .sha256 = text_at(state, "sha256"),
                  .first_ordinal = integer_at(state, "first"),
                  .last_ordinal = integer_at(state, "last")};
}

std::optional<Moved> move_of(const Job& job) {
  const Result<Json> state = JsonView(job.labels)[moved_label].json();
  if (!state) return std::nullopt;
  Moved moved{.export_id = text_at(*state, "export"),
              .originals = JobId{integer_at(*state, "originals")},
              .shifts = {}};
  for (const Json& one : elements(field(*state, "shifts"))) {
    moved.shifts.push_back(JsonView(one).integer().value_or(0));
  }
  return moved;
}

Json labels_after_moves(const std::vector<std::int64_t>& shifts) {
  return Json::object({{moved_label, note_of("", JobId{}, shifts)}});
}

Json labels_of_abandoned(const std::string& export_id) {
  return Json::object({{abandoned_label, Json::object({{"export", export_id}})}});
}

namespace store {

Json labels_of(const Arriving& at) {
  return Json::object({{arriving_label, Json::object({{"lines", at.lines},
                                                      {"originals", at.originals.value()},
                                                      {"sha256", at.sha256},
                                                      {"first", at.first_ordinal},
                                                      {"last", at.last_ordinal}})},
                       {moved_label, note_of(at.export_id, at.originals, at.shifts)}});
}

Json labels_after(const Job& as_it_was, const std::string& export_id, JobId originals,
                  const std::vector<std::int64_t>& shifts) {
  auto labels = members(as_it_was.labels);
  // A forged file cannot make claims about its own arrival.
  std::erase_if(labels, [](const auto& one) {
    return one.first == moved_label || one.first == arriving_label || one.first == abandoned_label;
  });
  labels.emplace_back(moved_label, note_of(export_id, originals, shifts));
  return Json::object(labels);
}

}  // namespace store

}  // namespace pawl
