// SPDX-License-Identifier: Apache-2.0
// Plans on a GPU for callers that may use another stream with every call. Only nvcc reads this header.
#pragma once

#include <array>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>

#include "evenly/execution/cuda.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "python/cuda_part.hpp"

namespace evenly::python {

/// The executor of a place. Its memory may be used on every stream of the device; allocating and freeing it waits.
const cuda& executor_of(const cuda_place& where);
/// The same with memory in the order of the stream, for temporaries of one call.
cuda with_stream_memory(const cuda& exec);

/// Orders uses of one piece of memory on several streams. Its owner holds a lock.
class stream_order {
 public:
  /// Before work on `exec`: its stream waits for the last use. The first change of streams waits for the device,
  /// because earlier uses left no event. Work that a graph captures is not ordered: it runs later.
  void begin(const cuda& exec);
  /// After the work was started.
  void end(const cuda& exec);

 private:
  std::optional<cudaStream_t> last_;
  std::optional<cuda_event> event_; ///< of the last use, once streams have changed
};

class cuda_rows {
 public:
  using plan_type = chosen_plan<cuda, automatic, csr_tile_set<int>>;

  /// Checks the offsets.
  cuda_rows(const cuda& exec, const csr_tile_set<int>& tiles);

  const csr_tile_set<int>& tiles() const { return tiles_; }
  const extent<csr_tile_set<int>>& all() const { return all_; }

  /// Calls body(plan) with the plan of the chosen schedule.
  template <class Body> void run(const cuda& exec, work_kind work, const Body& body) {
    alone(exec, [&] { plan_for(exec, work).visit(body); });
  }
  /// Calls body() while no other call uses these rows.
  template <class Body> void alone(const cuda& exec, const Body& body) {
    const std::scoped_lock lock(busy_);
    order_.begin(exec);
    body();
    order_.end(exec);
  }

  std::shared_ptr<void> search; ///< a search of the graph, kept by bfs

 private:
  plan_type& plan_for(const cuda& exec, work_kind work);

  std::mutex busy_;
  stream_order order_;
  csr_tile_set<int> tiles_;
  extent<csr_tile_set<int>> all_;
  std::array<std::optional<plan_type>, 5> plans_; ///< by work_kind
};

} // namespace evenly::python

namespace evenly {

// Compiled in cuda_rows.cu.
extern template class detail::plan_base<cuda, csr_tile_set<int>>;
extern template class chosen_plan<cuda, automatic, csr_tile_set<int>>;

} // namespace evenly
