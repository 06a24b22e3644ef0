#pragma once

/// How verdicts become one.

#include <vector>

#include "pawl/core/workflow.hpp"
#include "pawl/runtime/stage.hpp"

namespace pawl::runtime {

/// What one gate said.
struct GateSay {
  std::string gate;
  Judgement judgement;
};

/// Accepted if at least `needed` accept; else uncertain if the uncertain ones could make up the
/// number; else rejected, with the feedback of every rejection merged. The usage is everybody's.
[[nodiscard]] Judgement combine(std::size_t needed, const std::vector<GateSay>& says);
/// `all`: any rejected → rejected (the feedback of every rejection merged); else any uncertain →
/// uncertain; else accepted. `any` is its mirror. Nothing said: accepted. The usage is everybody's,
/// and the parts are what each gate found.
[[nodiscard]] Judgement combine(GateMode mode, const std::vector<GateSay>& says);

}  // namespace pawl::runtime
