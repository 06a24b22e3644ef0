#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace pawl::sql {

/// Answers up to `max` ids of a list, those after `after`, in order.
using NextIds =
    std::function<std::vector<std::int64_t>(std::size_t list, std::int64_t after, std::size_t max)>;

/// The first `limit` ids after `after` of several ordered lists taken together, in order. Of each
/// list little more is read than is taken, so many lists cost one short look each.
[[nodiscard]] std::vector<std::int64_t> merged_ids(std::size_t lists, std::int64_t after,
                                                   std::size_t limit, const NextIds& next);

}  // namespace pawl::sql
