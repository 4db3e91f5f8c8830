// SPDX-License-Identifier: Apache-2.0
// Arrays of which a tile set, a source or a kernel keeps a view. The executor can read them, and they outlive the view.
#pragma once

#include <span>
#include <string>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"

namespace evenly::detail {

/// A container or a view with contiguous elements.
template <class A>
concept array_like = requires(const A& array) { std::span(array.data(), array.size()); };

/// Whether an argument of type A&& outlives the call: it has a name, or is itself a view, as std::span is.
template <class A>
inline constexpr bool outlives_call =
    std::is_lvalue_reference_v<A> || std::ranges::enable_borrowed_range<std::remove_cv_t<A>>;

/// Returns the elements without reading them. Throws invalid_argument if they are at a null pointer.
template <array_like A> auto elements_of(const char* name, const A& array) {
  const std::span values(array.data(), array.size());
  require(values.empty() || values.data() != nullptr,
          [&] { return detail::concat(name, " is null, but must have ", values.size(), " elements"); });
  return values;
}

} // namespace evenly::detail
