// SPDX-License-Identifier: Apache-2.0
// The rows of a triangular matrix in an order in which every row comes after the rows that it depends on.
//
// Blocks of many threads sweep without barriers, after Liu, Li, Hogg, Duff, Vinter (A synchronization-free algorithm
// for parallel sparse triangular solves, Euro-Par 2016). A group of lanes takes a row and polls the values that it
// needs. A value carries its own flag: it is stored as words of 64 bits, each with 32 bits of the value and the number
// of the sweep. So a reader needs neither a fence nor a cleared array, and may read the words of a value one by one.
// Warps take rows in the order of the sweep, and all blocks are resident: the first unfinished row can always continue.
//
// Serial blocks sweep by levels (Anderson, Saad: Solving sparse triangular linear systems on parallel computers, 1989).
// The rows of a level depend on earlier levels only. Blocks share a level with much work and meet at a grid barrier
// after it. Block 0 alone processes consecutive levels with little work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/spmv.hpp"

namespace evenly::detail {

/// The parts of values in memory: of complex numbers their two real numbers, for the reasons in spmv.hpp.
template <class Value> struct parts_of_value {
  using type = Value;
  template <class Memory> EVENLY_FN static Value get(const Memory& memory, std::int64_t i) {
    const Value value = memory[i];
    return value;
  }
  template <class Memory>
  EVENLY_FN static void put(const Memory& memory, std::int64_t i, const Value& value) {
    memory[i] = value;
  }
};
template <class T> struct parts_of_value<std::complex<T>> {
  using type = T;
  template <class Memory> EVENLY_FN static complex_number<T> get(const Memory& memory, std::int64_t i) {
    const T real = memory[2 * i], imag = memory[2 * i + 1];
    return {real, imag};
  }
  template <class Memory>
  EVENLY_FN static void put(const Memory& memory, std::int64_t i, const complex_number<T>& value) {
    memory[2 * i] = value.real;
    memory[2 * i + 1] = value.imag;
  }
};
template <class Value> using part_of = typename parts_of_value<Value>::type;
template <class Value> const part_of<Value>* parts(const Value* values) {
  return reinterpret_cast<const part_of<Value>*>(values);
}
template <class Value> part_of<Value>* parts(Value* values) {
  return reinterpret_cast<part_of<Value>*>(values);
}

/// A triangle of a square matrix. Entries on its other side are ignored.
template <class Offset> struct triangle {
  int rows = 0;
  bool upper = false; ///< rows depend on rows below them
  const Offset* offsets = nullptr;
  const int* columns = nullptr;

  EVENLY_FN bool depends(int row, int column) const { return upper ? column > row : column < row; }
  EVENLY_FN int row_at(int place) const { return upper ? rows - 1 - place : place; }
};

/// Places [first, last) of an order, for serial blocks. `shared`: all blocks share them, in equal amounts of work.
struct sweep_run {
  int first, last;
  bool shared;
};

/// The order of a sweep as a kernel sees it. Without arrays, rows are in the order of their numbers.
struct sweep_order {
  const int* rows = nullptr;             ///< by level; within a level by size class
  const sweep_run* runs = nullptr;       ///< for serial blocks
  int run_count = 0;                     ///
  const std::int64_t* work = nullptr;    ///< for serial blocks: rows and entries before each place
  const std::int64_t* tasks = nullptr;   ///< for parallel blocks: the first place of each task
  const std::int64_t* classes = nullptr; ///< for parallel blocks: 4 level + size class, of each place
  std::int64_t task_count = 0;           ///
  int lanes = 1;                         ///< without tasks: the lanes per row

  template <class Offset> EVENLY_FN int row_at(const triangle<Offset>& of, int place) const {
    return rows == nullptr ? of.row_at(place) : rows[place];
  }
};

/// Rows of similar sizes form a class. Lanes have at most about 4 entries each, except in the last class.
inline constexpr int size_classes = 4;
EVENLY_FN constexpr int class_of_row(std::int64_t entries) {
  return entries <= 4 ? 0 : entries <= 16 ? 1 : entries <= 64 ? 2 : 3;
}
EVENLY_FN constexpr int lanes_of_class(int number) { return 1 << (2 * number); }

/// Without an analysis: a row with more entries for each of its lanes is processed by a warp.
inline constexpr int entries_of_lane = 16;

/// The threads of a parallel block that sweeps.
inline constexpr int sweep_block_size = 256;

/// Values that carry the number of their sweep. `words`: those of earlier sweeps, or zeros; sweeps count from 1.
template <class Value> struct flagged_values {
  static_assert(sizeof(Value) % sizeof(std::uint32_t) == 0);
  static constexpr int words_of_value = sizeof(Value) / sizeof(std::uint32_t);

  std::uint64_t* words = nullptr;
  std::uint32_t sweep = 0;

  struct loaded {
    std::uint64_t words[words_of_value];
  };
  /// Loads value i, which may not have come.
  EVENLY_FN loaded load(std::int64_t i) const {
    loaded some;
    EVENLY_UNROLL
    for (int w = 0; w < words_of_value; ++w)
      some.words[w] = atomic_ref(words[i * words_of_value + w]).load(order::relaxed{});
    return some;
  }
  /// Whether the value had come.
  EVENLY_FN bool get(const loaded& some, Value& value) const {
    std::uint32_t halves[words_of_value];
    bool came = true;
    EVENLY_UNROLL
    for (int w = 0; w < words_of_value; ++w) {
      came = came && static_cast<std::uint32_t>(some.words[w] >> 32) == sweep;
      halves[w] = static_cast<std::uint32_t>(some.words[w]);
    }
    if (came) memcpy(&value, halves, sizeof(value));
    return came;
  }
  EVENLY_FN void put(std::int64_t i, const Value& value) const {
    std::uint32_t some[words_of_value];
    memcpy(some, &value, sizeof(value));
    EVENLY_UNROLL
    for (int w = 0; w < words_of_value; ++w)
      atomic_ref(words[i * words_of_value + w]).store(std::uint64_t{sweep} << 32 | some[w], order::relaxed{});
  }
};

/// Calls the body for all places of the order, each once. All threads of all blocks call it.
/// - Parallel blocks: body(warp, first, count, lanes) for the places [first, first + count), with so many lanes each.
///   All lanes of a warp call it.
/// - Serial blocks: body(first, last). Blocks meet between runs, but not after the last one.
template <class Block, class Offset, class Body>
EVENLY_FN void visit_in_order(Block& block, const triangle<Offset>& of, const sweep_order& order,
                              [[maybe_unused]] const grid_barrier& barrier, const Body& body) {
  if constexpr (Block::is_serial) {
    if (block.count() == 1 || order.runs == nullptr) {
      if (block.index() == 0) body(0, of.rows);
      return;
    }
    for (int r = 0; r < order.run_count; ++r) {
      const sweep_run run = order.runs[r];
      if (r > 0) grid_sync(block, barrier);
      if (!run.shared) {
        if (block.index() == 0) body(run.first, run.last);
        continue;
      }
      const auto begin = [&](int number) {
        const std::int64_t from = order.work[run.first], all = order.work[run.last] - from;
        const std::int64_t before = from + all * number / block.count();
        return first_past(run.first, run.last, [&](int place) { return order.work[place] >= before; });
      };
      body(begin(block.index()), begin(block.index() + 1));
    }
  } else {
    const lanes<Block> warp = this_warp(block);
    const std::int64_t warps = std::int64_t{block.count()} * block.shape().warps();
    const std::int64_t first = block.index() + std::int64_t{block.count()} * warp_of(block);
    if (order.tasks != nullptr) {
      for (std::int64_t t = first; t < order.task_count; t += warps) {
        const std::int64_t begin = order.tasks[t];
        const std::int64_t end = t + 1 < order.task_count ? order.tasks[t + 1] : of.rows;
        body(warp, static_cast<int>(begin), static_cast<int>(end - begin),
             lanes_of_class(static_cast<int>(order.classes[begin] % size_classes)));
      }
    } else {
      const int each = smaller(order.lanes, warp.size()), rows = warp.size() / each;
      for (std::int64_t at = first * rows; at < of.rows; at += warps * rows) {
        const int begin = static_cast<int>(at);
        const int count = static_cast<int>(smaller<std::int64_t>(rows, of.rows - at));
        const auto is_long = [&](int row) {
          return of.offsets[row + 1] - of.offsets[row] > static_cast<Offset>(entries_of_lane) * each;
        };
        const lane_mask long_rows = warp.ballot(
            warp.rank() < count && is_long(order.row_at(of, begin + smaller(warp.rank(), count - 1))));
        for (int done = 0; done < count;) { // rows between long ones together, a long row by the whole warp
          int some = long_rows == 0 ? count : 0;
          while (done + some < count && (long_rows >> (done + some) & 1) == 0) ++some;
          const bool alone = some == 0;
          body(warp, begin + done, alone ? 1 : some, alone ? warp.size() : each);
          done += alone ? 1 : some;
        }
      }
    }
  }
}

/// Computes a value per row, or `width` of them, from those of the rows that it depends on. A rule has
///   sum_type, factor_type     a sum of entries; what is loaded of an entry
///   value_type                what a row publishes
///   start()                   an empty sum
///   given_type, given(row, column)   what a row has besides its entries: loaded before its values have come
///   factor(entry)             loads an entry
///   diagonal(sum, entry)      adds an entry on the diagonal
///   add(sum, factor, known)   adds an entry, of a row with the value `known`
///   combine(a, b)             combines sums of lanes
///   finish(row, column, sum, given)  stores the row's value and returns it
///   known(row, column)        returns a value that finish has stored; on serial blocks only
template <class Block, class Offset, class Rule> class triangular_sweep {
 public:
  using value = typename Rule::value_type;

  EVENLY_FN triangular_sweep(Block& block, const triangle<Offset>& of, const sweep_order& order,
                             const flagged_values<value>& values, int width, const Rule& rule)
      : block_(block), of_(of), order_(order), values_(values), width_(width), rule_(rule) {}

  EVENLY_FN void run(const grid_barrier& barrier) const {
    if constexpr (Block::is_serial)
      visit_in_order(block_, of_, order_, barrier, [&](int first, int last) { serially(first, last); });
    else
      visit_in_order(block_, of_, order_, barrier,
                     [&](const lanes<Block>& warp, int first, int count, int each) {
                       by_lanes(warp, first, count, each);
                     });
  }

 private:
  static constexpr int ahead = 4; ///< entries of a lane in flight

  EVENLY_FN void serially(int first, int last) const {
    for (int place = first; place < last; ++place) {
      const int row = order_.row_at(of_, place);
      const Offset begin = of_.offsets[row], end = of_.offsets[row + 1];
      for (int c = 0; c < width_; ++c) {
        auto sum = rule_.start();
        for (Offset e = begin; e < end; ++e) {
          const int column = of_.columns[e];
          if (of_.depends(row, column))
            rule_.add(sum, rule_.factor(e), rule_.known(column, c));
          else if (column == row)
            rule_.diagonal(sum, e);
        }
        rule_.finish(row, c, sum, rule_.given(row, c));
      }
    }
  }

  /// What a lane has in flight of its row.
  struct pending {
    int wanted[ahead]; ///< rows; -1: none, or its value has come
    bool came[ahead];
    typename Rule::factor_type factors[ahead];
    value values[ahead];
  };

  EVENLY_FN void load(pending& some, typename Rule::sum_type& sum, int row, Offset at, Offset end,
                      int each) const {
    EVENLY_UNROLL
    for (int p = 0; p < ahead; ++p) {
      some.wanted[p] = -1;
      some.came[p] = false;
      const Offset e = at + static_cast<Offset>(p) * each;
      if (e >= end) continue;
      const int column = of_.columns[e];
      if (of_.depends(row, column)) {
        some.wanted[p] = column;
        some.factors[p] = rule_.factor(e);
      } else if (column == row) {
        rule_.diagonal(sum, e);
      }
    }
  }
  /// Looks at the values that have not come. Returns whether one is still missing.
  EVENLY_FN bool poll(pending& some, int column) const {
    bool waits = false;
    typename flagged_values<value>::loaded now[ahead]; // all loads before the first look, which waits for one
    EVENLY_UNROLL
    for (int p = 0; p < ahead; ++p)
      if (some.wanted[p] >= 0) now[p] = values_.load(std::int64_t{some.wanted[p]} * width_ + column);
    EVENLY_UNROLL
    for (int p = 0; p < ahead; ++p) {
      if (some.wanted[p] < 0) continue;
      if (values_.get(now[p], some.values[p])) {
        some.wanted[p] = -1;
        some.came[p] = true;
      } else {
        waits = true;
      }
    }
    return waits;
  }

  EVENLY_FN void by_lanes(const lanes<Block>& warp, int first, int count, int lanes_of_row) const {
    const int each = smaller(lanes_of_row, warp.size());
    for (int from = 0; from < count; from += warp.size() / each) { // once, unless warps are narrow
      const int place = from + warp.rank() / each, lane = warp.rank() % each;
      const bool has_row = place < count;
      const int row = has_row ? order_.row_at(of_, first + place) : 0;
      const Offset begin = has_row ? of_.offsets[row] : 0, end = has_row ? of_.offsets[row + 1] : 0;
      for (int c = 0; c < width_; ++c) row_by_lanes(warp, has_row, row, begin, end, c, lane, each);
    }
  }
  EVENLY_FN void row_by_lanes(const lanes<Block>& warp, bool has_row, int row, Offset begin, Offset end,
                              int column, int lane, int each) const {
    auto sum = rule_.start();
    typename Rule::given_type given{};
    if (has_row && lane == 0)
      given = rule_.given(row, column); // a load now delays no row that waits for this one
    pending some;
    Offset at = begin + lane;
    load(some, sum, row, at, end, each);
    for (bool open = has_row; warp.any(open);) {
      bool waits = poll(some, column);
      if (!waits && at < end) { // sums are in the order of entries, not of arrivals
        EVENLY_UNROLL
        for (int p = 0; p < ahead; ++p)
          if (some.came[p]) rule_.add(sum, some.factors[p], some.values[p]);
        at += static_cast<Offset>(ahead) * each;
        load(some, sum, row, at, end, each);
        waits = at < end;
      }
      const lane_mask waiting = warp.ballot(waits) >> (warp.rank() - lane) & first_lanes(each);
      const bool ready = open && waiting == 0;
      if (!warp.any(ready)) {
#if !defined(__CUDA_ARCH__) // on a GPU sleeping would delay the rows that wait for this one
        block_.backoff(0);
#endif
        continue;
      }
      auto all = sum;
      for (int d = 1; d < each; d *= 2) all = rule_.combine(all, warp.shuffle(all, warp.rank() ^ d));
      if (!ready) continue;
      if (lane == 0) values_.put(std::int64_t{row} * width_ + column, rule_.finish(row, column, all, given));
      open = false;
    }
  }

  Block& block_;
  const triangle<Offset>& of_;
  const sweep_order& order_;
  const flagged_values<value>& values_;
  int width_;
  const Rule& rule_;
};

// ---------------------------------------------------------------------------------------------------------------------
// The analysis: levels, and an order of rows by levels.

/// The level of a row: 0, or 1 + the maximum level of the rows that it depends on.
struct level_rule {
  using sum_type = int;
  using factor_type = char;
  using value_type = int;
  using given_type = char;

  int* levels;

  EVENLY_FN int start() const { return 0; }
  template <class Offset> EVENLY_FN char factor(Offset) const { return 0; }
  template <class Offset> EVENLY_FN void diagonal(int&, Offset) const {}
  EVENLY_FN void add(int& sum, char, int known) const { sum = larger(sum, known + 1); }
  EVENLY_FN int combine(int a, int b) const { return larger(a, b); }
  EVENLY_FN char given(int, int) const { return 0; }
  EVENLY_FN int finish(int row, int, int sum, char) const { return levels[row] = sum; }
  EVENLY_FN int known(int row, int) const { return levels[row]; }
};
template <class Offset> struct levels_kernel {
  static constexpr int tuned_block_size = sweep_block_size;
  static constexpr bool only_tuned_size = true;

  triangle<Offset> of;
  sweep_order order;
  flagged_values<int> values;
  level_rule rule;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    triangular_sweep<Block, Offset, level_rule>(block, of, order, values, 1, rule).run({});
  }
};

/// The key by which rows are sorted: the level and the size class, of rows in the order of their numbers.
template <class Offset> struct level_and_class {
  triangle<Offset> of;
  const int* levels;
  EVENLY_FN std::int64_t operator()(std::int64_t row) const {
    return std::int64_t{levels[row]} * size_classes + class_of_row(of.offsets[row + 1] - of.offsets[row]);
  }
};
/// Whether a task begins at a place: tasks are as many rows of one level and class as a warp takes.
struct begins_task {
  const std::int64_t* keys;
  int warp;
  EVENLY_FN bool operator()(std::int64_t place) const {
    const std::int64_t key = keys[place];
    const std::int64_t first =
        first_past(std::int64_t{0}, place, [&](std::int64_t p) { return keys[p] >= key; });
    const int each = smaller(lanes_of_class(static_cast<int>(key % size_classes)), warp);
    return (place - first) % (warp / each) == 0;
  }
};

/// The shape of a sweep by parallel blocks.
template <class Executor, class Kernel>
launch_shape shape_of_sweep(const Executor& exec, const Kernel& kernel, std::int64_t rows) {
  if constexpr (Executor::serial_blocks) {
    return {.blocks = exec.threads(), .block_size = 1, .co_resident = exec.threads() > 1};
  } else {
    const std::int64_t useful = larger<std::int64_t>(ceil_div<std::int64_t>(rows, sweep_block_size), 1);
    const int room = resident_blocks(exec, kernel, sweep_block_size);
    return {.blocks = static_cast<int>(smaller<std::int64_t>(room, useful)),
            .block_size = sweep_block_size,
            .co_resident = true};
  }
}
/// How many lanes a row gets without an analysis.
inline int lanes_of_mean(std::int64_t entries, std::int64_t rows) {
  return rows == 0 ? 1 : lanes_of_class(class_of_row(ceil_div(entries, rows)));
}

/// The order of a triangle by levels, and the memory of it. Move-only.
template <class Executor, class Offset> class level_order {
 public:
  level_order() = default;
  /// Finds the levels. O(rows + entries) work; on parallel executors also a sort of a 64-bit key per row. Synchronises.
  level_order(const Executor& exec, const triangle<Offset>& of, std::int64_t entries) {
    if (of.rows == 0) return;
    if constexpr (Executor::serial_blocks)
      on_cores(exec, of);
    else
      on_device(exec, of, entries);
  }

  int levels() const { return levels_; }
  /// How many warps a level gives work to, on average; on parallel executors.
  std::int64_t tasks_of_level() const { return levels_ == 0 ? 0 : task_count_ / levels_; }
  sweep_order view() const {
    sweep_order order;
    order.rows = rows_.data();
    order.runs = runs_.data();
    order.run_count = static_cast<int>(runs_.size());
    order.work = work_.data();
    order.tasks = tasks_.data();
    order.classes = classes_.data();
    order.task_count = task_count_;
    return order;
  }
  /// Whether serial blocks have work to share.
  bool is_shared() const { return runs_.size() > 0; }

 private:
  /// Rows and entries of a level that cores share. Less work takes less time than the barrier after it.
  static constexpr std::int64_t min_shared_work = 8192;

  void on_cores(const Executor& exec, const triangle<Offset>& of) {
    const auto rows = static_cast<std::size_t>(of.rows);
    std::vector<int> level(rows);
    for (int place = 0; place < of.rows; ++place) {
      const int row = of.row_at(place);
      int mine = 0;
      for (Offset e = of.offsets[row]; e < of.offsets[row + 1]; ++e)
        if (of.depends(row, of.columns[e]))
          mine = larger(mine, level[static_cast<std::size_t>(of.columns[e])] + 1);
      level[static_cast<std::size_t>(row)] = mine;
      levels_ = larger(levels_, mine + 1);
    }
    if (exec.threads() == 1) return;
    std::vector<int> begins(static_cast<std::size_t>(levels_) + 1);
    for (const int each : level) ++begins[static_cast<std::size_t>(each) + 1];
    for (std::size_t l = 1; l < begins.size(); ++l) begins[l] += begins[l - 1];
    std::vector<int> order(rows), next(begins.begin(), begins.end() - 1);
    for (int place = 0; place < of.rows; ++place) {
      const int row = of.row_at(place);
      order[static_cast<std::size_t>(
          next[static_cast<std::size_t>(level[static_cast<std::size_t>(row)])]++)] = row;
    }
    std::vector<std::int64_t> work(rows + 1);
    for (std::size_t place = 0; place < rows; ++place)
      work[place + 1] = work[place] + 1 + (of.offsets[order[place] + 1] - of.offsets[order[place]]);
    share_levels(exec, begins, order, work);
  }
  /// Keeps the order if cores share at least half of the work.
  void share_levels(const Executor& exec, const std::vector<int>& begins, const std::vector<int>& order,
                    const std::vector<std::int64_t>& work) {
    std::vector<sweep_run> runs;
    std::int64_t shared_work = 0;
    for (std::size_t l = 0; l + 1 < begins.size(); ++l) {
      const std::int64_t of_level =
          work[static_cast<std::size_t>(begins[l + 1])] - work[static_cast<std::size_t>(begins[l])];
      const bool shared = of_level >= min_shared_work;
      if (shared) shared_work += of_level;
      if (!shared && !runs.empty() && !runs.back().shared)
        runs.back().last = begins[l + 1];
      else
        runs.push_back({begins[l], begins[l + 1], shared});
    }
    if (2 * shared_work < work.back()) return;
    rows_ = to_executor(exec, order);
    work_ = to_executor(exec, work);
    runs_ = to_executor(exec, runs);
  }

  void on_device(const Executor& exec, const triangle<Offset>& of, std::int64_t entries) {
    const auto rows = static_cast<std::size_t>(of.rows);
    const auto levels = make_buffer<int>(exec, rows);
    {
      const auto words = make_buffer<std::uint64_t>(exec, rows);
      exec.fill_zero(words.data(), rows * sizeof(std::uint64_t));
      sweep_order order;
      order.lanes = lanes_of_mean(entries, of.rows);
      const levels_kernel<Offset> kernel{of, order, {words.data(), 1}, {levels.data()}};
      launch(exec, shape_of_sweep(exec, kernel, of.rows), kernel);
      exec.synchronize(); // the memory resource may not wait before it frees
    }
    auto keys = make_buffer<std::int64_t>(exec, rows);
    tabulate(exec, of.rows, level_and_class<Offset>{of, levels.data()}, keys.data());
    auto ordered = order_entries<int>(exec, keys.data(), of.rows);
    classes_ = std::move(ordered.lines);
    rows_ = std::move(ordered.numbers);
    std::int64_t last = 0;
    exec.copy_to_host(&last, classes_.data() + rows - 1, sizeof(last));
    levels_ = static_cast<int>(last / size_classes) + 1;
    tasks_ = make_buffer<std::int64_t>(exec, rows);
    task_count_ = select(exec, counting{}, of.rows,
                         begins_task{classes_.data(), exec.shape_of(sweep_block_size).warp}, tasks_.data());
  }

  int levels_ = 0;
  buffer<int> rows_;
  buffer<sweep_run> runs_;
  buffer<std::int64_t> work_;
  buffer<std::int64_t> classes_;
  buffer<std::int64_t> tasks_;
  std::int64_t task_count_ = 0;
};

} // namespace evenly::detail
