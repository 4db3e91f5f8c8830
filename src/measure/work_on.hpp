// SPDX-License-Identifier: Apache-2.0
// A problem on an executor, the check of its output there, and the schedules of evenly::runtime that run on it.
//
// Each operation is defined once, in its specialization of on_device.
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
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/csr.hpp"
#include "measure/bench.hpp"
#include "measure/metered_memory.hpp"
#include "measure/problem.hpp"

namespace evenly::measure {

/// The arrays of a problem in the executor's memory:
///   tiles()          the tile set
/// out()            the output of run(); correct outputs have no element `poison`
///   run(plan)        the operation, under an any_plan of tiles()
template <class Executor, class Problem> class on_device;

template <class Executor, class Value> class on_device<Executor, spmv_problem<Value>> {
 public:
  using element = Value;
  static constexpr Value poison = std::numeric_limits<Value>::quiet_NaN();

  on_device(const Executor& exec, const spmv_problem<Value>& p)
      : offsets_(to_executor(exec, std::span(p.a.offsets, static_cast<std::size_t>(p.a.rows) + 1))),
        columns_(to_executor(exec, std::span(p.a.columns, static_cast<std::size_t>(p.a.offsets[p.a.rows])))),
        values_(to_executor(exec, std::span(p.a.values, columns_.size()))), x_(to_executor(exec, p.x)),
        y_(make_buffer<Value>(exec, static_cast<std::size_t>(p.a.rows))),
        a_{p.a.rows, p.a.cols, offsets_.data(), columns_.data(), values_.data()} {}

  auto tiles() const { return rows_of(a_); }
  std::span<Value> out() const { return y_.span(); }
  void run(any_plan<>& plan) const { plan.spmv(a_, x_.span(), y_.span()); }

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

template <class Executor> class on_device<Executor, expand_problem> {
 public:
  using element = int;
  static constexpr int poison = -1;

  on_device(const Executor& exec, const expand_problem& p)
      : offsets_(to_executor(exec, p.offsets)),
        tile_of_(make_buffer<int>(exec, static_cast<std::size_t>(p.offsets.back()))) {}

  csr_tile_set<int> tiles() const { return {offsets_.data(), static_cast<int>(offsets_.size()) - 1}; }
  std::span<int> out() const { return tile_of_.span(); }
  std::span<const int> offsets() const { return offsets_.span(); }
  void run(any_plan<>& plan) const { plan.expand(tile_of_.span()); }

 private:
  buffer<int> offsets_;
  buffer<int> tile_of_;
};

template <class Executor> class on_device<Executor, update_problem> {
 public:
  using element = int;
  static constexpr int poison = -1;

  on_device(const Executor& exec, const update_problem& p)
      : offsets_(to_executor(exec, p.offsets)),
        numbers_(make_buffer<int>(exec, static_cast<std::size_t>(p.offsets.back()))) {}

  csr_tile_set<int> tiles() const { return {offsets_.data(), static_cast<int>(offsets_.size()) - 1}; }
  std::span<int> out() const { return numbers_.span(); }
  std::span<const int> offsets() const { return offsets_.span(); }
  void run(any_plan<>& plan) const { plan.update(numbers_.span()); }

 private:
  buffer<int> offsets_;
  buffer<int> numbers_;
};

template <class Executor> class on_device<Executor, segments_problem> {
 public:
  using element = float;
  static constexpr float poison = std::numeric_limits<float>::quiet_NaN();

  on_device(const Executor& exec, const segments_problem& p)
      : scans(p.scans), offsets_(to_executor(exec, p.offsets)), values_(to_executor(exec, p.values)),
        out_(make_buffer<float>(exec, scans ? p.values.size() : p.offsets.size() - 1)) {}

  csr_tile_set<int> tiles() const { return {offsets_.data(), static_cast<int>(offsets_.size()) - 1}; }
  std::span<float> out() const { return out_.span(); }
  std::span<const int> offsets() const { return offsets_.span(); }
  std::span<const float> values() const { return values_.span(); }

  const bool scans;

 private:
  buffer<int> offsets_;
  buffer<float> values_, out_;
};

/// The elements of block b of a kernel: [b * per_block, (b + 1) * per_block), limited to `size`.
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

/// Stores 1 in *differ if the bits of an element differ.
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

/// An executor like `exec` that takes its memory from `memory`. Specialized per executor.
template <class Executor> Executor on_memory(const Executor& exec, std::pmr::memory_resource* memory);

/// The executor that the options describe. Specialized likewise; make_timer(executor, options) makes its timer.
template <class Executor> Executor make_executor(const bench_options& options);

/// A problem on an executor with metered memory.
template <class Executor, class Problem> class work_on : public device_output {
 public:
  using device_problem = on_device<Executor, Problem>;
  using element = typename device_problem::element;

  work_on(const Executor& exec, const Problem& p)
      : memory_(exec.resource()), exec_(on_memory(exec, &memory_)), data_(exec_, p) {}

  const Executor& exec() const { return exec_; }
  const device_problem& data() const { return data_; }

  void poison() override {
    over_elements([&](const block_elements& own) {
      return fill_elements<element>{own, data_.out().data(), device_problem::poison};
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

 private:
  /// Runs the kernel make(elements of each block) over the output.
  template <class Make> void over_elements(const Make& make) const {
    constexpr int block_size = 128;
    const auto size = static_cast<std::int64_t>(data_.out().size());
    const std::int64_t per_block = items_per_block(exec_, size, 64 * block_size);
    launch(exec_, {block_count(size, per_block), block_size}, make(block_elements{size, per_block}));
  }

  metered_memory memory_;
  Executor exec_;
  device_problem data_;
  buffer<element> accepted_;
};

/// Notes on the launches of a plan. Storage is that of visits, so it is unknown for other operations.
inline std::vector<launch_note> notes_on(const any_plan<>& plan, bool visits) {
  const planned_launch only = plan.launch();
  return {{only.blocks, only.block_size, visits ? only.storage : 0, only.cutting_blocks}};
}

template <class Executor, class Problem>
candidate schedule_candidate(std::shared_ptr<work_on<Executor, Problem>> work, const any_schedule& chosen) {
  constexpr bool visits = std::is_same_v<Problem, update_problem>;
  constexpr work_kind runs =
      visits || std::is_same_v<Problem, expand_problem> ? work_kind::visits : work_kind::gathered_sums;
  candidate made{.name = chosen.name(), .title = chosen.name(), .is_schedule = true};
  made.parameters = chosen.parameters();
  made.prepare = [work, chosen]() -> prepared_run {
    const auto plan = std::make_shared<any_plan<>>(any_executor(work->exec()), chosen, work->data().tiles(),
                                                   work_kind{runs});
    prepared_run prepared{.run = [work, plan] { work->data().run(*plan); },
                          .launches = notes_on(*plan, visits)};
    if (chosen.is_automatic()) {
      prepared.chosen = plan->schedule_name();
      prepared.why = plan->explain();
    }
    return prepared;
  };
  return made;
}

/// A bench with all schedules, followed by `others`.
template <class Executor, class Problem>
bench schedule_bench(std::unique_ptr<timer> time, std::shared_ptr<work_on<Executor, Problem>> work,
                     const std::vector<candidate>& others = {}) {
  const auto of = [work](const any_schedule& chosen) { return schedule_candidate(work, chosen); };
  return {std::move(time), work,
          [of, others](int block_size) {
            std::vector<candidate> all;
            for (const std::string& name : schedule_names()) {
              any_schedule chosen(name);
              if (block_size > 0) chosen.set("block_size", block_size);
              all.push_back(of(chosen));
            }
            all.insert(all.end(), others.begin(), others.end());
            return all;
          },
          of};
}

} // namespace evenly::measure
