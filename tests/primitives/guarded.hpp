// SPDX-License-Identifier: Apache-2.0
// Arrays on any executor whose surroundings are watched, and the lengths that primitives are tried at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "support/monoids.hpp"

namespace evenly::primitives {

/// Every length from 0 to `last` in steps of `step`.
inline std::vector<std::int64_t> lengths_to(std::int64_t last, std::int64_t step = 1) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 0; n <= last; n += step) lengths.push_back(n);
  return lengths;
}

/// 2^k - 1, 2^k and 2^k + 1 for every k in [first, last].
inline std::vector<std::int64_t> lengths_around_powers(int first, int last) {
  std::vector<std::int64_t> lengths;
  for (int k = first; k <= last; ++k)
    for (int by = -1; by <= 1; ++by) lengths.push_back((std::int64_t{1} << k) + by);
  return lengths;
}

/// Where a run's arrays begin, in elements behind an aligned address: 0 to 3, one of its own for each.
struct offsets {
  int in, out;
  explicit offsets(std::int64_t length)
      : in(static_cast<int>(mixed(static_cast<std::uint64_t>(length)) % 4)),
        out(static_cast<int>(mixed(static_cast<std::uint64_t>(length)) / 4 % 4)) {}
};

/// Whether two arrays have the same bits.
template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Up to `max` elements on an executor, between guards that no kernel may write.
template <class T, class Executor> class guarded {
 public:
  guarded(const Executor& exec, std::int64_t max)
      : exec_(exec), memory_(make_buffer<T>(exec, static_cast<std::size_t>(max) + 2 * guard + max_offset)) {}

  /// Room for `length` elements, `offset` elements behind an aligned address; every byte of it and of the guards is
  /// poison.
  T* poisoned(int offset, std::int64_t length) { return holding(offset, {}, length); }

  /// The same, that begins with `values`.
  T* holding(int offset, std::span<const T> values, std::int64_t length) {
    length_ = static_cast<std::size_t>(length);
    begin_ = guard + static_cast<std::size_t>(offset);
    image_.assign((begin_ + length_ + guard) * sizeof(T), poison);
    if (!values.empty()) std::memcpy(image_.data() + begin_ * sizeof(T), values.data(), values.size_bytes());
    exec_.copy_from_host(memory_.data(), image_.data(), image_.size());
    return memory_.data() + begin_;
  }
  T* holding(int offset, std::span<const T> values) {
    return holding(offset, values, static_cast<std::int64_t>(values.size()));
  }

  /// The first `count` elements. The others and the guards are as they were made.
  std::vector<T> taken(std::int64_t count, const std::string& what) {
    std::vector<unsigned char> now(image_.size());
    exec_.copy_to_host(now.data(), memory_.data(), now.size());
    std::vector<T> values(static_cast<std::size_t>(count));
    const std::size_t at = begin_ * sizeof(T), bytes = values.size() * sizeof(T);
    if (values.size() > length_) {
      ADD_FAILURE() << what << ": " << count << " elements where there is room for " << length_;
      return {};
    }
    if (bytes > 0) {
      std::memcpy(values.data(), now.data() + at, bytes);
      std::memcpy(now.data() + at, image_.data() + at, bytes);
    }
    if (now == image_) return values;
    const auto first = std::mismatch(now.begin(), now.end(), image_.begin()).first - now.begin();
    ADD_FAILURE() << what << ": byte " << first - static_cast<std::ptrdiff_t>(at)
                  << " has been written, where there are " << bytes;
    return values;
  }
  std::vector<T> taken(const std::string& what) { return taken(static_cast<std::int64_t>(length_), what); }

 private:
  static constexpr std::size_t guard = 16; // elements; a multiple of what alignment asks for
  static constexpr std::size_t max_offset = 3;
  static constexpr unsigned char poison = 0xA5;

  const Executor& exec_;
  buffer<T> memory_;
  std::vector<unsigned char> image_;
  std::size_t begin_ = 0;
  std::size_t length_ = 0;
};

/// One value that a primitive leaves on an executor.
template <class T, class Executor> T result_of(const Executor& exec, const buffer<T>& one) {
  T value{};
  exec.copy_to_host(&value, one.data(), sizeof(T));
  return value;
}

} // namespace evenly::primitives
