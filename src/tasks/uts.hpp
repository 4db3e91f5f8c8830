// SPDX-License-Identifier: Apache-2.0
// Unbalanced Tree Search (Olivier et al., LCPC 2006): a splittable random number generator creates the tree during the
// search. A node has 160 bits; its child i is the SHA-1 of these bits and i.
//
// The number of children depends on the last 31 bits of a node and on its depth. It is found by comparisons with
// thresholds computed on the host, so the rounding of a device cannot change the tree.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/tasks/body.hpp"

namespace evenly::uts {

enum class tree { geometric, binomial, hybrid };
enum class shape { linear, exponential, cyclic, fixed }; ///< of the branching of a geometric tree, by depth

/// A published tree.
struct parameters {
  tree type = tree::geometric;
  shape form = shape::fixed;
  int depth = 10;          ///< d
  double branching = 4;    ///< b; for a binomial tree the number of children of the root
  double probability = 0;  ///< q, the probability that a node of a binomial tree has children
  int children = 0;        ///< m, their number
  std::uint32_t seed = 19; ///< r
};

inline constexpr int max_children = 100; ///< except for the root of a binomial tree

struct node {
  std::uint32_t words[5];
};

EVENLY_INLINE_FN std::uint32_t rotated(std::uint32_t x, int by) { return x << by | x >> (32 - by); }

/// x + y. `one` is 1, but the compiler of a GPU does not know this, so it emits a multiply-add. The multiplier would
/// otherwise be idle, while the units for rotations are the bottleneck.
EVENLY_INLINE_FN std::uint32_t sum_of(std::uint32_t x, std::uint32_t y, [[maybe_unused]] std::uint32_t one) {
#if defined(__CUDA_ARCH__)
  std::uint32_t sum;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(x), "r"(one), "r"(y));
  return sum;
#else
  return x + y;
#endif
}

/// SHA-1 of a message of one padded block, which is overwritten.
EVENLY_INLINE_FN node sha1(std::uint32_t (&w)[16], std::uint32_t one) {
  std::uint32_t a = 0x67452301, b = 0xEFCDAB89, c = 0x98BADCFE, d = 0x10325476, e = 0xC3D2E1F0;
  EVENLY_UNROLL
  for (int i = 0; i < 80; ++i) {
    if (i >= 16) w[i % 16] = rotated(w[(i + 13) % 16] ^ w[(i + 8) % 16] ^ w[(i + 2) % 16] ^ w[i % 16], 1);
    const std::uint32_t f = i < 20   ? (b & c) | (~b & d)
                            : i < 40 ? b ^ c ^ d
                            : i < 60 ? (b & c) | (b & d) | (c & d)
                                     : b ^ c ^ d;
    const std::uint32_t k = i < 20 ? 0x5A827999u : i < 40 ? 0x6ED9EBA1u : i < 60 ? 0x8F1BBCDCu : 0xCA62C1D6u;
    const std::uint32_t next = rotated(a, 5) + sum_of(f, sum_of(e, sum_of(w[i % 16], k, one), one), one);
    e = d, d = c, c = rotated(b, 30), b = a, a = next;
  }
  return {{a + 0x67452301, b + 0xEFCDAB89, c + 0x98BADCFE, d + 0x10325476, e + 0xC3D2E1F0}};
}

inline node root_of(std::uint32_t seed) {
  std::uint32_t message[16] = {0, 0, 0, 0, seed, 0x80000000u, 0, 0, 0, 0, 0, 0, 0, 0, 0, 160};
  return sha1(message, 1);
}
EVENLY_INLINE_FN node child_of(const node& of, std::uint32_t i, std::uint32_t one = 1) {
  std::uint32_t message[16] = {of.words[0], of.words[1], of.words[2], of.words[3], of.words[4], i,
                               0x80000000u, 0,           0,           0,           0,           0,
                               0,           0,           0,           192};
  return sha1(message, one);
}
EVENLY_INLINE_FN std::uint32_t value_of(const node& of) { return of.words[4] & 0x7FFFFFFFu; }

/// The numbers of children of nodes. Trivially copyable; `thresholds` must be in the memory of the executor.
struct rule {
  /// [depth][j]: values from this threshold on have more than j children. Followed by the bits of the float factor of
  /// logarithms for a first guess, which does not affect the result.
  const std::uint32_t* thresholds;
  static constexpr int row = max_children + 1; ///< words per depth
  int geometric_depths; ///< nodes at lower depths have children by thresholds; deeper nodes have none
  std::uint32_t below;  ///< a node has `children` children if its value is less than this, else none
  int children;
  int of_root;           ///< -1: like other nodes
  std::uint32_t one = 1; ///< for sha1

  EVENLY_INLINE_FN int operator()(const node& of, int depth) const {
    if (depth == 0 && of_root >= 0) return of_root;
    const std::uint32_t value = value_of(of);
    if (depth >= geometric_depths) return value < below ? children : 0;
    const std::uint32_t* const all = thresholds + depth * row;
    int count = guess(value, std::bit_cast<float>(all[max_children]));
    while (count < max_children && value >= all[count]) ++count;
    while (count > 0 && value < all[count - 1]) --count;
    return count;
  }

 private:
  EVENLY_INLINE_FN static int guess(std::uint32_t value, float scale) {
    const float rest = static_cast<float>(0x80000000u - value); // of 2^31
#if defined(__CUDA_ARCH__)
    const float logarithm = __log2f(rest) - 31;
#else
    const float logarithm = std::log2(rest) - 31;
#endif
    return smaller(static_cast<int>(logarithm * scale), max_children);
  }
};

/// The expected number of children of a node at this depth.
inline double branching_at(const parameters& of, int depth) {
  if (depth == 0) return of.branching;
  const double at = depth, deepest = of.depth;
  switch (of.form) {
  case shape::linear:
    return of.branching * (1.0 - at / deepest);
  case shape::exponential:
    return of.branching * std::pow(at, -std::log(of.branching) / std::log(deepest));
  case shape::cyclic:
    return depth > 5 * of.depth ? 0.0
                                : std::pow(of.branching, std::sin(2.0 * 3.141592653589793 * at / deepest));
  case shape::fixed:
    break;
  }
  return depth < of.depth ? of.branching : 0.0;
}

/// The smallest value for which a node with `branching` expected children has more than j.
inline std::uint32_t threshold(double branching, int j) {
  if (branching <= 0) return 0x80000000u; // never
  const double denominator = std::log(1.0 - 1.0 / (1.0 + branching));
  std::uint64_t low = 0, high = std::uint64_t{1} << 31;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    const double u = static_cast<double>(middle) / 2147483648.0;
    if (std::floor(std::log(1.0 - u) / denominator) > j)
      high = middle;
    else
      low = middle + 1;
  }
  return static_cast<std::uint32_t>(low);
}

/// Maximum number of depths with thresholds. An exponential tree has no last depth; it dies out.
inline int geometric_depths(const parameters& of) {
  if (of.type == tree::binomial) return 0;
  if (of.type == tree::hybrid) return static_cast<int>(std::ceil(0.5 * of.depth));
  return of.form == shape::cyclic ? 5 * of.depth + 1 : of.form == shape::exponential ? 1000 : of.depth;
}

/// Computes the thresholds of rule on the host.
inline std::vector<std::uint32_t> thresholds_of(const parameters& of) {
  std::vector<std::uint32_t> all;
  for (int depth = 0; depth < geometric_depths(of); ++depth) {
    const double branching = branching_at(of, depth);
    for (int j = 0; j < max_children; ++j) all.push_back(threshold(branching, j));
    const double scale = branching > 0 ? 1 / std::log2(1.0 - 1.0 / (1.0 + branching)) : 0;
    all.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(scale)));
  }
  return all;
}
inline rule rule_of(const parameters& of, const std::uint32_t* thresholds) {
  const bool ends_binomial = of.type != tree::geometric;
  return {thresholds, geometric_depths(of),
          ends_binomial ? static_cast<std::uint32_t>(std::ceil(of.probability * 2147483648.0)) : 0,
          of.children, of.type == tree::binomial ? static_cast<int>(of.branching) : -1};
}

/// Children [first, first + count) of a node; the task is the first of them. With count 0, the node itself: the root.
struct task {
  node parent{};
  std::uint32_t depth = 0;
  std::uint16_t first = 0;
  std::uint16_t count = 0;
};
inline task root_task(std::uint32_t seed) { return {root_of(seed), 0, 0, 0}; }

/// One task per node. The sum is the number of leaves.
struct search {
  static constexpr int max_children = 3;
  static constexpr int block_size = 640; // SHA-1 needs many registers
  using form = tasks::in_step;

  rule children;

  template <class Team, class Sink> EVENLY_FN void operator()(Team& team, const task& of, Sink& sink) const {
    const bool has = team.has_task();
    node mine = child_of(of.parent, of.first, children.one);
    if (of.count == 0) mine = of.parent;
    const int count = has ? children(mine, static_cast<int>(of.depth)) : 0;
    if (has && count == 0) sink.add(1);
    const int others = of.count > 1 ? of.count - 1 : 0, near = (others + 1) / 2, far = others - near;
    sink.push(has && far > 0, range(of.parent, of.depth, of.first + 1 + near, far));
    sink.push(has && near > 0, range(of.parent, of.depth, of.first + 1, near));
    sink.push(count > 0, range(mine, of.depth + 1, 0, count));
  }

  /// Children [first, first + count) of a node.
  EVENLY_FN static task range(const node& of, std::uint32_t depth, int first, int count) {
    return {of, depth, static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(count)};
  }
};

} // namespace evenly::uts
