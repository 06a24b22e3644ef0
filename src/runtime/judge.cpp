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

/// Gates without names are known by their position.
std::vector<NamedGate> numbered(std::vector<GateFunction> gates) {
  std::vector<NamedGate> named;
  for (GateFunction& gate : gates) {
    named.push_back({.name = std::to_string(named.size() + 1), .judge = std::move(gate)});
  }
  return named;
}

std::vector<GateSay> ask(const std::vector<NamedGate>& gates, const GateContext& context,
                         const std::stop_token& stop) {
  std::vector<GateSay> says;
  for (const NamedGate& gate : gates) {
    says.push_back({.gate = gate.name, .judgement = gate.judge(context, stop)});
  }
  return says;
}

std::vector<Assessment> parts_of(const std::vector<GateSay>& says) {
  std::vector<Assessment> parts;
  for (const GateSay& say : says) parts.push_back(assessment_of(say.gate, say.judgement));
  return parts;
}

std::size_t needed_by(GateMode mode, std::size_t gates) {
  return mode == GateMode::all ? gates : std::min<std::size_t>(1, gates);
}

Judgement together(std::size_t needed, const std::vector<GateSay>& says) {
  const auto rejections = those(says, Verdict::rejected);
  const auto doubts = those(says, Verdict::uncertain);
  const std::size_t acceptances = says.size() - rejections.size() - doubts.size();
  if (acceptances >= needed) return accepted({.summary = summary_of(parts_of(says))});
  const bool is_rejected = acceptances + doubts.size() < needed;
  return is_rejected ? rejected(merged(rejections)) : uncertain(reasons(doubts));
}

}  // namespace

Judgement combine(std::size_t needed, const std::vector<GateSay>& says) {
  Judgement one = together(needed, says);
  for (const GateSay& say : says) one.usage = one.usage + say.judgement.usage;
  one.parts = parts_of(says);
  return one;
}

Judgement combine(GateMode mode, const std::vector<GateSay>& says) {
  return combine(needed_by(mode, says.size()), says);
}

}  // namespace pawl::runtime

namespace pawl {

GateFunction all_of(std::vector<GateFunction> gates) {
  const std::size_t needed = runtime::needed_by(GateMode::all, gates.size());
  return at_least(needed, runtime::numbered(std::move(gates)));
}

GateFunction any_of(std::vector<GateFunction> gates) {
  const std::size_t needed = runtime::needed_by(GateMode::any, gates.size());
  return at_least(needed, runtime::numbered(std::move(gates)));
}

GateFunction at_least(std::size_t count, std::vector<NamedGate> gates) {
  return
      [count, gates = std::move(gates)](const GateContext& context, const std::stop_token& stop) {
        return runtime::combine(count, runtime::ask(gates, context, stop));
      };
}

}  // namespace pawl
