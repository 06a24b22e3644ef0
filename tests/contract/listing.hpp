#pragma once

/// Lists that are read page by page, to compare them with the rows that match.

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/codec/names.hpp"
#include "pawl/core/result.hpp"

namespace pawl::driving {

/// No value, which filters nothing, and then each value.
template <class E>
std::vector<std::optional<E>> none_and_all() {
  std::vector<std::optional<E>> all{std::nullopt};
  for (const std::string& name : all_names<E>()) all.push_back(from_name<E>(name));
  return all;
}

/// The whole list, in pages of `size` rows. `go_on` sets the cursor to the last row of a page.
template <class Row, class Filter>
std::vector<Row> paged(Filter filter,
                       const std::function<Result<std::vector<Row>>(const Filter&)>& list,
                       const std::function<void(Filter&, const Row&)>& go_on,
                       std::uint32_t size = 2) {
  std::vector<Row> all;
  filter.limit = size;
  for (;;) {
    const Result<std::vector<Row>> page = list(filter);
    EXPECT_TRUE(page) << (page ? "" : page.error().text());
    EXPECT_LE(page->size(), size);
    all.insert(all.end(), page->begin(), page->end());
    if (page->size() < size) return all;
    go_on(filter, page->back());
  }
}

template <class Row, class Fits>
std::vector<Row> chosen(const std::vector<Row>& all, Fits fits) {
  std::vector<Row> some;
  std::ranges::copy_if(all, std::back_inserter(some), fits);
  return some;
}

}  // namespace pawl::driving
