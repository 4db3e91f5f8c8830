// SPDX-License-Identifier: Apache-2.0
// The input of an access plan: the references A[P[r * T + t]] of T threads, K each.
//
// Reference r of thread t is to element P[r * T + t] of A, so that the indices of neighbouring threads are contiguous.
// An index_list is P with an epoch. The owner changes the epoch whenever the contents of P change; a plan for one epoch
// refuses another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly::layouts {

/// A view of P on the executor. Plans may keep it; the indices outlive them and do not change.
template <signed_of_32_or_64_bits I> struct index_list {
  const I* at = nullptr;
  std::int64_t count = 0;
  std::uint64_t epoch = 0;
  bool assumed_valid = false; ///< all indices are in range: plans do not check them

  index_list() = default;
  index_list(std::span<const I> indices, std::uint64_t epoch_of = 0)
      : at(indices.data()), count(static_cast<std::int64_t>(indices.size())), epoch(epoch_of) {}
  index_list(const buffer<I>& indices, std::uint64_t epoch_of = 0)
      : index_list(std::span<const I>(indices.data(), indices.size()), epoch_of) {}
  index_list(const std::vector<I>& indices, std::uint64_t epoch_of = 0)
      : index_list(std::span<const I>(indices), epoch_of) {}

  /// The same list, assumed valid, which saves a plan a pass over P. Undefined behaviour if an index is out of range.
  index_list assume_valid() const {
    index_list same = *this;
    same.assumed_valid = true;
    return same;
  }
  [[deprecated("use assume_valid")]] index_list vouched_for() const { return assume_valid(); }
};

/// The sizes of an access.
struct access_shape {
  std::int64_t threads = 0;    ///< T
  std::int64_t references = 1; ///< K: per thread
  std::int64_t elements = 0;   ///< of A
  int element_bytes = 4;
  int block = 256; ///< threads per block

  EVENLY_FN constexpr std::int64_t total_references() const { return threads * references; }
  [[deprecated("use total_references()")]] constexpr std::int64_t positions() const {
    return total_references();
  }
};

/// The objective: few sectors per request of a warp. A window is the memory that pad() fills for warps.
struct access_objective {
  static constexpr int sector_bytes = 32; ///< the smallest unit of a memory access

  int warp = 32;
  int window_sectors = 0; ///< 0: as many as the elements of a warp need if all differ

  EVENLY_FN constexpr int sectors_of_window(int element_bytes) const {
    return window_sectors > 0 ? window_sectors : ceil_div(warp * element_bytes, sector_bytes);
  }
};

} // namespace evenly::layouts

namespace evenly::detail {

/// Throws invalid_argument for invalid sizes.
inline void check_access(const layouts::access_shape& shape, const layouts::access_objective& objective) {
  const auto at_least = [](const char* name, std::int64_t value, std::int64_t min) {
    require(value >= min, [&] {
      return std::string(name) + " = " + std::to_string(value) + ": must be " + std::to_string(min) +
             " or more";
    });
  };
  at_least("threads", shape.threads, 0);
  at_least("references", shape.references, 0);
  at_least("elements", shape.elements, 0);
  at_least("element_bytes", shape.element_bytes, 1);
  at_least("window_sectors", objective.window_sectors, 0);
  check(launch_shape{.blocks = 0, .block_size = shape.block});
  require(objective.warp >= 1 && objective.warp <= 64 && (objective.warp & (objective.warp - 1)) == 0, [&] {
    return "warp = " + std::to_string(objective.warp) + ": must be a power of two from 1 to 64";
  });
  require(shape.references == 0 ||
              shape.threads <= std::numeric_limits<std::int64_t>::max() / 64 / shape.references,
          [&] {
            return std::to_string(shape.threads) + " threads with " + std::to_string(shape.references) +
                   " references each overflow their number";
          });
}

/// The number in P of a reference that is out of range, otherwise `none`.
template <class I> struct first_out_of_range {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const I* at;
  std::int64_t elements;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    return at[i] < 0 || at[i] >= elements ? i : none;
  }
};

/// Throws invalid_argument unless P has one index per reference, all in range. Synchronises.
template <class Executor, class I>
void check_indices(const Executor& exec, const layouts::index_list<I>& p,
                   const layouts::access_shape& shape) {
  require(p.count == shape.total_references(), [&] {
    return "P has " + std::to_string(p.count) + " indices, and " + std::to_string(shape.threads) +
           " threads with " + std::to_string(shape.references) + " references each need " +
           std::to_string(shape.total_references());
  });
  require_memory("P", p.at, p.count);
  require(shape.threads <= std::numeric_limits<I>::max() && shape.elements <= std::numeric_limits<I>::max(),
          [&] {
            return std::to_string(shape.threads) + " threads and " + std::to_string(shape.elements) +
                   " elements: numbers of " + std::to_string(8 * sizeof(I)) +
                   " bits, the index type of P, cannot number them";
          });
  if (p.count == 0 || p.assumed_valid) return;
  using bits = std::make_unsigned_t<I>; // negative numbers become the largest
  const bits greatest = reduce(exec, reinterpret_cast<const bits*>(p.at), p.count, maximum<bits>{});
  if (static_cast<std::uint64_t>(greatest) < static_cast<std::uint64_t>(shape.elements)) return;
  using search = first_out_of_range<I>;
  const std::int64_t bad =
      reduce(exec, generated{search{p.at, shape.elements}}, p.count, minimum<std::int64_t>{});
  I value{};
  exec.copy_to_host(&value, p.at + bad, sizeof(I));
  throw invalid_argument("P[" + std::to_string(bad) + "] = " + std::to_string(value) + " (reference " +
                         std::to_string(bad / shape.threads) + " of thread " +
                         std::to_string(bad % shape.threads) + "): there are " +
                         std::to_string(shape.elements) + " elements, numbered from 0");
}

} // namespace evenly::detail
