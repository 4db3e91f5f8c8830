// SPDX-License-Identifier: Apache-2.0
// What all benches have in common: a problem placed on an executor, and schedules on it.
//
// Each operation is said once, in its `placed`. What times runs is built on executor_bench (host_bench.hpp,
// bench_cuda.hpp); registry_bench on top of that has every schedule of the registry.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/csr.hpp"
#include "measure/bench.hpp"
#include "measure/metered_memory.hpp"
#include "measure/problem.hpp"

namespace evenly::cli {

/// A problem's arrays where an executor can use them:
///   tiles()          the tile set
///   out()            what run() writes; nothing that is right has an element `poison`
///   run(exec, plan)  the operation
/// and, where the operation's consumer is known,
///   consumer()       that of the skeleton which run() uses
template <class Executor, class Problem> class placed;

template <class Executor, class Value> class placed<Executor, spmv_problem<Value>> {
 public:
  using element = Value;
  static constexpr Value poison = std::numeric_limits<Value>::quiet_NaN();

  placed(const Executor& exec, const spmv_problem<Value>& p)
      : offsets_(to_executor(exec, std::span(p.a.offsets, static_cast<std::size_t>(p.a.rows) + 1))),
        columns_(to_executor(exec, std::span(p.a.columns, static_cast<std::size_t>(p.a.offsets[p.a.rows])))),
        values_(to_executor(exec, std::span(p.a.values, columns_.size()))), x_(to_executor(exec, p.x)),
        y_(make_buffer<Value>(exec, static_cast<std::size_t>(p.a.rows))),
        a_{p.a.rows, p.a.cols, offsets_.data(), columns_.data(), values_.data()} {}

  auto tiles() const { return rows_of(a_); }
  std::span<Value> out() const { return y_.span(); }
  template <class Plan> void run(const Executor& exec, Plan& plan) const {
    spmv(exec, plan, a_, x_.span(), y_.span());
  }

  const csr_view<Value>& a() const { return a_; }
  std::span<const Value> x() const { return x_.span(); }

 private:
  buffer<int> offsets_;
  buffer<int> columns_;
  buffer<Value> values_;
  buffer<Value> x_;
  buffer<Value> y_;
  csr_view<Value> a_;
};

template <class Executor> class placed<Executor, expand_problem> {
 public:
  using element = int;
  static constexpr int poison = -1;

  placed(const Executor& exec, const expand_problem& p)
      : offsets_(to_executor(exec, p.offsets)),
        tile_of_(make_buffer<int>(exec, static_cast<std::size_t>(p.offsets.back()))) {}

  csr_tile_set<int> tiles() const { return {offsets_.data(), static_cast<int>(offsets_.size()) - 1}; }
  std::span<int> out() const { return tile_of_.span(); }
  std::span<const int> offsets() const { return offsets_.span(); }
  template <class Plan> void run(const Executor& exec, Plan& plan) const {
    expand(exec, plan, tile_of_.span());
  }

 private:
  buffer<int> offsets_;
  buffer<int> tile_of_;
};

/// Adds a tile's number and one to the number of an atom.
struct add_tile {
  int* numbers;
  EVENLY_FN void operator()(int tile, int atom) const {
    numbers[atom] = static_cast<int>(static_cast<unsigned>(numbers[atom]) + static_cast<unsigned>(tile) + 1U);
  }
};

template <class Executor> class placed<Executor, update_problem> {
 public:
  using element = int;
  static constexpr int poison = -1;

  placed(const Executor& exec, const update_problem& p)
      : offsets_(to_executor(exec, p.offsets)),
        numbers_(make_buffer<int>(exec, static_cast<std::size_t>(p.offsets.back()))) {}

  csr_tile_set<int> tiles() const { return {offsets_.data(), static_cast<int>(offsets_.size()) - 1}; }
  std::span<int> out() const { return numbers_.span(); }
  std::span<const int> offsets() const { return offsets_.span(); }
  add_tile visit() const { return {numbers_.data()}; }
  for_each_atom_consumer<csr_tile_set<int>, add_tile> consumer() const { return {tiles(), visit()}; }
  template <class Plan> void run(const Executor& exec, Plan& plan) const {
    for_each_atom(exec, plan, visit());
  }

 private:
  buffer<int> offsets_;
  buffer<int> numbers_;
};

/// The elements of an array that block b of a kernel has: those of [b * per_block, (b + 1) * per_block) below `size`.
struct block_elements {
  std::int64_t size;
  std::int64_t per_block;

  template <class Block, class Body> EVENLY_FN void for_each(const Block& block, const Body& body) const {
    const std::int64_t first = block.index() * per_block;
    const std::int64_t last = smaller(first + per_block, size);
    for (std::int64_t i = first + block.rank(); i < last; i += block.size()) body(i);
  }
};

template <class T> struct fill_elements {
  block_elements own;
  T* to;
  T value;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    own.for_each(block, [&](std::int64_t i) { to[i] = value; });
  }
};

template <class T> struct copy_elements {
  block_elements own;
  T* to;
  const T* from;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    own.for_each(block, [&](std::int64_t i) { to[i] = from[i]; });
  }
};

/// Stores 1 in *differ if the bits of an element do.
template <class T> struct compare_elements {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  block_elements own;
  const T* a;
  const T* b;
  int* differ;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    bool found = false;
    own.for_each(block,
                 [&](std::int64_t i) { found |= std::bit_cast<bits>(a[i]) != std::bit_cast<bits>(b[i]); });
    if (found) atomic_ref(*differ).store(1);
  }
};

/// An executor like `exec` whose memory comes from `memory`. Specialised where executors are known.
template <class Executor> Executor on_memory(const Executor& exec, std::pmr::memory_resource* memory);

template <class Executor, class Problem> class executor_bench : public bench {
 public:
  executor_bench(const Executor& exec, const Problem& p, const bench_options& options)
      : memory_(exec.resource()), exec_(on_memory(exec, &memory_)), data_(exec_, p), options_(options) {}

  void poison() override {
    over_elements([&](const block_elements& own) {
      return fill_elements<element>{own, data_.out().data(), placed_problem::poison};
    });
  }
  output result() override { return to_host(exec_, std::span<const element>(data_.out())); }

  void accept() override {
    if (accepted_.size() == 0) accepted_ = make_buffer<element>(exec_, data_.out().size());
    over_elements([&](const block_elements& own) {
      return copy_elements<element>{own, accepted_.data(), data_.out().data()};
    });
  }
  bool as_accepted() override {
    if (accepted_.size() == 0) return false;
    int differ = 0;
    const auto flag = to_executor(exec_, std::span<const int>(&differ, 1));
    over_elements([&](const block_elements& own) {
      return compare_elements<element>{own, accepted_.data(), data_.out().data(), flag.data()};
    });
    exec_.copy_to_host(&differ, flag.data(), sizeof(differ));
    return differ == 0;
  }

  std::size_t memory_in_use() const override { return memory_.in_use(); }

 protected:
  using placed_problem = placed<Executor, Problem>;
  using element = typename placed_problem::element;

  const Executor& exec() const { return exec_; }
  const placed_problem& data() const { return data_; }
  const bench_options& options() const { return options_; }

  template <class Schedule> candidate make_candidate(const char* name, const Schedule& schedule) {
    using plan_type = decltype(make_plan(exec_, schedule, data_.tiles()));
    candidate made{.name = name, .title = name, .is_schedule = true};
    schedule.parameters([&](const char* key, int value) { made.parameters.emplace_back(key, value); });
    made.prepare = [this, schedule]() -> prepared_run {
      auto plan = std::make_shared<plan_type>(make_plan(exec_, schedule, data_.tiles()));
      return {[this, plan] { data_.run(exec_, *plan); }, launches_of(*plan)};
    };
    return made;
  }

 private:
  template <class Plan> std::vector<launch_note> launches_of(const Plan& plan) const {
    const auto& each = plan.launch();
    const int block_size = Executor::serial_blocks ? 1 : each.shape.block_size;
    return {{each.shape.blocks, block_size, storage_of(each, block_size), cutting_blocks(each)}};
  }

  template <class Mapping> std::size_t storage_of(const launch_of<Mapping>& each, int block_size) const {
    if constexpr (requires(const placed_problem& data) { data.consumer(); }) {
      using kernel = skeleton_kernel<Mapping, decltype(data_.consumer())>;
      const block_shape shape{block_size, Executor::serial_blocks ? 1 : 32};
      return storage_bytes(kernel{each.mapping, data_.consumer()}, shape);
    } else {
      return 0;
    }
  }

  /// Runs the kernel make(which elements each block has) over the output.
  template <class Make> void over_elements(const Make& make) const {
    constexpr int block_size = 128;
    const auto size = static_cast<std::int64_t>(data_.out().size());
    const std::int64_t per_block = items_per_block(exec_, size, 64 * block_size);
    launch(exec_, {block_count(size, per_block), block_size}, make(block_elements{size, per_block}));
  }

  metered_memory memory_;
  Executor exec_;
  placed_problem data_;
  bench_options options_;
  buffer<element> accepted_;
};

/// Base, which is built on executor_bench, with every schedule of the registry.
template <class Base> class registry_bench : public Base {
 public:
  using Base::Base;

  std::vector<candidate> candidates(int block_size) override {
    std::vector<candidate> all;
    for_each_schedule([&](const char* name, auto schedule) {
      if (block_size > 0) schedule.block_size = block_size;
      all.push_back(this->make_candidate(name, schedule));
    });
    return all;
  }
};

} // namespace evenly::cli
