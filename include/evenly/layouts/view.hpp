// SPDX-License-Identifier: Apache-2.0
// The view of an access plan for kernels. One body serves all layouts:
//
//   const auto slots = view.template lay_out<T>(layout);          // in lay_out: storage, if the layout needs any
//   const auto A = view.open(block, slots, a, copy);              // by all threads of the block
//   for each position q that the thread has:
//     const std::int64_t t = view.job(A, q);                      // the thread of P that has these references
//     T value = view.load(A, q, r);                               // A[P[r * T + t]], for r in [0, K)
//     view.each<T>(A, q, visit);                                  // or visit(value) for all r, in order: on a GPU
//                                                                 // several loads are in flight at a time
//
// A position is the number of a thread in the order of the plan; its job is the thread of P whose work it does. `a` is
// A itself, `copy` the result of access_plan::refresh (plan.hpp). for_each_job is such a kernel. choice/forecast.hpp
// computes ahead of time the memory accesses of each request of a warp.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/layouts/detail/reading.hpp"

namespace evenly::layouts {

/// The slots of layouts without storage.
struct takes_no_slots {};

/// Half-open.
struct position_range {
  std::int64_t first;
  std::int64_t last;
};

/// The positions of warp `warp`, numbered over all blocks of `block` threads; the last warp of a block may be partial.
EVENLY_FN constexpr position_range positions_of_warp(std::int64_t warp, std::int64_t threads, int block,
                                                     int warp_size) {
  const std::int64_t in_block = ceil_div(block, warp_size);
  const std::int64_t begin = warp / in_block * block;
  const std::int64_t first = begin + warp % in_block * warp_size;
  const std::int64_t last = smaller(smaller(first + warp_size, begin + block), threads);
  return {first, larger(first, last)};
}
EVENLY_FN constexpr std::int64_t warps_in(std::int64_t threads, int block, int warp_size) {
  const std::int64_t rest = threads % block;
  return threads / block * ceil_div(block, warp_size) + ceil_div<std::int64_t>(rest, warp_size);
}

/// Arrays as seen by the threads of a block.
template <class Data, class Index, class Jobs> struct opened_arrays {
  Data data;
  Index index;
  Jobs jobs;
};

/// An index for each reference, to A or to a copy of it. For the layouts none, sort_threads, reorder and pad.
template <class I> struct indexed_view {
  std::int64_t threads;
  std::int64_t references;
  const I* jobs;  ///< null: position q has job q
  const I* index; ///< of reference r at position q: index[r * threads + q]
  bool copied;    ///< whether indices refer to the copy

  template <class T> EVENLY_FN takes_no_slots lay_out(storage_layout&) const { return {}; }
  template <class Block, class T>
  EVENLY_FN auto open(Block& block, takes_no_slots, const T* a, const T* copy) const {
    return opened_arrays<decltype(detail::lasting(block, a)), decltype(detail::streaming(block, index)),
                         decltype(detail::streaming(block, jobs))>{detail::lasting(block, copied ? copy : a),
                                                                   detail::streaming(block, index),
                                                                   detail::streaming(block, jobs)};
  }
  template <class Opened> EVENLY_FN std::int64_t job(const Opened& opened, std::int64_t q) const {
    if (jobs == nullptr) return q;
    I of = opened.jobs[q];
    return of;
  }
  template <class T, class Opened>
  EVENLY_INLINE_FN T load(const Opened& opened, std::int64_t q, std::int64_t r) const {
    I slot = opened.index[r * threads + q];
    T value = opened.data[slot];
    return value;
  }
  /// Calls visit(load(opened, q, r)) for all r, in order.
  template <class T, class Opened, class Visit>
  EVENLY_INLINE_FN void each(const Opened& opened, std::int64_t q, const Visit& visit) const {
    detail::visit_each<T>(references, [&](std::int64_t r) { return load<T>(opened, q, r); }, visit);
  }
};

/// The references of consecutive jobs, in the order of P: position q has job first + q. This `threads` is the number of
/// these jobs. It hides that of the base, which is the distance between two references of a job.
template <class I> struct some_jobs_view : indexed_view<I> {
  std::int64_t threads;
  std::int64_t first;

  template <class Opened> EVENLY_FN std::int64_t job(const Opened&, std::int64_t q) const {
    return first + q;
  }
};

/// The first `cut` threads have a contiguous copy for each reference; the others refer to A. For the layout duplicate.
template <class I> struct duplicate_view {
  std::int64_t threads;
  std::int64_t references;
  std::int64_t cut;
  const I* index; ///< P

  template <class T> EVENLY_FN takes_no_slots lay_out(storage_layout&) const { return {}; }
  template <class Data, class Copy, class Index> struct opened {
    Data data;
    Copy copy;
    Index index;
  };
  template <class Block, class T>
  EVENLY_FN auto open(Block& block, takes_no_slots, const T* a, const T* copy) const {
    return opened<decltype(detail::lasting(block, a)), decltype(detail::streaming(block, copy)),
                  decltype(detail::streaming(block, index))>{
        detail::lasting(block, a), detail::streaming(block, copy), detail::streaming(block, index)};
  }
  template <class Opened> EVENLY_FN std::int64_t job(const Opened&, std::int64_t q) const { return q; }
  template <class T, class Opened>
  EVENLY_INLINE_FN T load(const Opened& o, std::int64_t q, std::int64_t r) const {
    return q < cut ? load_copied<T>(o, q, r) : load_original<T>(o, q, r);
  }
  template <class T, class Opened, class Visit>
  EVENLY_INLINE_FN void each(const Opened& o, std::int64_t q, const Visit& visit) const {
    if (q < cut)
      detail::visit_each<T>(references, [&](std::int64_t r) { return load_copied<T>(o, q, r); }, visit);
    else
      detail::visit_each<T>(references, [&](std::int64_t r) { return load_original<T>(o, q, r); }, visit);
  }

 private:
  template <class T, class Opened>
  EVENLY_INLINE_FN T load_copied(const Opened& o, std::int64_t q, std::int64_t r) const {
    T value = o.copy[r * cut + q];
    return value;
  }
  template <class T, class Opened>
  EVENLY_INLINE_FN T load_original(const Opened& o, std::int64_t q, std::int64_t r) const {
    I element = o.index[r * threads + q];
    T value = o.data[element];
    return value;
  }
};

/// Each block has its elements in storage, and references are 16-bit slots there. Blocks whose elements do not fit
/// refer to A. For the layouts share and share_accumulate.
template <class I> struct share_view {
  std::int64_t threads;
  std::int64_t references;
  int block;
  const I* jobs;              ///< null: position q has job q
  const I* index;             ///< P in the order of positions, for blocks without storage
  const I* elements;          ///< of all blocks, ascending within a block
  const std::int64_t* starts; ///< of block b in `elements` and in a packed copy
  const std::int32_t* sizes;  ///< of block b; negative: its elements do not fit
  const std::uint16_t*
      local;   ///< of reference r at position q of block b: local[(b * references + r) * block + q % block]
  int max;     ///< the largest size
  bool copied; ///< whether elements are packed in the copy

  template <class T> EVENLY_FN slot<T> lay_out(storage_layout& layout) const { return layout.take<T>(max); }

  template <class Storage, class Data, class Index, class Jobs, class Local> struct opened {
    Storage storage;
    Data data;
    Index index;
    Jobs jobs;
    Local local;
    std::int64_t
        first_slot; ///< local[first_slot + r * block + q] is of reference r at position q of this block
    bool stored;
  };
  template <class Block, class T>
  EVENLY_FN auto open(Block& by, slot<T> slots, const T* a, const T* copy) const {
    const auto storage = by.storage(slots);
    const auto data = detail::lasting(by, a);
    const auto packed = detail::streaming(by, copy);
    const auto list = detail::streaming(by, elements);
    const auto all_starts = traced(by, starts);
    const auto all_sizes = traced(by, sizes);
    const std::int64_t start = all_starts[by.index()];
    const std::int32_t size = all_sizes[by.index()];
    for (int first = 0; first < size;
         first += by.size()) { // by all: a divergent copy of the body would split the warp
      const int i = first + by.rank();
      if (i >= size) continue;
      if (copied) {
        T value = packed[start + i];
        storage[i] = value;
      } else {
        I element = list[start + i];
        T value = data[element];
        storage[i] = value;
      }
    }
    by.sync();
    return opened<decltype(by.storage(slots)), decltype(detail::lasting(by, a)),
                  decltype(detail::streaming(by, index)), decltype(detail::streaming(by, jobs)),
                  decltype(detail::streaming(by, local))>{storage,
                                                          data,
                                                          detail::streaming(by, index),
                                                          detail::streaming(by, jobs),
                                                          detail::streaming(by, local),
                                                          std::int64_t{by.index()} * block * (references - 1),
                                                          size >= 0};
  }
  template <class Opened> EVENLY_FN std::int64_t job(const Opened& o, std::int64_t q) const {
    if (jobs == nullptr) return q;
    I of = o.jobs[q];
    return of;
  }
  template <class T, class Opened>
  EVENLY_INLINE_FN T load(const Opened& o, std::int64_t q, std::int64_t r) const {
    return o.stored ? load_stored<T>(o, q, r) : load_original<T>(o, q, r);
  }
  template <class T, class Opened, class Visit>
  EVENLY_INLINE_FN void each(const Opened& o, std::int64_t q, const Visit& visit) const {
    if (o.stored)
      detail::visit_each<T, stored_under_way>(
          references, [&](std::int64_t r) { return load_stored<T>(o, q, r); }, visit);
    else
      detail::visit_each<T, stored_under_way>(
          references, [&](std::int64_t r) { return load_original<T>(o, q, r); }, visit);
  }

 private:
  template <class T, class Opened>
  EVENLY_INLINE_FN T load_stored(const Opened& o, std::int64_t q, std::int64_t r) const {
    std::uint16_t slot = o.local[o.first_slot + r * block + q];
    T value = detail::read_stored<T>(o.storage[slot]);
    return value;
  }
  template <class T, class Opened>
  EVENLY_INLINE_FN T load_original(const Opened& o, std::int64_t q, std::int64_t r) const {
    I element = o.index[r * threads + job(o, q)];
    T value = o.data[element];
    return value;
  }
};

/// Loads the references of one position. Few: a position has few references. They are loaded one by one, and loads of
/// several positions are in flight at a time.
template <class T, class View, class Opened, bool Few> struct position_loads {
  const View& view;
  const Opened& opened;
  std::int64_t position; ///< the body has its job

  /// A[P[r * T + job]]. Requires 0 <= r < K.
  EVENLY_INLINE_FN T operator()(std::int64_t r) const { return view.template load<T>(opened, position, r); }
  /// Calls visit(load(r)) for r = 0, ..., K - 1, in order. On a GPU several loads are in flight at a time.
  template <class Visit> EVENLY_INLINE_FN void each(const Visit& visit) const {
    if constexpr (Few) {
      EVENLY_DO_NOT_UNROLL
      for (std::int64_t r = 0; r < view.references; ++r) visit((*this)(r));
    } else {
      view.template each<T>(opened, position, visit);
    }
  }
};

/// Calls body(block, job, load) for every position of the block.
template <class T, class View, class Body> struct access_kernel {
  static constexpr int tuned_block_size = 256;
  static constexpr std::int64_t few = 2; ///< references

  View view;
  const T* a;
  const T* copy;
  std::int64_t per_block;
  Body body;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape) const {
    return view.template lay_out<T>(layout);
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto opened = view.open(block, lay_out(layout, block.shape()), a, copy);
    const std::int64_t first = block.index() * per_block + block.rank();
    const std::int64_t last = smaller((block.index() + 1) * per_block, view.threads);
    if (loads_under_way > 1 && view.references <= few) {
      EVENLY_UNROLL_BY_FOUR
      for (std::int64_t q = first; q < last; q += block.size()) do_job<true>(block, opened, q);
    } else {
      EVENLY_DO_NOT_UNROLL
      for (std::int64_t q = first; q < last; q += block.size()) do_job<false>(block, opened, q);
    }
  }

 private:
  template <bool Few, class Block, class Opened>
  EVENLY_INLINE_FN void do_job(Block& block, const Opened& opened, std::int64_t q) const {
    body(block, view.job(opened, q), position_loads<T, View, Opened, Few>{view, opened, q});
  }
};

} // namespace evenly::layouts
