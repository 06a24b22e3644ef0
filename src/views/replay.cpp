#include "pawl/store/replay.hpp"

#include "pawl/codec/names.hpp"
#include "pawl/views/documents.hpp"
#include "views/document_writer.hpp"

namespace pawl {

using namespace views;

namespace {

Json decision_document(const Decision& decision, const std::string& in_words) {
  const bool waits = decision.kind == DecisionKind::retry;
  return Json::object({{"decision", name_of(decision.kind)},
                       {"rule", name_of(decision.rule)},
                       {"explanation", in_words},
                       {"next_run_at", waits ? Json(rfc3339(decision.next_run_at)) : Json()}});
}

}  // namespace

Json replay_document(const Replay& replay) {
  std::vector<Json> differences;
  for (const ReplayDifference& one : replay.differences) {
    differences.push_back(
        Json::object({{"item", name_or_null(one.item)},
                      {"child", name_or_null(one.child)},
                      {"stage", one.stage},
                      {"attempt_number", one.attempt},
                      {"then", decision_document(one.then, one.then_in_words)},
                      {"today", decision_document(one.today, one.today_in_words)}}));
  }
  std::vector<Json> gone;
  for (const StageGone& one : replay.stages_gone) {
    gone.push_back(Json::object({{"stage", one.stage}, {"decisions", one.decisions}}));
  }
  std::vector<Json> fresh;
  for (const std::string& stage : replay.stages_new) fresh.emplace_back(stage);
  return Json::object({{"same", replay.same()},
                       {"job", replay.job.value()},
                       {"decisions", replay.decisions},
                       {"not_checked", replay.not_checked},
                       {"not_reached", replay.not_reached},
                       {"difference_count", replay.difference_count},
                       {"differences", Json::array(differences)},
                       {"stages_gone", Json::array(gone)},
                       {"stages_new", Json::array(fresh)}});
}

}  // namespace pawl
