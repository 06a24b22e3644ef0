#include "pawl/store/acts.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

namespace pawl {
namespace {

struct ActFacts {
  std::string_view name;
  Right right;
};

// In the order of the variant.
// clang-format off: one act per line
constexpr std::array<ActFacts, std::variant_size_v<Act>> table{{
    {"job.cancel", Right::operate},
    {"job.pause", Right::operate},
    {"job.resume", Right::operate},
    {"stage.pause", Right::operate},
    {"stage.resume", Right::operate},
    {"job.revive", Right::operate},
    {"job.budget", Right::operate},
    {"job.reopen", Right::submit},
    {"item.cancel", Right::operate},
    {"task.rerun", Right::operate},
    {"task.skip", Right::operate},
    {"review.answer", Right::decide},
    {"review.undo", Right::decide},
    {"review.claim", Right::decide},
    {"review.release", Right::decide},
    {"review.assign", Right::decide},
    {"dead_letter.discard", Right::operate},
    {"item.purge", Right::destroy},
    {"job.trust", Right::trust},
}};
// clang-format on

template <class One>
concept HasBy = requires(const One& one) { one.by; };

}  // namespace

std::string_view name_of(const Act& act) { return table[act.index()].name; }

bool is_act_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> others{"job.submit", "job.import", "job.trust_by_key",
                                                   "review.escalate"};
  return std::ranges::find(table, name, &ActFacts::name) != table.end() ||
         std::ranges::find(others, name) != others.end();
}

/// A claim is taken over, and a review that is not one's own handed over, with a right of their
/// own; the ledger, which knows the review, asks for it.
Right right_for(const Act& act) {
  const auto* claim = std::get_if<ClaimReview>(&act);
  return claim != nullptr && claim->steal ? Right::assign : table[act.index()].right;
}

std::string_view doer_of(const Act& act) {
  return std::visit(
      [](const auto& one) -> std::string_view {
        using One = std::decay_t<decltype(one)>;
        if constexpr (HasBy<One>) return one.by;
        if constexpr (std::is_same_v<One, AnswerReview>) return one.answer.reviewer;
        return {};
      },
      act);
}

}  // namespace pawl
