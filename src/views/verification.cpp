#include <algorithm>

#include "pawl/store/invariants.hpp"
#include "pawl/store/verify.hpp"
#include "pawl/views/documents.hpp"
#include "views/document_writer.hpp"

namespace pawl {

using namespace views;

namespace {

/// The promises that are broken, in the order of the table.
Json explanations(const Verification& verification) {
  std::vector<std::pair<std::string, Json>> broken;
  for (const Invariant& one : invariants()) {
    const bool is_broken = std::ranges::any_of(
        verification.violations,
        [&](const Violation& violation) { return violation.invariant == one.id; });
    if (!is_broken) continue;
    broken.emplace_back(std::string(one.id), Json::object({{"promise", std::string(one.promise)},
                                                           {"meaning", std::string(one.meaning)},
                                                           {"way_out", std::string(one.way_out)}}));
  }
  return Json::object(broken);
}

}  // namespace

Json verification_document(const Verification& verification) {
  const auto id_or_null = [](auto id) { return id ? Json(id.value()) : Json(); };
  std::vector<Json> violations;
  for (const Violation& violation : verification.violations) {
    violations.push_back(Json::object({{"invariant", violation.invariant},
                                       {"message", violation.message},
                                       {"job", id_or_null(violation.job)},
                                       {"item", id_or_null(violation.item)},
                                       {"item_key", name_or_null(violation.item_key)},
                                       {"task", id_or_null(violation.task)},
                                       {"stage", name_or_null(violation.stage)}}));
  }
  const auto ids = [](const std::vector<JobId>& jobs) {
    std::vector<Json> list;
    for (const JobId job : jobs) list.emplace_back(job.value());
    return Json::array(list);
  };
  return Json::object({{"ok", verification.ok()},
                       {"complete", verification.is_complete()},
                       {"checked", Json::object({{"jobs", verification.jobs},
                                                 {"items", verification.items},
                                                 {"tasks", verification.tasks},
                                                 {"attempts", verification.attempts},
                                                 {"reviews", verification.reviews},
                                                 {"events", verification.events},
                                                 {"payloads", verification.payloads},
                                                 {"payload_bytes", verification.payload_bytes},
                                                 {"pools", verification.pools}})},
                       {"decisions_not_checked", verification.decisions_not_checked},
                       {"jobs_without_log", verification.jobs_without_log},
                       {"pools_not_judged", verification.pools_not_judged},
                       {"in_motion", ids(verification.in_motion)},
                       {"arriving", ids(verification.arriving)},
                       {"violation_count", verification.violation_count},
                       {"violations", Json::array(violations)},
                       {"explained", explanations(verification)}});
}

}  // namespace pawl
