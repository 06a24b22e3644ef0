#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace pawl::sql {

/// Returns up to `max` ids of a list after `after`, in order.
using NextIds =
    std::function<std::vector<std::int64_t>(std::size_t list, std::int64_t after, std::size_t max)>;

/// The first `limit` ids after `after` of several ordered lists, merged in order. Reads little more
/// of each list than is used, so many lists cost one short read each.
[[nodiscard]] std::vector<std::int64_t> merged_ids(std::size_t lists, std::int64_t after,
                                                   std::size_t limit, const NextIds& next);

}  // namespace pawl::sql
