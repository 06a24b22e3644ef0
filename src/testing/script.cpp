#include "pawl/testing/script.hpp"

#include <stdexcept>

namespace pawl::testing {

namespace {

StageAnswer says(Outcome outcome) {
  return does([outcome = std::move(outcome)](Context&, const std::stop_token&) { return outcome; });
}

GateAnswer says(Judgement judgement) {
  return judges([judgement = std::move(judgement)](const GateContext&, const std::stop_token&) {
    return judgement;
  });
}

}  // namespace

StageAnswer succeeds() { return says(Output{}); }
StageAnswer succeeds(Members output) { return succeeds(Json::object(output)); }
StageAnswer fails(std::string message, std::string code) {
  return says(retryable(std::move(message), std::move(code)));
}
StageAnswer fails_for_good(std::string message, std::string code) {
  return says(final_error(std::move(message), std::move(code)));
}
StageAnswer is_rate_limited(std::string message, std::optional<Duration> retry_after) {
  return says(rate_limited(std::move(message), retry_after));
}
StageAnswer is_blocked(std::string message, Json needs) {
  return says(blocked(std::move(message), std::move(needs)));
}
StageAnswer skips(std::string why) { return says(Skip{.why = std::move(why)}); }
StageAnswer asks_for_review(Json output, std::string why) {
  return says(NeedsReview{.output = {.json = std::move(output)}, .why = std::move(why)});
}
StageAnswer fans_out(std::vector<NewChild> children) {
  return says(FanOut{.children = std::move(children), .summary = {}});
}
StageAnswer throws(std::string what) {
  return does([what = std::move(what)](Context&, const std::stop_token&) -> Outcome {
    throw std::runtime_error(what);
  });
}
StageAnswer hangs() { return {.how = StageAnswer::How::hangs, .does = {}}; }
StageAnswer ignores_its_stop() { return {.how = StageAnswer::How::ignores_stop, .does = {}}; }
StageAnswer crashes() { return {.how = StageAnswer::How::crashes, .does = {}}; }
StageAnswer does(StageFunction work) { return {.does = std::move(work)}; }

GateAnswer accepts(Feedback findings) { return says(accepted(std::move(findings))); }
GateAnswer rejects(std::string feedback) {
  return rejects(Feedback{.summary = std::move(feedback), .criteria = {}, .guidance = {}});
}
GateAnswer rejects(Feedback feedback) { return says(rejected(std::move(feedback))); }
GateAnswer is_uncertain(std::string reason) { return says(uncertain(std::move(reason))); }
GateAnswer breaks(std::string what) {
  return judges([what = std::move(what)](const GateContext&, const std::stop_token&) -> Judgement {
    throw std::runtime_error(what);
  });
}
GateAnswer judges(GateFunction gate) { return {.judges = std::move(gate)}; }

}  // namespace pawl::testing
