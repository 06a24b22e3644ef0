#include "sql/merged_ids.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace pawl::sql {

namespace {

/// The part of a list that was read, with the next id last.
struct Ahead {
  std::vector<std::int64_t> ids;
  bool is_all = false;  ///< the list has no more ids
};

}  // namespace

std::vector<std::int64_t> merged_ids(std::size_t lists, std::int64_t after, std::size_t limit,
                                     const NextIds& next) {
  std::vector<std::int64_t> merged;
  if (lists == 0 || limit == 0) return merged;
  if (lists == 1) return next(0, after, limit);
  const std::size_t at_once = limit / lists + 1;
  std::vector<Ahead> ahead(lists);
  using Head = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  const auto look = [&](std::size_t list, std::int64_t from) {
    Ahead& its = ahead[list];
    if (its.ids.empty() && !its.is_all) {
      its.ids = next(list, from, at_once);
      its.is_all = its.ids.size() < at_once;
      std::ranges::reverse(its.ids);
    }
    if (its.ids.empty()) return;
    heads.emplace(its.ids.back(), list);
    its.ids.pop_back();
  };
  for (std::size_t list = 0; list < lists; ++list) look(list, after);
  while (!heads.empty() && merged.size() < limit) {
    const auto [id, list] = heads.top();
    heads.pop();
    merged.push_back(id);
    look(list, id);
  }
  return merged;
}

}  // namespace pawl::sql
