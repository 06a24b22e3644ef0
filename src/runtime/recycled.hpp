#pragma once

/// Memory for what comes and goes with every attempt. A thread that drives the loop frees the
/// objects of a whole batch and then makes as many again: more than the heap keeps at hand for a
/// thread, so each would take its slow way. Here a thread keeps the blocks of one size it has freed
/// and takes them again, up to a number that bounds what it holds.

#include <cstddef>
#include <new>
#include <vector>

namespace pawl::runtime {

template <class T>
class Recycled {
 public:
  using value_type = T;

  Recycled() = default;
  template <class U>
  Recycled(const Recycled<U>&) {}  // NOLINT(google-explicit-constructor): as allocators convert

  static T* allocate(std::size_t count) {
    if (count == 1 && !is_over) {
      std::vector<void*>& kept = own().blocks;
      if (!kept.empty()) {
        void* const block = kept.back();
        kept.pop_back();
        return static_cast<T*>(block);
      }
    }
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }

  static void deallocate(T* block, std::size_t count) noexcept {
    if (count == 1 && !is_over) {
      std::vector<void*>& kept = own().blocks;
      if (kept.size() < kept_max) return kept.push_back(static_cast<void*>(block));
    }
    ::operator delete(static_cast<void*>(block));
  }

  template <class U>
  friend bool operator==(const Recycled&, const Recycled<U>&) {
    return true;
  }

 private:
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  static constexpr std::size_t kept_max = 1'024;

  /// What one thread keeps; given back when the thread ends.
  struct Kept {
    std::vector<void*> blocks;
    Kept() { blocks.reserve(kept_max); }
    ~Kept() {
      is_over = true;
      for (void* block : blocks) ::operator delete(block);
    }
  };
  static Kept& own() {
    thread_local Kept kept;
    return kept;
  }
  static inline thread_local bool is_over = false;  ///< the thread is ending: nothing is kept
};

}  // namespace pawl::runtime
