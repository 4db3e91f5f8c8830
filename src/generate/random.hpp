// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine, in any order and with any number of threads.
//
// splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): number k of a sequence is
// a hash of start + k * gamma, so every position is directly accessible. Each use (stream) and each index (a row) has
// its own sequence. All arithmetic is on integers, so results do not depend on rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace evenly::generate {

/// Uses of random numbers: different streams of one seed are unrelated.
enum class stream : std::uint64_t { sizes = 1, columns, values, edges, labels, sources };

class random_sequence {
 public:
  random_sequence(std::uint64_t seed, stream use, std::uint64_t index = 0)
      : state_(mix(mix(mix(seed + gamma) + static_cast<std::uint64_t>(use)) + index)) {}

  /// 64 random bits.
  std::uint64_t next() { return mix(state_ += gamma); }

  /// Skips the next `count` numbers in O(1).
  void skip(std::uint64_t count) { state_ += count * gamma; }

  /// Uniform in [0, bound) for 0 < bound <= 2^31 (the probabilities of values differ by less than 2^-32).
  int below(std::int64_t bound) {
    return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(bound) >> 32);
  }

  /// Uniform in [-1, 1): a multiple of 2^-52, computed without rounding.
  double signed_unit() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1.0; }

 private:
  static constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;

  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }

  std::uint64_t state_;
};

/// Shuffles the items (Fisher and Yates).
inline void shuffle(std::vector<int>& items, random_sequence random) {
  for (std::size_t left = items.size(); left > 1; --left)
    std::swap(items[left - 1],
              items[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(left)))]);
}

} // namespace evenly::generate
