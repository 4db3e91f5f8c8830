// SPDX-License-Identifier: Apache-2.0
// One includer: only nvcc reads it.
// Detects iterators that point into containers on the host.
#pragma once

#include <deque>
#include <iterator>
#include <type_traits>
#include <vector>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// Whether `Iterator` belongs to a container of the standard library, whose elements no device can read.
template <class Iterator>
inline constexpr bool of_host_container = [] {
  if constexpr (std::is_class_v<Iterator> && std::random_access_iterator<Iterator>) {
    const auto is_of = []<class Container>(std::type_identity<Container>) {
      return std::is_same_v<Iterator, typename Container::iterator> ||
             std::is_same_v<Iterator, typename Container::const_iterator>;
    };
    using T = std::iter_value_t<Iterator>;
    return is_of(std::type_identity<std::vector<T>>{}) || is_of(std::type_identity<std::deque<T>>{});
  } else {
    return false;
  }
}();

} // namespace evenly::detail
