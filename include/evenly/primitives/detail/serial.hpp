// SPDX-License-Identifier: Apache-2.0
// Folds and scans by one thread, for blocks of the CPU. They run several chains of dependent operations at the same
// time: one chain waits for its own results (four cycles for a float addition) longer than for memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly::detail {

/// Whether Op is an extreme of numbers that fit into lanes (core/monoid.hpp).
template <class Op, class T = typename Op::value_type>
concept extreme_in_lanes = std::floating_point<T> && sizeof(T) <= sizeof(double) &&
                           (std::is_same_v<Op, minimum<T>> || std::is_same_v<Op, maximum<T>> ||
                            std::is_same_v<Op, minimum_number<T>> || std::is_same_v<Op, maximum_number<T>>);

/// Sets each[c] = in[begin + c] op in[begin + Count + c] op ..., for whole rows of Count elements. Returns their end.
template <int RegisterBytes, int Count, class Input, monoid Op, class T>
std::int64_t fold_rows(T (&each)[Count], const Input& in, std::int64_t begin, std::int64_t end,
                       const Op& op) {
#if EVENLY_REGISTER_BYTES > 0
  if constexpr (RegisterBytes > 0 && extreme_in_lanes<Op>) {
    using lanes = typename lanes_of_numbers<T, RegisterBytes>::type;
    constexpr int together = static_cast<int>(sizeof(lanes) / sizeof(T)), registers = Count / together;
    const auto load = [&](std::int64_t i, lanes& to) {
      T values[together];
      for (int k = 0; k < together; ++k) values[k] = static_cast<T>(in[i + k]);
      std::memcpy(&to, values, sizeof(to));
    };
    lanes sums[registers];
#pragma GCC unroll 16
    for (int r = 0; r < registers; ++r) load(begin + r * together, sums[r]);
    for (begin += Count; end - begin >= Count; begin += Count) {
#pragma GCC unroll 16
      for (int r = 0; r < registers; ++r) {
        lanes next;
        load(begin + r * together, next);
        extreme_of_lanes<Op::which>(next, sums[r]);
      }
    }
    std::memcpy(each, sums, sizeof(each));
    return begin;
  }
#endif
  for (int c = 0; c < Count; ++c) each[c] = static_cast<T>(in[begin + c]);
  for (begin += Count; end - begin >= Count; begin += Count)
    for (int c = 0; c < Count; ++c) each[c] = op(each[c], static_cast<T>(in[begin + c]));
  return begin;
}

/// Combines the elements [begin, end) of `in`. The association depends only on their number. In order, unless Op is
/// marked as commutative: then each accumulator takes every n-th element, and compilers vectorise the loop.
template <int RegisterBytes = EVENLY_REGISTER_BYTES, class Input, monoid Op>
typename Op::value_type fold_serial(const Input& in, std::int64_t begin, std::int64_t end, const Op& op) {
  using T = typename Op::value_type;
  T sum = op.identity();
  if constexpr (is_commutative<Op> && std::is_arithmetic_v<T>) {
    constexpr int chains = static_cast<int>(256 / sizeof(T));
    if (end - begin >= chains) {
      T each[chains];
      begin = fold_rows<RegisterBytes>(each, in, begin, end, op);
      for (int width = chains / 2; width > 0; width /= 2)
        for (int c = 0; c < width; ++c) each[c] = op(each[c], each[c + width]);
      sum = each[0];
    }
  } else {
    const auto pair = [&](std::int64_t i) { return op(static_cast<T>(in[i]), static_cast<T>(in[i + 1])); };
    for (; end - begin >= 8; begin += 8)
      sum = op(sum, op(op(pair(begin), pair(begin + 2)), op(pair(begin + 4), pair(begin + 6))));
  }
  const std::int64_t rest = end - begin;
  for (std::int64_t i = 0; i < rest; ++i) sum = op(sum, static_cast<T>(in[begin + i]));
  return sum;
}

/// Copies to memory that will not be read soon. If `to` is aligned to 16 bytes and `bytes` is a multiple of 16, the
/// stores bypass the caches. A cached store reads the line first, which is half as much again as a scan has to move.
inline void copy_streaming(void* to, const void* from, std::size_t bytes) {
#if defined(__SSE2__)
  auto* out = static_cast<__m128i*>(to);
  const auto* in = static_cast<const __m128i*>(from);
  for (std::size_t i = 0; i < bytes / 16; ++i) _mm_stream_si128(out + i, _mm_loadu_si128(in + i));
#else
  std::memcpy(to, from, bytes);
#endif
}
/// Orders the writes of copy_streaming before this thread's later writes.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Scans of integers, several in a register: log2(lanes) steps for all lanes together, and one that depends on the
/// previous register. Scalar code stores at most one element per cycle.
#if defined(__GNUC__) && !defined(__CUDACC__) // nvcc lacks vector registers
#define EVENLY_INTEGER_LANES true
template <std::integral T> class integer_lanes {
 public:
  using U = std::make_unsigned_t<T>; // sums wrap, as the caller's would if that is defined
  typedef U lanes __attribute__((vector_size(32)));
  static constexpr int count = static_cast<int>(sizeof(lanes) / sizeof(U));

  /// Writes out[i] = before + in[0] + ... + in[i], or up to in[i - 1], for i in [0, count). Returns the sum of all
  /// elements and `before`.
  template <bool Inclusive> static U scan(const T* in, T* out, U before) {
    lanes x;
    std::memcpy(&x, in, sizeof(x));
    const lanes own = x;
    add_lower<1>(x);
    x += before;
    const U all = x[count - 1];
    if constexpr (!Inclusive) x -= own;
    std::memcpy(out, &x, sizeof(x));
    return all;
  }

 private:
  template <int Distance> static void add_lower(lanes& x) {
    if constexpr (Distance < count) {
      add<Distance>(x, std::make_integer_sequence<int, count>{});
      add_lower<2 * Distance>(x);
    }
  }
  /// Adds each lane's value to the lane that is `Distance` higher.
  template <int Distance, int... I> static void add(lanes& x, std::integer_sequence<int, I...>) {
#if defined(__clang__)
    x += __builtin_shufflevector(lanes{}, x, (I < Distance ? 0 : count + I - Distance)...);
#else
    x += __builtin_shuffle(lanes{}, x, lanes{static_cast<U>(I < Distance ? 0 : count + I - Distance)...});
#endif
  }
};
#else
#define EVENLY_INTEGER_LANES false
#endif

/// A scan of a run of elements in two steps; the prefix becomes known between them. `Lanes`: whether the unit has
/// integer_lanes.
template <bool Inclusive, class Input, class Output, monoid Op, bool Lanes = EVENLY_INTEGER_LANES,
          int RegisterBytes = EVENLY_REGISTER_BYTES>
class serial_scan {
 public:
  using T = typename Op::value_type;

  serial_scan(const Input& in, const Output& out, std::int64_t begin, std::int64_t end, const Op& op)
      : in_(in), out_(out), begin_(begin), end_(end), length_((end - begin) / chains), op_(op) {
    for (int c = 0; c < chains; ++c) sums_[c] = fold_serial<RegisterBytes>(in_, first(c), last(c), op_);
  }

  /// Returns all elements combined.
  T total() const {
    T sum = sums_[0];
    for (int c = 1; c < chains; ++c) sum = op_(sum, sums_[c]);
    return sum;
  }

  /// Writes the run's part of the scan. `prefix`: the combination of all elements before it. `streaming`: the output is
  /// too large for the caches.
  void write(T prefix, bool streaming) const {
    if constexpr (in_lanes) return write_lanes(prefix, streaming);
    T so_far[chains];
    for (int c = 0; c < chains; ++c) {
      so_far[c] = prefix;
      prefix = op_(prefix, sums_[c]);
    }
    std::int64_t done = 0;
    if constexpr (can_pass) {
      const bool aligned = reinterpret_cast<std::uintptr_t>(out_ + begin_) % 16 == 0 &&
                           static_cast<std::size_t>(length_) * sizeof(T) % 16 == 0;
      if (streaming && aligned) done = store_streaming(so_far);
    }
    const auto out = out_;
    write_all(done, length_, so_far,
              [&](int c, std::int64_t i, const T& value) { out[first(c) + i] = value; });
    T& sum = so_far[chains - 1];
    for (std::int64_t i = begin_ + chains * length_; i < end_; ++i) {
      const T next = op_(sum, static_cast<T>(in_[i]));
      out_[i] = Inclusive ? next : sum;
      sum = next;
    }
  }

 private:
  static constexpr int chains = 4;
  static constexpr bool can_pass = std::is_pointer_v<Output> && std::is_arithmetic_v<T>;
  static constexpr bool in_lanes = Lanes && std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                                   std::is_same_v<Op, plus<T>> && std::is_same_v<Output, T*> &&
                                   std::is_pointer_v<Input> &&
                                   std::is_same_v<std::remove_cv_t<std::remove_pointer_t<Input>>, T>;

  std::int64_t first(int chain) const { return begin_ + chain * length_; }
  std::int64_t last(int chain) const { return chain == chains - 1 ? end_ : first(chain + 1); }

  /// Calls write(c, i, result) for i in [from, to) of each chain. Chains are unrolled, and their sums are local, so
  /// that they stay in registers.
  template <class Write>
  void write_all(std::int64_t from, std::int64_t to, T (&so_far)[chains], const Write& write) const {
    [&]<int... C>(std::integer_sequence<int, C...>) {
      const auto in = in_;
      const Op op = op_;
      const std::int64_t begins[] = {first(C)...};
      T sums[] = {so_far[C]...};
      for (std::int64_t i = from; i < to; ++i) {
        const T next[] = {op(sums[C], static_cast<T>(in[begins[C] + i]))...};
        (..., write(C, i, Inclusive ? next[C] : sums[C]));
        (..., (sums[C] = next[C]));
      }
      (..., (so_far[C] = sums[C]));
    }(std::make_integer_sequence<int, chains>{});
  }

  /// Writes whole bursts. Returns how far in each chain.
  std::int64_t store_streaming(T (&so_far)[chains]) const {
    constexpr int burst = static_cast<int>(2048 / sizeof(T));
    constexpr int apart = burst + static_cast<int>(64 / sizeof(T)); // at different places of the cache
    T results[chains * apart];
    std::int64_t i = 0;
    for (; i + burst <= length_; i += burst) {
      write_all(i, i + burst, so_far,
                [&](int c, std::int64_t at, const T& value) { results[c * apart + (at - i)] = value; });
      for (int c = 0; c < chains; ++c)
        copy_streaming(out_ + first(c) + i, results + c * apart, burst * sizeof(T));
    }
    end_streaming();
    return i;
  }

#if EVENLY_INTEGER_LANES
  void write_lanes(T prefix, bool streaming) const
  requires in_lanes
  {
    using each = integer_lanes<T>;
    constexpr int burst = static_cast<int>(2048 / sizeof(T));
    auto sum = static_cast<typename each::U>(prefix);
    std::int64_t i = begin_;
    if (streaming && reinterpret_cast<std::uintptr_t>(out_ + begin_) % 16 == 0) {
      T results[burst];
      for (; i + burst <= end_; i += burst) {
        for (int k = 0; k < burst; k += each::count)
          sum = each::template scan<Inclusive>(in_ + i + k, results + k, sum);
        copy_streaming(out_ + i, results, sizeof(results));
      }
      end_streaming();
    }
    for (; i + each::count <= end_; i += each::count)
      sum = each::template scan<Inclusive>(in_ + i, out_ + i, sum);
    for (; i < end_; ++i) {
      const auto next = static_cast<typename each::U>(sum + static_cast<typename each::U>(in_[i]));
      out_[i] = static_cast<T>(Inclusive ? next : sum);
      sum = next;
    }
  }
#endif

  Input in_;
  Output out_;
  std::int64_t begin_;
  std::int64_t end_;
  std::int64_t length_; ///< of each chain; the last also has the rest
  Op op_;
  T sums_[chains];
};

} // namespace evenly::detail
