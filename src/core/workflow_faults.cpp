#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/review_faults.hpp"
#include "core/workflow_cycles.hpp"
#include "pawl/core/text.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {
namespace {

constexpr std::size_t name_bytes_max = 200;
constexpr std::size_t needs_max = 64;

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Collects the faults of one definition; each check is one function.
class Faults {
 public:
  explicit Faults(const WorkflowDefinition& definition) : definition_(definition) {
    for (std::size_t i = 0; i < definition.stages.size(); ++i) {
      places_.emplace(definition.stages[i].name, i);
      names_.push_back(definition.stages[i].name);
    }
    for (const StageDefinition& stage : definition.stages) {
      std::vector<std::size_t> needs;
      for (const std::string& name : stage.needs) {
        if (const auto need = places_.find(name); need != places_.end()) {
          needs.push_back(need->second);
        }
      }
      graph_.push_back(std::move(needs));
    }
  }

  std::vector<Error> all() && {
    check_name("the workflow", definition_.name);
    check_size();
    for (std::size_t i = 0; i < definition_.stages.size(); ++i) {
      const StageDefinition& stage = definition_.stages[i];
      check_identity(stage, i);
      check_texts(stage);
      check_needs(stage);
      check_work(stage);
      check_attempts(stage);
      check_durations(stage);
      check_backoff(stage);
      check_gates(stage);
      check_changes_rerun(stage, i);
      check_rejected(stage);
      check_review_rules(stage);
      check_tolerance(stage);
      check_pool(stage);
    }
    check_cycles();
    return std::move(found_);
  }

 private:
  void add(std::string message, std::string help = {}) {
    found_.push_back({ErrorCode::invalid, std::move(message), std::move(help)});
  }
  void add(const StageDefinition& stage, const std::string& what, std::string help = {}) {
    add("stage " + in_quotes(stage.name) + ": " + what, std::move(help));
  }

  void check_name(const std::string& whose, const std::string& name) {
    if (name.empty()) {
      add(whose + " has no name");
    } else if (name.size() > name_bytes_max) {
      add(whose + ": the name " + in_quotes(name.substr(0, 20) + "…") + " has " +
              std::to_string(name.size()) + " bytes",
          "at most 200 bytes are allowed");
    }
    const bool has_control = std::ranges::any_of(name, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < 0x20 || byte == 0x7F;
    });
    if (has_control) add(whose + ": the name contains a control character");
    if (!has_control && !is_valid_text(name)) {
      add(whose + ": the name " + in_quotes(valid_text(name)) + " is not UTF-8");
    }
    if (name.find('/') != std::string::npos)
      add(whose + ": the name " + in_quotes(name) + " contains a '/'");
  }

  void check_size() {
    if (definition_.stages.empty())
      add("workflow " + in_quotes(definition_.name) + " has no stages");
    if (definition_.stages.size() > stages_max) {
      add("workflow " + in_quotes(definition_.name) + " has " +
              std::to_string(definition_.stages.size()) + " stages",
          "at most " + std::to_string(stages_max) + " are allowed");
    }
  }

  void check_identity(const StageDefinition& stage, std::size_t place) {
    check_name("stage " + std::to_string(place + 1), stage.name);
    if (places_.at(stage.name) != place) add(stage, "is defined twice");
  }

  /// These texts are compared and stored as they are, so an invalid one is refused, not repaired.
  void check_texts(const StageDefinition& stage) {
    const auto check = [&](const char* what, const std::string& text) {
      if (!is_valid_text(text)) {
        add(stage,
            std::string(what) + " " + in_quotes(valid_text(text)) + " is not UTF-8 without NUL");
      }
    };
    check("the handler", stage.handler);
    check("the decider", stage.decider);
    check("the pool", stage.limits.pool);
    for (const GateRef& gate : stage.gates) check("the gate", gate.name);
    for (const std::string& field : stage.editable) check("the editable field", field);
    for (const std::string& reason : stage.review_rules.reasons) check("the reason", reason);
    if (!has_valid_strings(stage.params)) add(stage, "the params contain text that is not UTF-8");
  }

  void check_needs(const StageDefinition& stage) {
    if (stage.needs.size() > needs_max) {
      add(stage, "has " + std::to_string(stage.needs.size()) + " needs",
          "at most 64 are allowed; put a stage in between that gathers some of them");
    }
    std::set<std::string_view> seen;
    for (const std::string& name : stage.needs) {
      if (!seen.insert(name).second) {
        add(stage, "needs " + in_quotes(name) + " twice");
        continue;
      }
      const auto need = places_.find(name);
      if (need == places_.end()) {
        add_unknown(stage, "needs", name);
      } else if (stage.scope == Scope::item &&
                 definition_.stages[need->second].scope == Scope::all) {
        add(stage,
            "runs for each item and cannot need " + in_quotes(name) +
                ", which runs once for all items",
            "give it `scope: all` too");
      }
    }
  }

  void add_unknown(const StageDefinition& stage, const std::string& setting,
                   const std::string& name) {
    const std::string nearest = nearest_name(name, names_);
    add(stage, setting + " names the unknown stage " + in_quotes(name),
        nearest.empty() ? std::string{} : "did you mean " + in_quotes(nearest) + "?");
  }

  void check_work(const StageDefinition& stage) {
    if (stage.is_human() && !always_reviews(stage.review)) {
      add(stage, "has no handler and no review",
          "name a handler, or set `review: always` for a human stage");
    }
  }

  void check_attempts(const StageDefinition& stage) {
    const RetryPolicy& retry = stage.retry;
    const std::string help = "the first attempt is included: use at least 1";
    if (retry.max_attempts == 0) add(stage, "max_attempts is 0", help);
    if (retry.retry_attempts == 0U) add(stage, "retry.attempts is 0", help);
    if (retry.refine_attempts == 0U) add(stage, "refine.attempts is 0", help);
    if (retry.has_separate_caps() && retry.max_attempts > 1) {
      add(stage, "max_attempts contradicts retry.attempts and refine.attempts",
          "use one count for both, or one for each");
    }
  }

  void check_duration(const StageDefinition& stage, const char* what, Duration duration) {
    if (duration < Duration::zero()) add(stage, std::string(what) + " is negative");
  }
  void check_durations(const StageDefinition& stage) {
    const RetryPolicy& retry = stage.retry;
    check_duration(stage, "the initial backoff", retry.backoff.initial);
    check_duration(stage, "the longest backoff", retry.backoff.max);
    check_duration(stage, "the delay after a rejection", retry.refine_delay);
    check_duration(stage, "attempt_timeout", retry.attempt_timeout);
    check_duration(stage, "gate_timeout", retry.gate_timeout);
    check_duration(stage, "max_retry_after", retry.max_retry_after);
  }

  void check_backoff(const StageDefinition& stage) {
    const Backoff& backoff = stage.retry.backoff;
    if (!(backoff.multiplier >= 1.0) || !std::isfinite(backoff.multiplier)) {
      add(stage, "the backoff multiplier is below 1 or not a number", "delays never get shorter");
    }
    if (!(backoff.jitter >= 0.0 && backoff.jitter <= 1.0)) {
      add(stage, "the backoff jitter is outside 0 … 1");
    }
  }

  void check_gates(const StageDefinition& stage) {
    std::set<std::string_view> seen;
    for (const GateRef& gate : stage.gates) {
      if (gate.name.empty()) add(stage, "has a gate without a name");
      if (gate.timeout < Duration::zero()) {
        add(stage, "gives gate " + in_quotes(gate.name) + " a negative timeout");
      }
      if (!seen.insert(gate.name).second)
        add(stage, "names gate " + in_quotes(gate.name) + " twice");
    }
  }

  void check_changes_rerun(const StageDefinition& stage, std::size_t place) {
    if (stage.changes_rerun.empty()) return;
    const auto target = places_.find(stage.changes_rerun);
    if (target == places_.end()) {
      add_unknown(stage, "changes_rerun", stage.changes_rerun);
    } else if (target->second == place || !is_upstream(graph_, target->second, place)) {
      add(stage,
          "changes_rerun names " + in_quotes(stage.changes_rerun) + ", which is not upstream",
          "leave it out to run the stage itself again");
    } else if (stage.scope == Scope::all &&
               definition_.stages[target->second].scope == Scope::item) {
      add(stage,
          "runs once for all items, so changes_rerun cannot name " +
              in_quotes(stage.changes_rerun) + ", which runs for each",
          "rerun single items instead");
    }
  }

  void check_rejected(const StageDefinition& stage) {
    if (stage.rejected == OnRejected::end_item && stage.scope == Scope::all) {
      add(stage, "runs once for all items, so a rejection cannot end an item",
          "leave out rejected: end_item");
    } else if (stage.rejected == OnRejected::end_item && stage.joins) {
      add(stage, "fans out, so a rejection may be about one child and cannot end the item",
          "leave out rejected: end_item, or review in a stage of its own that needs this one");
    }
  }

  /// The names in a list of the review rules.
  void check_assignees(const StageDefinition& stage, const std::string& rule,
                       const std::vector<std::string>& assignees) {
    for (const std::string& assignee : assignees) {
      if (const Status good = check_assignee(assignee); !good) {
        add(stage, rule + ": " + valid_text(good.error().message), good.error().help);
      }
    }
    check_unique(stage, rule, assignees);
  }
  void check_unique(const StageDefinition& stage, const std::string& rule,
                    const std::vector<std::string>& texts) {
    std::set<std::string_view> seen;
    for (const std::string& text : texts) {
      if (!seen.insert(text).second) {
        add(stage, rule + " names " + in_quotes(valid_text(text)) + " twice", "remove one");
      }
    }
  }

  /// A field that a reviewer sees first.
  void check_shown_field(const StageDefinition& stage, const std::string& rule,
                         const std::string& field) {
    const bool has_name = field.size() > field.find('.') + 1;
    if (has_name && (field.starts_with("out.") || field.starts_with("in."))) return;
    add(stage, rule + " names " + in_quotes(valid_text(field)),
        "name a field of the stage: out.FIELD or in.FIELD");
  }

  void check_review_rules(const StageDefinition& stage) {
    const ReviewRules& rules = stage.review_rules;
    check_assignees(stage, "assign", rules.assign);
    check_assignees(stage, "escalate_to", rules.escalate_to);
    const bool has_reviews = stage.is_human() || stage.review != ReviewPolicy::never;
    for (const RuleFault& fault : contradictions_in(rules, has_reviews)) {
      add(stage, fault.what, fault.help);
    }
    if (!rules.show_main.empty()) check_shown_field(stage, "show_main", rules.show_main);
    for (const std::string& field : rules.show_beside) {
      check_shown_field(stage, "show_beside", field);
    }
    check_unique(stage, "show_beside", rules.show_beside);
    check_unique(stage, "reasons", rules.reasons);
    if (std::ranges::count(rules.reasons, "") > 0) add(stage, "has an empty reason", "remove it");
  }

  void check_tolerance(const StageDefinition& stage) {
    const Tolerance& tolerance = stage.tolerate_failures;
    if (tolerance.count && *tolerance.count < 0) {
      add(stage, "tolerates a negative number of failures");
    }
    if (tolerance.percent && !(*tolerance.percent >= 0.0 && *tolerance.percent <= 100.0)) {
      add(stage, "tolerates a percentage of failures outside 0 … 100");
    }
  }

  /// Stages that name the same pool share its limits, so they must not set different ones.
  void check_pool(const StageDefinition& stage) {
    const Limits& limits = stage.limits;
    if ((limits.rate.count > 0) != (limits.rate.per > Duration::zero())) {
      add(stage, "has a rate without a count or a duration", "give both, as in 60 in a minute");
    }
    if (limits.pool.empty()) return;
    if (limits.parallel > 0) {
      const auto [first, is_new] = pools_.emplace(limits.pool, &stage);
      const std::uint32_t limit = first->second->limits.parallel;
      if (!is_new && limit != limits.parallel) {
        add(stage, "gives pool " + in_quotes(limits.pool) + " the limit " +
                       std::to_string(limits.parallel) + ", stage " +
                       in_quotes(first->second->name) + " gives it " + std::to_string(limit));
      }
    }
    if (limits.rate.is_set()) {
      const auto [first, is_new] = rates_.emplace(limits.pool, &stage);
      if (!is_new && first->second->limits.rate != limits.rate) {
        add(stage, "gives pool " + in_quotes(limits.pool) + " another rate than stage " +
                       in_quotes(first->second->name));
      }
    }
  }

  void check_cycles() {
    for (const std::vector<std::size_t>& cycle : cycles_of(graph_)) {
      std::string path = "cycle: ";
      for (const std::size_t stage : cycle) path += names_[stage] + " → ";
      add(path + names_[cycle.front()], "each needs the next; take one need out");
    }
  }

  const WorkflowDefinition& definition_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::vector<std::string> names_;
  NeedGraph graph_;
  std::map<std::string, const StageDefinition*, std::less<>> pools_;
  std::map<std::string, const StageDefinition*, std::less<>> rates_;
  std::vector<Error> found_;
};

}  // namespace

std::vector<Error> faults_of(const WorkflowDefinition& definition) {
  return Faults(definition).all();
}

}  // namespace pawl
