#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

Decision on_expansion(const Attempt& closed) {
  return {
      .kind = DecisionKind::expand, .rule = Rule::stage_expanded, .counts = counts_after(closed)};
}

}  // namespace pawl::observed
