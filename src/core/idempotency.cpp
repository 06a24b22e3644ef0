#include <string>

#include "pawl/core/task.hpp"

namespace pawl {

std::string idempotency_key(const Task& task, std::string_view item_key,
                            std::string_view stage_name) {
  std::string key = std::to_string(task.job.value());
  key += '/';
  key += item_key;
  key += '/';
  key += stage_name;
  if (task.child) {
    // Children of one expansion share the item and the stage. Another expansion is new work.
    key += '/';
    key += task.child->key;
    key += '@';
    key += std::to_string(task.child->expansion);
  }
  key += '/';
  key += std::to_string(task.epoch);
  key += '.';
  key += std::to_string(task.round);
  return key;
}

}  // namespace pawl
