// SPDX-License-Identifier: Apache-2.0
// A forecast of the memory accesses of for_each_job under a plan: requests of warps, and the sectors they touch, as
// trace/trace.hpp counts them. It covers all loads of elements, indices, jobs and lists, but not other loads of the
// body. It is the objective of layouts, computed on the executor.
//
// Few sectors per request are not the only goal. Cached sectors cost little, and sorting makes neighbouring warps load
// the same sectors; the forecast does not include this.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly::layouts {

struct access_forecast {
  std::int64_t requests = 0;
  std::int64_t sectors = 0;

  friend bool operator==(const access_forecast&, const access_forecast&) = default;
};

} // namespace evenly::layouts

namespace evenly::detail {

struct both_counts {
  using value_type = layouts::access_forecast;
  static constexpr bool commutative = true;
  EVENLY_FN value_type identity() const { return {}; }
  EVENLY_FN value_type operator()(const value_type& a, const value_type& b) const {
    return {a.requests + b.requests, a.sectors + b.sectors};
  }
};

/// The sectors of one request of up to 64 lanes.
class sectors_of_request {
 public:
  EVENLY_FN void touch(std::uint64_t address) {
    const std::uint64_t sector = address / layouts::access_objective::sector_bytes;
    for (int i = count_ - 1; i >= 0; --i)
      if (seen_[i] == sector) return;
    seen_[count_++] = sector;
  }
  EVENLY_FN int count() const { return count_; }

 private:
  std::uint64_t seen_[64];
  int count_ = 0;
};

/// Adds the requests of lanes [0, lanes) with has(lane), each of which loads a T at address(lane). A T is loaded in
/// pieces of its alignment.
template <class T, class Has, class Address>
EVENLY_FN void add_load(layouts::access_forecast& all, int lanes, const Has& has, const Address& address) {
  constexpr int piece = alignof(T) < 16 ? alignof(T) : 16;
  for (int at = 0; at < static_cast<int>(sizeof(T)); at += piece) {
    sectors_of_request touched;
    for (int lane = 0; lane < lanes; ++lane)
      if (has(lane))
        touched.touch(reinterpret_cast<std::uint64_t>(address(lane)) + static_cast<std::uint64_t>(at));
    all.requests += touched.count() > 0;
    all.sectors += touched.count();
  }
}
struct every_lane {
  EVENLY_FN bool operator()(int) const { return true; }
};

/// Adds the loads of a warp with positions [q.first, q.last).
template <class T, class I>
EVENLY_FN void add_warp(layouts::access_forecast& all, const layouts::indexed_view<I>& v,
                        layouts::position_range q, const T* a, const T* copy) {
  const int lanes = static_cast<int>(q.last - q.first);
  const T* const data = v.copied ? copy : a;
  if (v.jobs != nullptr)
    add_load<I>(all, lanes, every_lane{}, [&](int lane) { return v.jobs + q.first + lane; });
  for (std::int64_t r = 0; r < v.references; ++r) {
    const I* const index = v.index + r * v.threads + q.first;
    add_load<I>(all, lanes, every_lane{}, [&](int lane) { return index + lane; });
    add_load<T>(all, lanes, every_lane{}, [&](int lane) { return data + index[lane]; });
  }
}
template <class T, class I>
EVENLY_FN void add_warp(layouts::access_forecast& all, const layouts::duplicate_view<I>& v,
                        layouts::position_range q, const T* a, const T* copy) {
  const int lanes = static_cast<int>(q.last - q.first);
  const auto in_copy = [&](int lane) { return q.first + lane < v.cut; };
  const auto in_a = [&](int lane) { return q.first + lane >= v.cut; };
  for (std::int64_t r = 0; r < v.references; ++r) {
    const I* const index = v.index + r * v.threads + q.first;
    add_load<T>(all, lanes, in_copy, [&](int lane) { return copy + r * v.cut + q.first + lane; });
    add_load<I>(all, lanes, in_a, [&](int lane) { return index + lane; });
    add_load<T>(all, lanes, in_a, [&](int lane) { return a + index[lane]; });
  }
}

/// Adds the loads of warp number `warp`, of `warp_size` lanes, in block b of `size` threads, while it fills storage.
template <class T, class I>
EVENLY_FN void add_staging(layouts::access_forecast& all, const layouts::share_view<I>& v, std::int64_t b,
                           int warp, int warp_size, const T* a, const T* copy) {
  const int first = warp * warp_size, lanes = smaller(warp_size, v.block - first);
  add_load<std::int64_t>(all, lanes, every_lane{}, [&](int) { return v.starts + b; });
  add_load<std::int32_t>(all, lanes, every_lane{}, [&](int) { return v.sizes + b; });
  for (int from = first; from < v.sizes[b]; from += v.block) {
    const int some = smaller(lanes, v.sizes[b] - from);
    const std::int64_t start = v.starts[b] + from;
    if (v.copied) {
      add_load<T>(all, some, every_lane{}, [&](int lane) { return copy + start + lane; });
    } else {
      add_load<I>(all, some, every_lane{}, [&](int lane) { return v.elements + start + lane; });
      add_load<T>(all, some, every_lane{}, [&](int lane) { return a + v.elements[start + lane]; });
    }
  }
}
template <class T, class I>
EVENLY_FN void add_warp(layouts::access_forecast& all, const layouts::share_view<I>& v,
                        layouts::position_range q, const T* a, const T*) {
  const int lanes = static_cast<int>(q.last - q.first);
  const std::int64_t b = q.first / v.block;
  const auto job = [&](int lane) {
    return v.jobs == nullptr ? q.first + lane : static_cast<std::int64_t>(v.jobs[q.first + lane]);
  };
  const auto add_jobs = [&] {
    if (v.jobs != nullptr)
      add_load<I>(all, lanes, every_lane{}, [&](int lane) { return v.jobs + q.first + lane; });
  };
  add_jobs();
  for (std::int64_t r = 0; r < v.references; ++r) {
    if (v.sizes[b] >= 0) {
      const std::uint16_t* const local = v.local + (b * v.references + r) * v.block + (q.first - b * v.block);
      add_load<std::uint16_t>(all, lanes, every_lane{}, [&](int lane) { return local + lane; });
    } else {
      const I* const index = v.index + r * v.threads;
      add_jobs();
      add_load<I>(all, lanes, every_lane{}, [&](int lane) { return index + job(lane); });
      add_load<T>(all, lanes, every_lane{}, [&](int lane) { return a + index[job(lane)]; });
    }
  }
}

/// Adds all loads of the warps of block `b`.
template <class View, class T> struct forecast_block {
  View view;
  int block;
  int warp_size;
  const T* a;
  const T* copy;
  EVENLY_FN layouts::access_forecast operator()(std::int64_t b) const {
    layouts::access_forecast all;
    for (int warp = 0; warp * warp_size < block; ++warp) {
      if constexpr (requires { view.sizes; }) add_staging(all, view, b, warp, warp_size, a, copy);
      const std::int64_t in_block = ceil_div(block, warp_size);
      const layouts::position_range q =
          layouts::positions_of_warp(b * in_block + warp, view.threads, block, warp_size);
      if (q.first < q.last) add_warp(all, view, q, a, copy);
    }
    return all;
  }
};

} // namespace evenly::detail

namespace evenly::layouts {

/// The loads of for_each_job(exec, plan, P, a, copy, ...) under the plan, in warps of plan.objective().warp lanes.
///
/// - a, copy: as for for_each_job. Their elements are not read.
/// - Cost: a pass over all references, and sector counts of each request. Allocates and synchronises.
/// - Throws invalid_argument if T has another size than the elements of the plan.
template <class Executor, class Layout, class I, class T>
access_forecast forecast(const Executor& exec, const access_plan<Executor, Layout, I>& plan, const T* a,
                         const T* copy) {
  plan.template require_type<T>();
  const auto view = plan.view();
  const int block = plan.shape().block;
  using of_block = detail::forecast_block<std::remove_const_t<decltype(view)>, T>;
  return reduce(exec, generated{of_block{view, block, plan.objective().warp, a, copy}},
                ceil_div<std::int64_t>(plan.shape().threads, block), detail::both_counts{});
}

} // namespace evenly::layouts
