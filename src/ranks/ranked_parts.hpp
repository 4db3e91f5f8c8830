// SPDX-License-Identifier: Apache-2.0
// What a ranked_matrix consists of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "evenly/core/errors.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/bfs.hpp"
#include "evenly/distributed/matrix.hpp"
#include "ranks/ranked_matrix.hpp"

namespace evenly::ranks {

struct ranked_matrix::parts {
  explicit parts(distributed::matrix<double, std::int64_t, cpu> of)
      : all(std::move(of)), text(all.explain()) {}

  distributed::matrix<double, std::int64_t, cpu> all;
  std::string text; ///< kept, so that one process may ask for it
  std::unique_ptr<distributed::breadth_first<double, std::int64_t, cpu>> search; ///< kept for further sources
  std::optional<distributed::search_result<cpu>> found;
  distributed::array<double, cpu> numbers;
  distributed::array<int, cpu> labels;

  /// An array that every process has, in the ranges of the rows or of the columns.
  template <class T> auto distribute(std::span<const T> whole, const distributed::ranges& where) const {
    return all.ranks().distribute(whole, where);
  }
};

} // namespace evenly::ranks
