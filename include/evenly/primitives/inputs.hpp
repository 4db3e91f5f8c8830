// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of primitives: all objects that can be indexed by a 64-bit integer.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"

#if defined(__CUDACC__)
#include "evenly/primitives/detail/host_containers.hpp"
#endif

namespace evenly {

/// in[i] = f(i). f: a trivially copyable function object that runs on the executor of the operation.
template <class Formula> struct generated {
  Formula f;
  EVENLY_FN constexpr auto operator[](std::int64_t i) const { return f(i); }
};
template <class Formula> generated(Formula) -> generated<Formula>;

/// in[i] = i.
struct counting {
  EVENLY_FN constexpr std::int64_t operator[](std::int64_t i) const { return i; }
};

/// An object with an element for each i in [0, count): a pointer, a random-access iterator, a span, `generated`,
/// `counting`, or any other object with operator[](std::int64_t). It is copied to the executor.
template <class Input, class T>
concept input_of = requires(const Input& in, std::int64_t i) {
  { in[i] } -> std::convertible_to<T>;
};
/// An object that accepts out[i] = value, once for each i.
template <class Output, class T>
concept output_of = requires(const Output& out, std::int64_t i, const T& value) { out[i] = value; };

namespace detail {

/// The element type of an input.
template <class Input>
using element_of = std::remove_cvref_t<decltype(std::declval<const Input&>()[std::int64_t{}])>;
/// The type of combined elements of an input.
template <class Op, class Input>
using combined_input = typename monoid_type<Op, element_of<Input>>::value_type;

inline void require_count(std::int64_t count) {
  require(count >= 0, [&] { return detail::concat("count = ", count, ": must not be negative"); });
}

/// A range with contiguous elements.
template <class R>
concept contiguous = requires(R& values) { std::span(std::data(values), std::size(values)); };

template <class R> std::int64_t length_of(const R& values) {
  return static_cast<std::int64_t>(std::size(values));
}

/// Throws invalid_argument unless both ranges have the same number of elements.
template <class A, class B>
void require_same_length(const char* one, const A& a, const char* other, const B& b) {
  require(length_of(a) == length_of(b), [&] {
    return concat(other, " has ", length_of(b), " elements and ", one, " has ", length_of(a),
                  ": the numbers must be equal");
  });
}

/// The user's part of an input.
template <class Input> const Input& users_part(const Input& in) { return in; }
template <class Formula> const Formula& users_part(const generated<Formula>& in) { return in.f; }

/// Throws invalid_argument if `memory` is a null pointer and count is not 0.
template <class Memory> void require_memory(const char* name, const Memory& memory, std::int64_t count) {
  if constexpr (std::is_pointer_v<Memory>)
    require(count == 0 || memory != nullptr,
            [&] { return detail::concat(name, " is null, but must have ", count, " elements"); });
}

template <class Memory> inline constexpr bool is_span = false;
template <class T, std::size_t Extent> inline constexpr bool is_span<std::span<T, Extent>> = true;

/// Returns the kernel's form of an input or output: for a contiguous iterator or a span the pointer to its elements, so
/// that overlaps are detected and accesses are wide; other objects unchanged. Throws invalid_argument if it is known to
/// have fewer than `count` elements.
template <class Executor, class Memory>
auto reached(const char* name, const Memory& memory, std::int64_t count) {
#if defined(__CUDACC__)
  static_assert(
      Executor::on_host || !of_host_container<Memory>,
      "elements of a std::vector or std::deque are on the host: copy them to the device with to_executor");
#endif
  if constexpr (is_span<Memory>) {
    require(count <= static_cast<std::int64_t>(memory.size()),
            [&] { return detail::concat(name, " has ", memory.size(), " elements, of ", count); });
    return memory.data();
  } else if constexpr (std::contiguous_iterator<Memory>) {
    const auto pointer = std::to_address(memory);
    require_memory(name, pointer, count);
    return pointer;
  } else {
    return memory;
  }
}

/// The same for an output.
template <class Executor, class Memory>
auto written(const char* name, const Memory& memory, std::int64_t count) {
  static_assert(!std::is_same_v<Memory, std::vector<bool>::iterator>,
                "elements of a std::vector<bool> share bytes, which threads would overwrite: use char");
  return reached<Executor>(name, memory, count);
}

/// Throws invalid_argument if `a` and `b` are pointers whose `a_count` and `b_count` elements overlap, unless
/// `in_place` is true and they are equal.
template <class A, class B>
void require_apart(const char* a_name, const A& a, std::int64_t a_count, const char* b_name, const B& b,
                   std::int64_t b_count, bool in_place) {
  if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    if (a_count == 0 || b_count == 0) return;
    const auto begin_a = reinterpret_cast<std::uintptr_t>(a), begin_b = reinterpret_cast<std::uintptr_t>(b);
    const auto end_a = begin_a + static_cast<std::uintptr_t>(a_count) * sizeof(*a);
    const auto end_b = begin_b + static_cast<std::uintptr_t>(b_count) * sizeof(*b);
    const bool same = in_place && begin_a == begin_b && sizeof(*a) == sizeof(*b);
    require(same || end_a <= begin_b || end_b <= begin_a, [&] {
      const bool before = begin_b < begin_a;
      return detail::concat(b_name, " begins ", before ? begin_a - begin_b : begin_b - begin_a, " bytes ",
                            (before ? "before" : "after"), " the start of ", a_name,
                            " and overlaps it: they must be ", (in_place ? "the same or " : ""), "disjoint");
    });
  }
}

} // namespace detail

} // namespace evenly
