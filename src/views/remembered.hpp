#pragma once

/// A bounded memory of values that are costly to look up.

#include <cstddef>
#include <map>
#include <utility>

namespace pawl::views {

/// Keeps at least the `size` values that were used last, and at most twice as many.
template <class Key, class Value>
class Remembered {
 public:
  explicit Remembered(std::size_t size) : size_(size) {}

  /// Null if it is not known, or was forgotten. Valid until the next call.
  [[nodiscard]] const Value* find(const Key& key) {
    if (const auto known = young_.find(key); known != young_.end()) return &known->second;
    auto old = old_.extract(key);
    if (old.empty()) return nullptr;
    return &add(key, std::move(old.mapped()));
  }
  const Value& add(const Key& key, Value value) {
    if (young_.size() >= size_) {
      old_ = std::move(young_);
      young_.clear();
    }
    return young_.insert_or_assign(key, std::move(value)).first->second;
  }

 private:
  std::size_t size_;
  std::map<Key, Value> young_;  ///< used since `old_` was put aside
  std::map<Key, Value> old_;
};

}  // namespace pawl::views
