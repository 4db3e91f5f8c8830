// SPDX-License-Identifier: Apache-2.0
// Kernels that access memory and storage in the ways of which it is known what a GPU does for them, and what that is:
// the table of coalescing, and strides through the banks of storage. The test counts them on simt, bench_coalescing has
// Nsight Compute count them on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/trace/trace.hpp"

namespace evenly::accesses {

/// `Words` floats that are accessed at once.
template <int Words> struct alignas(4 * Words) element {
  float words[Words];
  EVENLY_FN static element of(int number) {
    element made{};
    EVENLY_UNROLL
    for (int w = 0; w < Words; ++w) made.words[w] = static_cast<float>(number + w);
    return made;
  }
  bool operator==(const element&) const = default;
};

/// Which element a thread of a grid accesses: base + thread x stride; if stride is negative, counted from the last
/// thread; if it is 0, one for each warp.
struct progression {
  int base;
  int stride;
  EVENLY_FN int operator()(int thread, int threads) const {
    if (stride == 0) return base + thread / 32;
    return base + (stride < 0 ? (thread - threads + 1) * stride : thread * stride);
  }
  /// The number that a thread stores there: its own, or its warp's if the warp shares the element.
  EVENLY_FN int number(int thread) const { return stride == 0 ? thread / 32 : thread; }
};

// Of each kernel, thread t of n leaves element::of(number(t, n)) in result[place(t, n)].

template <class T> struct strided_load {
  const T* input; ///< element::of(i) at i
  T* result;
  progression from;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto in = traced(block, input);
    const auto out = traced(block, result);
    const int thread = block.index() * block.size() + block.rank();
    const T value = in[from(thread, block.count() * block.size())];
    out[thread] = value;
  }
  int place(int thread, int) const { return thread; }
  int number(int thread, int threads) const { return from(thread, threads); }
};

template <class T> struct strided_store {
  T* result;
  progression to;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto out = traced(block, result);
    const int thread = block.index() * block.size() + block.rank();
    out[to(thread, block.count() * block.size())] = T::of(to.number(thread));
  }
  int place(int thread, int threads) const { return to(thread, threads); }
  int number(int thread, int) const { return to.number(thread); }
};

/// Every other lane loads and stores.
template <class T> struct half_warp {
  const T* input;
  T* result;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto in = traced(block, input);
    const auto out = traced(block, result);
    const int thread = (block.index() * block.size() + block.rank()) / 2 * 2;
    if (block.rank() % 2 == 0) {
      const T value = in[thread];
      out[thread] = value;
    }
  }
  int place(int thread, int) const { return thread / 2 * 2; }
  int number(int thread, int) const { return thread / 2 * 2; }
};

/// Blocks of one warp: each lane leaves its element at rank x stride in storage, and takes its neighbour's.
template <class T> struct strided_storage {
  T* result;
  int stride;

  EVENLY_FN slot<T> lay_out(storage_layout& layout, block_shape shape) const {
    return layout.take<T>(shape.size * stride);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto values = block.storage(lay_out(layout, block.shape()));
    const auto out = traced(block, result);
    const int first = block.index() * block.size();
    values[block.rank() * stride] = T::of(first + block.rank());
    block.sync();
    const T value = values[(block.rank() ^ 1) * stride];
    out[first + block.rank()] = value;
  }
  int place(int thread, int) const { return thread; }
  int number(int thread, int) const { return thread ^ 1; }
};

/// Blocks of one warp: all lanes read what the first has left in storage.
template <class T> struct broadcast_storage {
  T* result;

  EVENLY_FN static slot<T> lay_out(storage_layout& layout, block_shape) { return layout.take<T>(1); }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto values = block.storage(lay_out(layout, block.shape()));
    const auto out = traced(block, result);
    if (block.rank() == 0) values[0] = T::of(block.index());
    block.sync();
    const T value = values[0];
    out[block.index() * block.size() + block.rank()] = value;
  }
  int place(int thread, int) const { return thread; }
  int number(int thread, int) const { return thread / 32; }
};

/// Blocks of one warp: two lanes whose numbers differ in one bit read the same element of 16 that lie together.
template <class T> struct paired_storage {
  T* result;
  int bit;

  EVENLY_FN static slot<T> lay_out(storage_layout& layout, block_shape) { return layout.take<T>(32); }
  EVENLY_FN int shared(int rank) const { return rank >> (bit + 1) << bit | (rank & ((1 << bit) - 1)); }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto values = block.storage(lay_out(layout, block.shape()));
    const auto out = traced(block, result);
    const int first = block.index() * block.size();
    values[block.rank()] = T::of(first + block.rank());
    block.sync();
    const T value = values[shared(block.rank())];
    out[first + block.rank()] = value;
  }
  int place(int thread, int) const { return thread; }
  int number(int thread, int) const { return thread / 32 * 32 + shared(thread % 32); }
};

/// A row of the table, for elements of 4, 8 and 16 bytes: the sectors and lines of a request of 32 lanes, and the
/// different sectors of the four warps of a block.
struct coalescing {
  const char* name;
  progression pattern;
  std::int64_t sectors[3];
  std::int64_t lines[3];
  std::int64_t of_block[3];
};
inline constexpr coalescing coalescing_table[] = {
    {"unit stride", {0, 1}, {4, 8, 16}, {1, 2, 4}, {16, 32, 64}},
    {"off by one", {1, 1}, {5, 9, 17}, {2, 3, 5}, {17, 33, 65}},
    {"stride 2", {0, 2}, {8, 16, 32}, {2, 4, 8}, {32, 64, 128}},
    {"stride 8", {0, 8}, {32, 32, 32}, {8, 16, 32}, {128, 128, 128}},
    {"stride 9", {0, 9}, {32, 32, 32}, {9, 18, 32}, {128, 128, 128}},
    {"stride 32", {0, 32}, {32, 32, 32}, {32, 32, 32}, {128, 128, 128}},
    {"one address", {0, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 2}},
    {"reversed", {0, -1}, {4, 8, 16}, {1, 2, 4}, {16, 32, 64}}};

inline constexpr launch_shape many_warps{.blocks = 3, .block_size = 128};
inline constexpr launch_shape one_warp_each{.blocks = 3, .block_size = 32};
inline constexpr int max_threads = 3 * 128;
inline constexpr int max_elements = max_threads * 32 + 1;

/// What a launch of this shape counts before anything is accessed.
inline trace_counts counts_of(const launch_shape& shape) {
  return {.launches = 1, .blocks = shape.blocks, .threads = std::int64_t{shape.blocks} * shape.block_size};
}

/// Given the requests, sectors and bytes of requests that are all alike, the counts that follow from them.
inline trace_counts with_least(trace_counts counts) {
  const auto min_sectors = [](std::int64_t requests, std::int64_t bytes) {
    return requests == 0 ? 0 : (bytes / requests + 31) / 32 * requests;
  };
  counts.global_load_min_sectors = min_sectors(counts.global_load_requests, counts.global_load_bytes);
  counts.global_store_min_sectors = min_sectors(counts.global_store_requests, counts.global_store_bytes);
  counts.global_load_scattered =
      counts.global_load_sectors > counts.global_load_min_sectors ? counts.global_load_requests : 0;
  counts.global_store_scattered =
      counts.global_store_sectors > counts.global_store_min_sectors ? counts.global_store_requests : 0;
  return counts;
}

/// Calls visit(name, shape, kernel, counts) for every kernel on elements of 4 x Words bytes: what simt is to count.
/// `input` and `result` have max_elements elements, aligned to 128 bytes.
template <int Words, class Visit>
void each_of_size(const element<Words>* input, element<Words>* result, Visit visit) {
  using T = element<Words>;
  const std::string size = std::to_string(sizeof(T)) + " bytes";
  constexpr int column = Words == 1 ? 0 : Words == 2 ? 1 : 2;
  constexpr std::int64_t unit = 4 * Words; // sectors of a coalesced request
  for (const coalescing& row : coalescing_table) {
    const std::int64_t warps = std::int64_t{many_warps.blocks} * many_warps.block_size / 32;
    const std::int64_t wanted = (row.pattern.stride == 0 ? 1 : 32) * sizeof(T);
    trace_counts counts = counts_of(many_warps);
    counts.request_lanes = warps * 32;
    counts.global_store_requests = warps;
    counts.global_store_sectors = warps * row.sectors[column];
    counts.global_store_lines = warps * row.lines[column];
    counts.global_store_bytes = warps * wanted;
    counts.global_store_block_sectors = many_warps.blocks * row.of_block[column];
    visit("store " + size + ", " + row.name, many_warps, strided_store<T>{result, row.pattern},
          with_least(counts));
    counts.request_lanes *= 2;
    counts.global_load_requests = warps;
    counts.global_load_sectors = counts.global_store_sectors;
    counts.global_load_lines = counts.global_store_lines;
    counts.global_load_bytes = counts.global_store_bytes;
    counts.global_load_block_sectors = counts.global_store_block_sectors;
    counts.global_store_sectors = warps * unit;
    counts.global_store_lines = warps * Words;
    counts.global_store_bytes = warps * 32 * sizeof(T);
    counts.global_store_block_sectors = warps * unit;
    visit("load " + size + ", " + row.name, many_warps, strided_load<T>{input, result, row.pattern},
          with_least(counts));
    if (row.pattern.stride == 1 && row.pattern.base == 0) { // all sectors are touched still
      counts.request_lanes /= 2;
      counts.global_load_bytes /= 2;
      counts.global_store_bytes /= 2;
      visit("half a warp, " + size, many_warps, half_warp<T>{input, result}, with_least(counts));
    }
  }
  const std::int64_t blocks = one_warp_each.blocks;
  trace_counts counts = counts_of(one_warp_each);
  counts.barriers = counts.global_store_requests = counts.storage_load_requests =
      counts.storage_store_requests = blocks;
  counts.global_store_sectors = counts.global_store_block_sectors = blocks * unit;
  counts.global_store_lines = blocks * Words;
  counts.global_store_bytes = blocks * 32 * sizeof(T);
  counts.request_lanes = blocks * (1 + 32 + 32);
  counts.storage_store_wavefronts = blocks;
  counts.storage_load_wavefronts = blocks * ((Words + 1) / 2); // the parts of a warp are taken in pairs
  visit("storage, " + size + ", one address", one_warp_each, broadcast_storage<T>{result},
        with_least(counts));
  counts.request_lanes = blocks * 3 * 32;
  counts.storage_store_wavefronts = blocks * Words;
  for (const int bit : {0, 1, 2}) {
    counts.storage_load_wavefronts = blocks * (bit < 2 ? (Words + 1) / 2 : Words);
    visit("storage, " + size + ", pairs by bit " + std::to_string(bit), one_warp_each,
          paired_storage<T>{result, bit}, with_least(counts));
  }
  for (int stride = 1; stride <= 33; ++stride) {
    if (Words > 1 && stride > 17) break;
    // 32 / Words lanes go at once; each takes Words banks next to each other, of 32 / Words such places.
    const std::int64_t turns = std::gcd(stride, 32 / Words);
    counts.storage_load_wavefronts = counts.storage_store_wavefronts = blocks * Words * turns;
    counts.storage_load_conflicts = counts.storage_store_conflicts = blocks * Words * (turns - 1);
    visit("storage, " + size + ", stride " + std::to_string(stride), one_warp_each,
          strided_storage<T>{result, stride}, with_least(counts));
  }
}

/// What the kernels read on `exec`, and where they leave their results.
template <int Words, class Executor> class memory_of_size {
 public:
  explicit memory_of_size(const Executor& exec)
      : input_(to_executor(exec, numbers())), result_(make_buffer<element<Words>>(exec, max_elements)) {}
  template <class Visit> void each(Visit visit) const {
    each_of_size<Words>(input_.data(), result_.data(), visit);
  }

 private:
  static std::vector<element<Words>> numbers() {
    std::vector<element<Words>> all(max_elements);
    for (int i = 0; i < max_elements; ++i) all[i] = element<Words>::of(i);
    return all;
  }

  buffer<element<Words>> input_, result_;
};

/// Calls visit(name, shape, kernel, counts) for all kernels, with memory of `exec`.
template <class Executor, class Visit> void each(const Executor& exec, Visit visit) {
  memory_of_size<1, Executor>(exec).each(visit);
  memory_of_size<2, Executor>(exec).each(visit);
  memory_of_size<4, Executor>(exec).each(visit);
}

/// Runs `kernel` on `exec`; whether it left what it should.
template <class Executor, class Kernel>
bool runs_right(const Executor& exec, const launch_shape& shape, const Kernel& kernel) {
  using T = std::remove_pointer_t<decltype(kernel.result)>;
  exec.fill_zero(kernel.result, max_elements * sizeof(T));
  launch(exec, shape, kernel);
  const auto result = to_host(exec, std::span<const T>(kernel.result, max_elements));
  const int threads = shape.blocks * shape.block_size;
  bool all = true;
  for (int t = 0; t < threads; ++t)
    all = all && result[kernel.place(t, threads)] == T::of(kernel.number(t, threads));
  return all;
}

} // namespace evenly::accesses
