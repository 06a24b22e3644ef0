#include "sql/merged_ids.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace pawl::sql {
namespace {

using Ids = std::vector<std::int64_t>;

/// Merges the given lists; `read` counts how many of their ids were read.
Ids merged(const std::vector<Ids>& lists, std::int64_t after, std::size_t limit,
           std::size_t* read = nullptr) {
  return merged_ids(lists.size(), after, limit,
                    [&](std::size_t list, std::int64_t from, std::size_t max) {
                      Ids next;
                      for (const std::int64_t id : lists[list]) {
                        if (id > from && next.size() < max) next.push_back(id);
                      }
                      if (read != nullptr) *read += next.size();
                      return next;
                    });
}

TEST(MergedIds, come_in_order_from_every_list) {
  const std::vector<Ids> lists{{1, 4, 9}, {}, {2, 3}, {5, 6, 7, 8}};
  EXPECT_EQ(merged(lists, 0, 100), (Ids{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(merged(lists, 0, 4), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(merged(lists, 3, 3), (Ids{4, 5, 6}));
  EXPECT_EQ(merged(lists, 9, 3), Ids{});
}

TEST(MergedIds, of_no_list_or_no_room_are_none) {
  EXPECT_EQ(merged({}, 0, 5), Ids{});
  EXPECT_EQ(merged({{1}}, 0, 0), Ids{});
  EXPECT_EQ(merged({{}, {}}, 0, 5), Ids{});
}

TEST(MergedIds, every_page_after_another_is_the_whole) {
  std::vector<Ids> lists(7);
  Ids all;
  for (std::int64_t id = 1; id <= 500; ++id) {
    lists[static_cast<std::size_t>(id * id * 31 % 7)].push_back(id);
    all.push_back(id);
  }
  for (const std::size_t limit : {1U, 2U, 7U, 50U, 499U, 1'000U}) {
    Ids listed;
    for (;;) {
      const Ids page = merged(lists, listed.empty() ? 0 : listed.back(), limit);
      listed.insert(listed.end(), page.begin(), page.end());
      if (page.size() < limit) break;
    }
    EXPECT_EQ(listed, all) << limit;
  }
}

TEST(MergedIds, read_little_more_than_they_take) {
  std::vector<Ids> lists(100);
  for (std::int64_t id = 1; id <= 100'000; ++id) {
    lists[static_cast<std::size_t>(id % 100)].push_back(id);
  }
  std::size_t read = 0;
  EXPECT_EQ(merged(lists, 0, 1'000, &read).size(), 1'000U);
  EXPECT_LE(read, 2'200U);
}

}  // namespace
}  // namespace pawl::sql
