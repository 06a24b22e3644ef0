#include <algorithm>

#include "pawl/core/policy.hpp"

namespace pawl {

Timestamp next_opening(const Rate& rate, Timestamp count_th_newest, Timestamp now) {
  if (!rate.is_set() || count_th_newest == no_time) return now;
  return std::max(now, count_th_newest + rate.per);
}

}  // namespace pawl
