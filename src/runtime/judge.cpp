#include "runtime/judge.hpp"

#include <algorithm>
#include <utility>

namespace pawl::runtime {

namespace {

/// What every rejecting gate said, as one feedback: criteria side by side, guidance of the first
/// that gave one, or all of them by gate.
Feedback merged(const std::vector<const GateSay*>& rejections) {
  if (rejections.size() == 1) return rejections.front()->judgement.feedback;
  Feedback together;
  std::vector<std::pair<std::string, Json>> guidance;
  for (const GateSay* say : rejections) {
    const Feedback& one = say->judgement.feedback;
    together.summary += (together.summary.empty() ? "" : "; ") + say->gate + ": " + one.summary;
    together.criteria.insert(together.criteria.end(), one.criteria.begin(), one.criteria.end());
    if (!one.guidance.is_null()) guidance.emplace_back(say->gate, one.guidance);
  }
  if (!guidance.empty()) together.guidance = Json::object(guidance);
  return together;
}

std::vector<const GateSay*> those(const std::vector<GateSay>& says, Verdict verdict) {
  std::vector<const GateSay*> found;
  for (const GateSay& say : says) {
    if (say.judgement.verdict == verdict) found.push_back(&say);
  }
  return found;
}

std::string reasons(const std::vector<const GateSay*>& uncertain_ones) {
  std::string text;
  for (const GateSay* say : uncertain_ones) {
    text += (text.empty() ? "" : "; ") + say->judgement.reason;
  }
  return text;
}

/// Composed gates have no names; their place tells them apart.
std::vector<GateSay> ask(const std::vector<GateFunction>& gates, const GateContext& context,
                         std::stop_token stop) {
  std::vector<GateSay> says;
  for (const GateFunction& gate : gates) {
    says.push_back({.gate = std::to_string(says.size() + 1), .judgement = gate(context, stop)});
  }
  return says;
}

std::vector<Assessment> parts_of(const std::vector<GateSay>& says) {
  std::vector<Assessment> parts;
  for (const GateSay& say : says) parts.push_back(assessment_of(say.gate, say.judgement));
  return parts;
}

Judgement together(GateMode mode, const std::vector<GateSay>& says) {
  const auto rejections = those(says, Verdict::rejected);
  const auto doubts = those(says, Verdict::uncertain);
  const bool one_accepts = rejections.size() + doubts.size() < says.size();
  const bool is_accepted =
      mode == GateMode::all ? rejections.empty() && doubts.empty() : says.empty() || one_accepts;
  if (is_accepted) return accepted({.summary = summary_of(parts_of(says))});
  const bool is_rejected = mode == GateMode::all ? !rejections.empty() : doubts.empty();
  return is_rejected ? rejected(merged(rejections)) : uncertain(reasons(doubts));
}

}  // namespace

Judgement combine(GateMode mode, const std::vector<GateSay>& says) {
  Judgement one = together(mode, says);
  for (const GateSay& say : says) one.usage = one.usage + say.judgement.usage;
  one.parts = parts_of(says);
  return one;
}

}  // namespace pawl::runtime

namespace pawl {

GateFunction all_of(std::vector<GateFunction> gates) {
  return [gates = std::move(gates)](const GateContext& context, std::stop_token stop) {
    return runtime::combine(GateMode::all, runtime::ask(gates, context, stop));
  };
}

GateFunction any_of(std::vector<GateFunction> gates) {
  return [gates = std::move(gates)](const GateContext& context, std::stop_token stop) {
    return runtime::combine(GateMode::any, runtime::ask(gates, context, stop));
  };
}

}  // namespace pawl
