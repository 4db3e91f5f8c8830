// SPDX-License-Identifier: Apache-2.0
// The random edges of the GAP benchmark suite (S. Beamer, K. Asanovic, D. Patterson, "The GAP benchmark suite", 2015),
// as its generator draws them, for the host and for GPUs. Edges come in blocks of 2^18, each with a Mersenne Twister of
// its own seed.
#pragma once

#include <cstdint>
#include <limits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::generate {

/// The release of GAP whose graph is generated.
enum class gap_release {
  v1_4, ///< and before, with the distributions of libstdc++ up to GCC 10: the graphs of published tables
  v1_5
};

enum class gap_graph {
  kron, ///< Kronecker: R-MAT edges with the quarters of Graph500, vertices relabelled
  urand ///< uniformly random edges
};

/// The simple undirected graph of degree * 2^scale random edges on 2^scale vertices.
struct gap_shape {
  gap_graph graph = gap_graph::kron;
  int scale = 0;
  std::int64_t degree = 16;
  gap_release release = gap_release::v1_5;

  std::int64_t vertices() const { return std::int64_t{1} << scale; }
  std::int64_t edges() const { return degree << scale; } ///< before loops and duplicates are removed
};

inline constexpr std::uint32_t gap_seed = 27491095; ///< of every part of GAP
inline constexpr std::int64_t gap_block = 1 << 18;  ///< edges

/// std::mt19937 (M. Matsumoto, T. Nishimura, "Mersenne Twister", 1998), for kernels too. Each number of the state is
/// renewed when it is drawn.
class mersenne_twister {
 public:
  EVENLY_FN explicit mersenne_twister(std::uint32_t seed) {
    state_[0] = seed;
    for (int i = 1; i < size; ++i)
      state_[i] = 1812433253u * (state_[i - 1] ^ state_[i - 1] >> 30) + static_cast<std::uint32_t>(i);
  }

  EVENLY_FN std::uint32_t operator()() {
    const int next = at_ + 1 == size ? 0 : at_ + 1, other = at_ + 397 < size ? at_ + 397 : at_ + 397 - size;
    const std::uint32_t joined = (state_[at_] & 0x80000000u) | (state_[next] & 0x7fffffffu);
    std::uint32_t drawn = state_[other] ^ joined >> 1 ^ ((joined & 1) != 0 ? 0x9908b0dfu : 0);
    state_[at_] = drawn;
    at_ = next;
    drawn ^= drawn >> 11;
    drawn ^= drawn << 7 & 0x9d2c5680u;
    drawn ^= drawn << 15 & 0xefc60000u;
    return drawn ^ drawn >> 18;
  }

 private:
  static constexpr int size = 624;
  std::uint32_t state_[size];
  int at_ = 0;
};

struct gap_edge {
  int from, to, weight;
};

/// Draws the edges of one block after the other. 2^scale vertices, numbered as before GAP relabels `kron`.
struct gap_draws {
  gap_shape shape;

  /// Calls visit(number, edge) for edges `block` * gap_block to `end` at most, of this block.
  template <class Visit>
  EVENLY_FN void operator()(std::int64_t block, std::int64_t end, const Visit& visit) const {
    mersenne_twister of_ends(gap_seed + static_cast<std::uint32_t>(block)), of_weights = of_ends;
    const std::int64_t last = smaller((block + 1) * gap_block, end);
    for (std::int64_t k = block * gap_block; k < last; ++k) {
      gap_edge edge = shape.graph == gap_graph::kron ? kron(of_ends) : urand(of_ends);
      edge.weight = weight(of_weights);
      visit(k, edge);
    }
  }

 private:
  static constexpr std::uint32_t max = std::numeric_limits<std::uint32_t>::max();

  EVENLY_FN bool is_old() const { return shape.release == gap_release::v1_4; }

  /// One bit of both ends per level. The thresholds are rounded as in GAP.
  EVENLY_FN gap_edge kron(mersenne_twister& random) const {
    constexpr auto a = static_cast<std::uint32_t>(0.57 * max), b = static_cast<std::uint32_t>(0.19 * max),
                   c = b;
    gap_edge edge{};
    for (int level = 0; level < shape.scale; ++level) {
      const std::uint32_t draw = random();
      bool is_lower = draw >= a + b, is_right = is_lower ? draw > a + b + c : draw > a;
      if (is_old()) {
        const float at = canonical(draw);
        is_lower = at >= 0.57f + 0.19f;
        is_right = is_lower ? at > 0.57f + 0.19f + 0.19f : at > 0.57f;
      }
      edge.from = 2 * edge.from + (is_lower ? 1 : 0);
      edge.to = 2 * edge.to + (is_right ? 1 : 0);
    }
    return edge;
  }
  EVENLY_FN gap_edge urand(mersenne_twister& random) const {
    const std::uint32_t vertices = std::uint32_t{1} << shape.scale;
    gap_edge edge{};
    edge.from = static_cast<int>(below(random, vertices));
    edge.to = static_cast<int>(below(random, vertices));
    return edge;
  }
  /// Uniform in 1 to 255.
  EVENLY_FN int weight(mersenne_twister& random) const { return static_cast<int>(below(random, 255)) + 1; }

  /// Uniform in [0, range): the remainder or, in the old release, the quotient of a draw. Of draws that would make some
  /// results more frequent, the old release repeats all, the new one those that GAP repeats.
  EVENLY_FN std::uint32_t below(mersenne_twister& random, std::uint32_t range) const {
    const std::uint32_t quotient = max / range, left = max % range;
    const std::uint32_t limit = is_old() ? quotient * range : left == range - 1 ? 0 : max - left;
    std::uint32_t draw = 0;
    do draw = random();
    while (limit != 0 && draw >= limit);
    return is_old() ? draw / quotient : draw % range;
  }
  /// std::generate_canonical<float>: less than 1.
  EVENLY_FN static float canonical(std::uint32_t draw) {
    const float at = static_cast<float>(draw) * 0x1p-32f;
    return at < 1 ? at : 0x1.fffffep-1f;
  }
};

} // namespace evenly::generate
