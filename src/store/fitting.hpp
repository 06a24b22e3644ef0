#pragma once

/// Whether a row is what a list was asked for. One meaning for every store; cursors and limits are
/// the store's own business.

#include <optional>

#include "pawl/store/records.hpp"

namespace pawl::store {

[[nodiscard]] bool fits(const Job& job, const JobFilter& filter);
/// `job_cancelled` is that of the item's job: it decides how the item shows.
[[nodiscard]] bool fits(const Item& item, std::optional<CancelCause> job_cancelled,
                        const ItemFilter& filter);
[[nodiscard]] bool fits(const Task& task, const TaskFilter& filter);
[[nodiscard]] bool fits(const Review& review, const ReviewFilter& filter);
[[nodiscard]] bool fits(const Review& review, const InboxFilter& filter);
[[nodiscard]] bool fits(const AuditEntry& entry, const AuditFilter& filter);

}  // namespace pawl::store
