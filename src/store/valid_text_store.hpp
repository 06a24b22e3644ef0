#pragma once

/// The text boundary of every store: whatever comes in has valid text (see "pawl/core/text.hpp")
/// before anything is compared, decided or written.
///
/// Every function that opens a store wraps it in this, so no caller can pass it by. Values that are
/// valid already are handed on without a copy. Steps are not looked at: `close`, which makes every
/// step with new text, has done it before it decided.

#include <memory>

#include "pawl/store/store.hpp"

namespace pawl::store {

[[nodiscard]] std::shared_ptr<Store> with_valid_text(std::shared_ptr<Store> store);

}  // namespace pawl::store
