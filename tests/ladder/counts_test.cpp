// SPDX-License-Identifier: Apache-2.0
// What simt counts of each version is what the version predicts, exactly, and what the course teaches of memory and
// storage shows in the counts.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "evenly/ladder/versions.hpp"
#include "evenly/trace/counted.hpp"
#include "evenly/trace/trace.hpp"
#include "ladder/promises.hpp"

namespace evenly::ladder {
namespace {

using sum = counted<plus<int>>;
using maps = counted<affine_maps>;

/// What `run(exec)` does on a simulated GPU.
template <class Run> trace_counts count(const Run& run) {
  trace counts;
  run(simt({.trace = &counts}));
  return counts.totals();
}

template <class Op, class Version> trace_counts count_reduction(const Version& version, std::int64_t n) {
  using T = typename Op::value_type;
  std::vector<T> data(static_cast<std::size_t>(n));
  T out{};
  return count([&](const simt& exec) {
    auto memory = version.template prepare<T>(exec, n);
    version(exec, data.data(), n, Op{}, &out, memory);
  });
}

template <class Version> trace_counts count_scan(const Version& version, prefixes kind, std::int64_t n) {
  const buffer<int> in = make_buffer<int>(simt(), static_cast<std::size_t>(n)); // aligned to a line of memory
  const buffer<int> out = make_buffer<int>(simt(), static_cast<std::size_t>(n));
  std::fill_n(in.data(), n, 1);
  return count([&](const simt& exec) {
    auto memory = version.template prepare<int>(exec, n);
    version(exec, kind, in.data(), n, sum{}, out.data(), memory);
  });
}

template <class Version>
trace_counts count_rotation(const Version& version, std::int64_t rows, std::int64_t cols) {
  const buffer<int> in = make_buffer<int>(simt(), static_cast<std::size_t>(rows * cols));
  const buffer<int> out = make_buffer<int>(simt(), static_cast<std::size_t>(rows * cols));
  std::fill_n(in.data(), rows * cols, 1);
  return count([&](const simt& exec) { version(exec, in.data(), rows, cols, out.data()); });
}

prediction counted_of(const trace_counts& seen) {
  return {seen.launches, seen.threads, seen.barriers, seen.steps, seen.operations};
}

const std::vector<std::int64_t> lengths{0,  1,   2,   3,   4,   5,    7,    8,    9,     31,     32,
                                        33, 100, 511, 512, 513, 1000, 1024, 1025, 10000, 1 << 14};

/// With what came out in place of what was expected, in a failure's message.
void expect_equal(const prediction& found, const prediction& right) {
  EXPECT_EQ(found.launches, right.launches);
  EXPECT_EQ(found.threads, right.threads);
  EXPECT_EQ(found.barriers, right.barriers);
  EXPECT_EQ(found.steps, right.steps);
  EXPECT_EQ(found.operations, right.operations);
}

TEST(LadderCounts, OfReductionsAreThePredicted) {
  for_each_reduction([&]<class Version>(Version version) {
    if constexpr (requires { version.predict(1); })
      for (const int block_size : {256, 16})
        for (const std::int64_t n : lengths) {
          SCOPED_TRACE(std::string(version.name) + " of " + std::to_string(n) + ", blocks of " +
                       std::to_string(block_size));
          version.block_size = block_size;
          expect_equal(counted_of(count_reduction<sum>(version, n)), version.predict(n));
        }
  });
}

TEST(LadderCounts, OfOrderedReductionsAreThePredicted) {
  for (const std::int64_t n : lengths) {
    SCOPED_TRACE(n);
    expect_equal(counted_of(count_reduction<maps>(reduce_interleaved{}, n)), reduce_interleaved{}.predict(n));
    expect_equal(counted_of(count_reduction<maps>(reduce_sequential{}, n)),
                 reduce_sequential{}.predict(n, false));
    expect_equal(counted_of(count_reduction<maps>(reduce_decomposed_unrolled{}, n)),
                 reduce_decomposed_unrolled{}.predict(n));
  }
}

TEST(LadderCounts, OfScansAreThePredicted) {
  for_each_scan([&]<class Version>(Version version) {
    if constexpr (requires { version.predict(prefixes::inclusive, 1); })
      for (const int block_size : {256, 16})
        for (const std::int64_t n : lengths)
          for (const prefixes kind : {prefixes::inclusive, prefixes::exclusive}) {
            SCOPED_TRACE(std::string(version.name) +
                         (kind == prefixes::inclusive ? ", inclusive" : ", exclusive") + ", of " +
                         std::to_string(n) + ", blocks of " + std::to_string(block_size));
            version.block_size = block_size;
            expect_equal(counted_of(count_scan(version, kind, n)), version.predict(kind, n));
          }
  });
}

TEST(LadderCounts, OfRotationsAreThePredicted) {
  for_each_rotation([&](const auto& version) {
    for (const auto& [rows, cols] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 5}, {1, 1}, {33, 64}, {100, 70}}) {
      SCOPED_TRACE(std::string(version.name) + " of " + std::to_string(rows) + " x " + std::to_string(cols));
      expect_equal(counted_of(count_rotation(version, rows, cols)), version.predict(rows, cols));
    }
  });
}

// --- closed forms for powers of two, as the course has them; n = 2^k, blocks of 256, so chunks of 512 = 2^9

TEST(LadderCounts, AreTheFormulasOfTheCourse) {
  for (const int k : {12, 15}) {
    const std::int64_t n = std::int64_t{1} << k;
    const trace_counts tree = count_reduction<sum>(reduce_interleaved{}, n);
    EXPECT_EQ(tree.steps, k);
    EXPECT_EQ(tree.operations, n - 1);
    EXPECT_EQ(tree.cost(), n / 2 * k);
    EXPECT_EQ(tree.launches, k);
    const trace_counts naive = count_scan(scan_naive{}, prefixes::inclusive, n);
    EXPECT_EQ(naive.steps, k);
    EXPECT_EQ(naive.operations, n * k - n + 1);
    EXPECT_EQ(naive.cost(), n * k);
    const trace_counts efficient = count_scan(scan_work_efficient{}, prefixes::exclusive, n);
    const std::int64_t chunks = n / 512;
    EXPECT_EQ(efficient.steps,
              2 * k + 2); // 2 log2 512 in the chunks, 2 log2 chunks in their sums, 2 to add them
    EXPECT_EQ(efficient.operations, chunks * 2 * 511 + 2 * (chunks - 1) + n - 512);
  }
}

TEST(LadderCounts, TellWorkFromCost) {
  const auto by_n = [](const auto& counts_of,
                       auto measure) { // how it grows, element by element, from 2^12 to 2^15
    return static_cast<double>(measure(counts_of(std::int64_t{1} << 15))) / 8 /
           static_cast<double>(measure(counts_of(std::int64_t{1} << 12)));
  };
  const auto work = [](const trace_counts& c) { return c.operations; };
  const auto cost = [](const trace_counts& c) { return c.cost(); };
  const auto naive = [](std::int64_t n) { return count_scan(scan_naive{}, prefixes::inclusive, n); };
  const auto efficient = [](std::int64_t n) {
    return count_scan(scan_work_efficient{}, prefixes::inclusive, n);
  };
  const auto tree = [](std::int64_t n) { return count_reduction<sum>(reduce_interleaved{}, n); };
  const auto fast = [](std::int64_t n) { return count_reduction<sum>(reduce_fast{}, n); };
  EXPECT_GT(by_n(naive, work), 1.2);
  EXPECT_LT(by_n(efficient, work), 1.05);
  EXPECT_LT(by_n(tree, work), 1.05);
  EXPECT_GT(by_n(tree, cost), 1.2);
  EXPECT_LT(by_n(fast, cost), 1.05);
}

// --- memory: 32-byte sectors a request

TEST(LadderCounts, SequentialAddressingIsCoalesced) {
  struct ordered { // not known to commute
    using value_type = int;
    EVENLY_FN int identity() const { return 0; }
    EVENLY_FN int operator()(int a, int b) const { return a + b; }
  };
  const std::int64_t n = 1 << 13;
  const buffer<int> data = make_buffer<int>(simt(), static_cast<std::size_t>(n));
  std::fill_n(data.data(), n, 1);
  int out = 0;
  const auto sectors = [&](const auto& version, const auto& op) {
    const trace_counts c = count([&](const simt& exec) {
      auto memory = version.template prepare<int>(exec, n);
      version(exec, data.data(), n, op, &out, memory);
    });
    return static_cast<double>(c.global_load_sectors) / static_cast<double>(c.global_load_requests);
  };
  EXPECT_GT(sectors(reduce_interleaved{}, sum{}), 12); // 8, 16, 32, 32 ... while warps are full
  EXPECT_LE(sectors(reduce_sequential{}, sum{}), 4);
  EXPECT_LE(sectors(reduce_decomposed{}, sum{}), 4);
  EXPECT_LE(sectors(reduce_sequential{}, ordered{}),
            8); // each asked for twice: by the even and by the odd elements
  EXPECT_LE(sectors(reduce_decomposed{}, ordered{}), 8);
}

TEST(LadderCounts, RotationIsCoalescedThroughStorage) {
  const std::int64_t requests = 128 * 64 / 32;
  const trace_counts direct = count_rotation(rotate_direct{}, 128, 64);
  EXPECT_EQ(direct.global_load_requests, requests);
  EXPECT_EQ(direct.global_load_sectors, 4 * requests);
  EXPECT_EQ(direct.global_store_requests, requests);
  EXPECT_EQ(direct.global_store_sectors, 32 * requests);
  const trace_counts plain = count_rotation(rotate_plain{}, 128, 64);
  EXPECT_EQ(plain.global_load_sectors, 4 * requests);
  EXPECT_EQ(plain.global_store_sectors, 4 * requests);
  EXPECT_EQ(plain.storage_store_wavefronts, requests);
  EXPECT_EQ(plain.storage_load_wavefronts, 32 * requests);
  EXPECT_EQ(plain.bank_conflicts(), 31 * requests);
  const trace_counts padded = count_rotation(rotate_padded{}, 128, 64);
  EXPECT_EQ(padded.global_store_sectors, 4 * requests);
  EXPECT_EQ(padded.storage_load_wavefronts, requests);
  EXPECT_EQ(padded.bank_conflicts(), 0);
}

// --- storage: wavefronts

/// Wavefronts beyond one a request, of the tree of a chunk of 2 b elements of 4 bytes without padding: 32
/// banks, strides of 2 d elements.
std::int64_t conflicts_of_tree(std::int64_t b) {
  std::int64_t conflicts = 0;
  for (std::int64_t d = 1, nodes = b; nodes >= 1; d *= 2, nodes /= 2) {
    const std::int64_t banks = 32 / smaller<std::int64_t>(2 * d, 32); // that a stride reaches
    const std::int64_t lanes = smaller<std::int64_t>(nodes, 32);
    const std::int64_t warps = ceil_div<std::int64_t>(nodes, 32);
    const std::int64_t accesses = 3 + 4; // up: two loads and a store; down: two of each
    conflicts += accesses * warps * (ceil_div(lanes, banks) - 1);
  }
  return conflicts;
}

TEST(LadderCounts, PaddingLeavesNoBankConflicts) {
  for (const int block_size : {32, 64, 128, 256, 512, 1024}) {
    SCOPED_TRACE(block_size);
    const std::int64_t n = 2 * block_size; // one chunk
    EXPECT_EQ(count_scan(scan_work_efficient{block_size}, prefixes::exclusive, n).bank_conflicts(),
              conflicts_of_tree(block_size));
    EXPECT_EQ(count_scan(scan_work_efficient_padded{block_size}, prefixes::exclusive, n).bank_conflicts(), 0);
  }
  EXPECT_EQ(count_scan(scan_work_efficient_padded{}, prefixes::inclusive, 10'000).bank_conflicts(), 0);
}

TEST(LadderCounts, InterleavedTreesHaveIdleLanesOrBankConflicts) {
  const std::int64_t n = 512; // one block of 8 warps
  const auto counted = [&](const auto& version) { return count_reduction<sum>(version, n); };
  const trace_counts divergent = counted(reduce_decomposed_divergent{});
  const trace_counts conflicting = counted(reduce_decomposed_conflicting{});
  const trace_counts sequential = counted(reduce_decomposed{});
  const auto storage_requests = [](const trace_counts& c) {
    return c.storage_load_requests + c.storage_store_requests;
  };
  // Each level has two loads and a store in each warp that has a pair; before, 8 stores, and after, a load. With
  // divergence all 8 warps have pairs until they are 32 apart; then each second one, each fourth.
  EXPECT_EQ(storage_requests(divergent), 8 + 3 * (5 * 8 + 4 + 2 + 1) + 1);
  EXPECT_EQ(storage_requests(conflicting), 8 + 3 * (4 + 2 + 1 + 1 + 1 + 1 + 1 + 1) + 1);
  EXPECT_EQ(storage_requests(sequential), storage_requests(conflicting));
  EXPECT_LT(divergent.request_lanes * 2, divergent.requests() * 32);
  EXPECT_EQ(conflicting.request_lanes, sequential.request_lanes);
  // Lanes are 2 s words apart: in full warps 2, 4 and 8 of them want a bank, then 8 of 16, 8 of 8, 4 of 4, 2 of 2.
  EXPECT_EQ(conflicting.bank_conflicts(), 3 * (4 * 1 + 2 * 3 + 7 + 7 + 7 + 3 + 1));
  EXPECT_EQ(divergent.bank_conflicts(), 0);
  EXPECT_EQ(sequential.bank_conflicts(), 0);
  EXPECT_EQ(divergent.operations, sequential.operations);
  EXPECT_EQ(divergent.barriers, sequential.barriers);
}

TEST(LadderCounts, UsedBytesTellFastFromInterleaved) {
  const std::int64_t n = 1 << 14;
  const buffer<int> data = make_buffer<int>(simt(), static_cast<std::size_t>(n));
  std::fill_n(data.data(), n, 1);
  int out = 0;
  const auto counted = [&](const auto& version) {
    return count([&](const simt& exec) {
      auto memory = version.template prepare<int>(exec, n);
      version(exec, data.data(), n, sum{}, &out, memory);
    });
  };
  const auto used = [](const trace_counts& c) {
    return static_cast<double>(c.bytes_wanted()) / static_cast<double>(c.bytes_moved());
  };
  const trace_counts fast = counted(reduce_fast{});
  EXPECT_EQ(fast.global_load_sectors,
            16 * fast.global_load_requests); // as many as the worst has, and all are used
  EXPECT_GT(used(fast), 0.99);
  EXPECT_LT(used(counted(reduce_interleaved{})), 0.3);
}

TEST(LadderCounts, TheLastWarpNeedsNoBarriers) {
  const trace_counts with = count_reduction<sum>(reduce_decomposed{}, 512 * 512);
  const trace_counts without = count_reduction<sum>(reduce_decomposed_unrolled{}, 512 * 512);
  EXPECT_EQ(with.barriers, 513 * 8);
  EXPECT_EQ(without.barriers, 513 * 3);
  EXPECT_EQ(with.operations, without.operations);
}

} // namespace
} // namespace evenly::ladder
