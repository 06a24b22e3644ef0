#include "workflow/keys.hpp"

#include <array>

namespace pawl::workflow {
namespace {

constexpr KnownKey later(std::string_view name, std::string_view way_out) {
  return {name, "E016", "is not supported by this version of pawl", way_out};
}
constexpr KnownKey needs_serve(std::string_view name) {
  return {name, "E017", "needs `pawl serve`",
          "remove it; this version of pawl does not support it"};
}

constexpr std::string_view write_a_command = "use a command instead";
constexpr std::string_view select_elsewhere =
    "select the items with a command: items: { run: [command, …] }";

constexpr std::array<KnownKey, 10> file_keys{{{"version"},
                                              {"workflow"},
                                              {"description"},
                                              {"params"},
                                              {"items"},
                                              {"job"},
                                              {"defaults"},
                                              {"handlers"},
                                              {"stages"},
                                              needs_serve("notify")}};
constexpr std::array<KnownKey, 3> defaults_keys{{{"timeout"}, {"retry"}, {"on_failure"}}};
constexpr std::array<KnownKey, 3> job_keys{{{"parallel"}, {"tolerate_failures"}, {"budget"}}};
constexpr std::array<KnownKey, 6> budget_keys{
    {{"cost_usd"}, {"tokens"}, {"attempts"}, {"deadline"}, {"no_progress"}, {"exhausted"}}};
constexpr std::array<KnownKey, 12> items_keys{{{"glob"},
                                               {"file"},
                                               {"run"},
                                               {"tasks"},
                                               {"id"},
                                               {"category"},
                                               {"path"},
                                               {"offset"},
                                               {"limit"},
                                               later("filter", select_elsewhere),
                                               later("sort", select_elsewhere),
                                               later("distinct", select_elsewhere)}};
constexpr std::array<KnownKey, 3> param_keys{{{"type"}, {"default"}, {"description"}}};
constexpr std::array<KnownKey, 26> stage_keys{
    {{"description"},
     {"needs"},
     {"scope"},
     {"run"},
     {"sh"},
     {"in"},
     {"out"},
     {"capture"},
     {"env"},
     {"dir"},
     {"secrets"},
     {"timeout"},
     {"retry"},
     {"exit_codes"},
     {"gates"},
     {"when"},
     {"each"},
     {"tolerate_failures"},
     {"refine"},
     {"review"},
     {"on_failure"},
     {"limits"},
     later("http", write_a_command),
     later("agent", write_a_command),
     later("worker", write_a_command),
     later("budget", "set a budget for the job instead: job: { budget: { … } }")}};
constexpr std::array<KnownKey, 2> retry_keys{{{"attempts"}, {"backoff"}}};
constexpr std::array<KnownKey, 4> backoff_keys{{{"from"}, {"to"}, {"factor"}, {"jitter"}}};
constexpr std::array<KnownKey, 2> exit_codes_keys{{{"retryable"}, {"final"}}};
constexpr std::array<KnownKey, 2> each_keys{{{"list"}, {"id"}}};
constexpr std::array<KnownKey, 11> gate_keys{{{"name"},
                                              {"expect"},
                                              {"run"},
                                              {"schema"},
                                              {"all"},
                                              {"any"},
                                              {"at_least"},
                                              {"advisory"},
                                              {"timeout"},
                                              {"on_uncertain"},
                                              later("agent", write_a_command)}};
constexpr std::array<KnownKey, 8> gate_part_keys{{{"name"},
                                                  {"expect"},
                                                  {"run"},
                                                  {"schema"},
                                                  {"all"},
                                                  {"any"},
                                                  {"at_least"},
                                                  later("agent", write_a_command)}};
constexpr std::array<KnownKey, 9> expectation_keys{{{"equals"},
                                                    {"not_equals"},
                                                    {"at_least"},
                                                    {"at_most"},
                                                    {"one_of"},
                                                    {"matches"},
                                                    {"min_length"},
                                                    {"max_length"},
                                                    {"present"}}};
constexpr std::array<KnownKey, 3> refine_keys{{{"attempts"}, {"delay"}, {"exhausted"}}};
constexpr std::array<KnownKey, 14> review_keys{{{"when"},
                                                {"editable"},
                                                {"show"},
                                                {"rejected"},
                                                {"changes_rerun"},
                                                {"instructions"},
                                                {"assign"},
                                                {"approvals"},
                                                {"self_approval"},
                                                {"due"},
                                                {"overdue"},
                                                {"escalate_to"},
                                                {"bulk"},
                                                {"reasons"}}};
constexpr std::array<KnownKey, 2> show_keys{{{"main"}, {"beside"}}};
constexpr std::array<KnownKey, 3> limits_keys{{{"pool"}, {"parallel"}, {"rate"}}};

}  // namespace

std::span<const KnownKey> keys_of(KeyPlace place) {
  switch (place) {
    case KeyPlace::file:
      return file_keys;
    case KeyPlace::defaults:
      return defaults_keys;
    case KeyPlace::job:
      return job_keys;
    case KeyPlace::budget:
      return budget_keys;
    case KeyPlace::items:
      return items_keys;
    case KeyPlace::param:
      return param_keys;
    case KeyPlace::stage:
      return stage_keys;
    case KeyPlace::retry:
      return retry_keys;
    case KeyPlace::backoff:
      return backoff_keys;
    case KeyPlace::exit_codes:
      return exit_codes_keys;
    case KeyPlace::each:
      return each_keys;
    case KeyPlace::gate:
      return gate_keys;
    case KeyPlace::gate_part:
      return gate_part_keys;
    case KeyPlace::expectation:
      return expectation_keys;
    case KeyPlace::refine:
      return refine_keys;
    case KeyPlace::review:
      return review_keys;
    case KeyPlace::show:
      return show_keys;
    case KeyPlace::limits:
      return limits_keys;
  }
  return {};
}

std::vector<std::string> honoured_keys(KeyPlace place) { return honoured_keys(keys_of(place)); }

std::vector<std::string> honoured_keys(std::span<const KnownKey> keys) {
  std::vector<std::string> names;
  for (const KnownKey& key : keys) {
    if (key.is_honoured()) names.emplace_back(key.name);
  }
  return names;
}

}  // namespace pawl::workflow
