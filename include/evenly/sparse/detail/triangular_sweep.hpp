// SPDX-License-Identifier: Apache-2.0
// The rows of a triangular matrix in an order in which every row comes after the rows that it depends on.
//
// Blocks of many threads sweep without barriers, after Liu, Li, Hogg, Duff, Vinter (A synchronization-free algorithm
// for parallel sparse triangular solves, Euro-Par 2016). A group of lanes takes a row and polls the values that it
// needs. A value carries its own flag: it is stored as words of 64 bits, each with 32 bits of the value and the number
// of the sweep. So a reader needs neither a fence nor a cleared array, and may read the words of a value one by one.
// Warps take rows in the order of the sweep, and all blocks are resident: the first unfinished row can always continue.
// With an order by levels a warp has tasks: rows of one level and of similar sizes, or a piece of a long row. Pieces
// leave sums with flags, which the last piece of the row adds up.
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
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
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

/// A row in the order of a sweep, for parallel blocks: what a warp loads of it at once.
struct alignas(16) sweep_row {
  std::int64_t begin = 0; ///< of the entries
  int row = 0;
  int count = 0; ///< entries
};
/// The work of a warp, for parallel blocks: rows of one level and size class, or a piece of a long row. The pieces of a
/// row are consecutive tasks. The last one finishes the row.
struct alignas(16) sweep_task {
  int first = 0; ///< place
  std::int16_t rows = 0;
  std::int16_t lanes = 1; ///< per row
  int piece = 0;          ///< of the row
};

/// The order of a sweep as a kernel sees it. Without arrays, rows are in the order of their numbers.
struct sweep_order {
  const int* rows = nullptr;          ///< for serial blocks: by level
  const sweep_run* runs = nullptr;    ///< for serial blocks
  int run_count = 0;                  ///
  const std::int64_t* work = nullptr; ///< for serial blocks: rows and entries before each place
  const sweep_row* places = nullptr;  ///< for parallel blocks: by level; within a level by size class
  const sweep_task* tasks = nullptr;  ///< for parallel blocks
  int task_count = 0;                 ///
  int blocks = 0;                     ///< for parallel blocks: how many share a run; 0: all
  int lanes = 1;                      ///< without tasks: the lanes per row
  bool has_pieces = false;            ///< there are rows of more than one task

  template <class Offset> EVENLY_FN int row_at(const triangle<Offset>& of, int place) const {
    return places != nullptr ? places[place].row : rows != nullptr ? rows[place] : of.row_at(place);
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

/// With an analysis: a row with more entries is cut into pieces of as many.
inline constexpr int entries_of_piece = 256;

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
    for (int w = 0; w < words_of_value; w += step) {
      std::uint64_t* const from = words + i * words_of_value + w;
      if constexpr (step == 2)
        load_pair(from, some.words[w], some.words[w + 1]);
      else
        some.words[w] = atomic_ref(*from).load(order::relaxed{});
    }
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
    const auto word = [&](int w) { return std::uint64_t{sweep} << 32 | some[w]; };
    EVENLY_UNROLL
    for (int w = 0; w < words_of_value; w += step) {
      std::uint64_t* const to = words + i * words_of_value + w;
      if constexpr (step == 2)
        store_pair(to, word(w), word(w + 1));
      else
        atomic_ref(*to).store(word(w), order::relaxed{});
    }
  }

 private:
  /// On a GPU two words are one access to memory. Each is atomic.
#if defined(__CUDA_ARCH__)
  static constexpr int step = words_of_value % 2 == 0 ? 2 : 1;
  EVENLY_FN static void load_pair(const std::uint64_t* from, std::uint64_t& a, std::uint64_t& b) {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(from) : "memory");
  }
  EVENLY_FN static void store_pair(std::uint64_t* to, std::uint64_t a, std::uint64_t b) {
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" : : "l"(to), "l"(a), "l"(b) : "memory");
  }
#else
  static constexpr int step = 1;
  EVENLY_FN static void load_pair(const std::uint64_t*, std::uint64_t&, std::uint64_t&) {}
  EVENLY_FN static void store_pair(std::uint64_t*, std::uint64_t, std::uint64_t) {}
#endif
};

/// For serial blocks: calls body(first, last) for all places of the order, each once. All blocks call it. They meet
/// between runs, but not after the last one.
template <class Block, class Offset, class Body>
EVENLY_FN void visit_in_order(Block& block, const triangle<Offset>& of, const sweep_order& order,
                              const grid_barrier& barrier, const Body& body) {
  static_assert(Block::is_serial);
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
}

/// Computes a value per row, or `width` of them, from those of the rows that it depends on. A rule has
///   sum_type, factor_type     a sum of entries; what is loaded of an entry
///   value_type                what a row publishes
///   start()                   an empty sum
///   given_type, given(row, column)   what a row has besides its entries: loaded before its values have come
///   factor(entry)             loads an entry
///   diagonal(sum, factor)     adds an entry on the diagonal
///   add(sum, factor, known)   adds an entry, of a row with the value `known`
///   combine(a, b)             combines sums of lanes
///   finish(row, column, sum, given)  stores the row's value and returns it
///   known(row, column)        returns a value that finish has stored, after a barrier
template <class Block, class Offset, class Rule> class triangular_sweep {
 public:
  using value = typename Rule::value_type;
  using sum_type = typename Rule::sum_type;

  /// `pieces`: a sum per task and column, if the order has pieces.
  EVENLY_FN triangular_sweep(Block& block, const triangle<Offset>& of, const sweep_order& order,
                             const flagged_values<value>& values, const flagged_values<sum_type>& pieces,
                             int width, const Rule& rule)
      : block_(block), of_(of), order_(order), values_(values), pieces_(pieces), width_(width), rule_(rule) {}

  EVENLY_FN void run([[maybe_unused]] const grid_barrier& barrier) const {
    if constexpr (Block::is_serial) {
      visit_in_order(block_, of_, order_, barrier, [&](int first, int last) { serially(first, last); });
    } else if (order_.tasks == nullptr) {
      by_numbers();
    } else {
      by_tasks();
    }
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
            rule_.diagonal(sum, rule_.factor(e));
        }
        rule_.finish(row, c, sum, rule_.given(row, c));
      }
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // The work of a lane.

  /// Entries [at, end) of a row, of which a lane takes every `each`-th one.
  struct lane_part {
    int row = -1; ///< -1: none
    Offset at = 0, end = 0;
    int lane = 0, each = 1;
    int number = -1; ///< of the task, if the row has several
    int piece = 0;
    bool is_last = true; ///< the last piece
    EVENLY_FN bool has_row() const { return row >= 0; }
  };
  /// What a lane has in flight of its row.
  static constexpr int none = -1, came = -2, is_diagonal = -3;
  struct pending {
    int wanted[ahead]; ///< the row of a value that has not come, or one of the numbers above
    typename Rule::factor_type factors[ahead];
    value values[ahead];
  };
  EVENLY_FN pending load(const lane_part& of) const {
    pending some;
    EVENLY_UNROLL
    for (int p = 0; p < ahead; ++p) {
      some.wanted[p] = none;
      const Offset e = of.at + static_cast<Offset>(p) * of.each;
      if (e >= of.end) continue;
      const int column = of_.columns[e];
      const bool is_other = of_.depends(of.row, column);
      if (!is_other && column != of.row) continue;
      some.wanted[p] = is_other ? column : is_diagonal;
      some.factors[p] = rule_.factor(e);
    }
    return some;
  }

  EVENLY_FN typename Rule::given_type given_of(const lane_part& of, int column) const {
    return of.has_row() && of.lane == 0 && of.is_last ? rule_.given(of.row, column)
                                                      : typename Rule::given_type{};
  }

  /// Polls the values of rows.
  EVENLY_FN void row_by_polls(const lanes<Block>& warp, lane_part of, pending some, int column) const {
    auto sum = rule_.start();
    const auto given = given_of(of, column); // a load now delays no row that waits for this one
    for (bool open = of.has_row(); warp.any(open);) {
      bool waits = poll(some, column);
      if (open && !waits && of.at < of.end) { // sums are in the order of entries, not of arrivals
        add(sum, some);
        of.at += static_cast<Offset>(ahead) * of.each;
        some = load(of);
        waits = of.at < of.end;
      }
      const lane_mask waiting = warp.ballot(waits) >> (warp.rank() - of.lane) & first_lanes(of.each);
      const bool ready = open && waiting == 0;
      if (!warp.any(ready)) {
#if !defined(__CUDA_ARCH__) // on a GPU sleeping would delay the rows that wait for this one
        block_.backoff(0);
#endif
        continue;
      }
      finish(warp, of, column, sum, given, ready);
      if (ready) open = false;
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
      if (values_.get(now[p], some.values[p]))
        some.wanted[p] = came;
      else
        waits = true;
    }
    return waits;
  }
  EVENLY_FN void add(sum_type& sum, const pending& some) const {
    EVENLY_UNROLL
    for (int p = 0; p < ahead; ++p) {
      if (some.wanted[p] == came) rule_.add(sum, some.factors[p], some.values[p]);
      if (some.wanted[p] == is_diagonal) rule_.diagonal(sum, some.factors[p]);
    }
  }
  /// Ends rows that are `ready`, or a piece of one: the last piece waits for the others.
  EVENLY_FN void finish(const lanes<Block>& warp, const lane_part& of, int column, const sum_type& sum,
                        const typename Rule::given_type& given, bool ready) const {
    auto all = sum;
    for (int d = 1; d < of.each; d *= 2) all = rule_.combine(all, warp.shuffle(all, warp.rank() ^ d));
    if (of.number >= 0) { // all lanes have the same row
      const std::int64_t slot = std::int64_t{of.number} * width_ + column;
      if (!of.is_last) {
        if (of.lane == 0) pieces_.put(slot, all);
        return;
      }
      auto others = rule_.start();
      for (int from = 0; from < of.piece; from += warp.size()) {
        const int piece = from + warp.rank();
        sum_type other = rule_.start();
        for (bool waits = piece < of.piece; warp.any(waits);) {
          if (waits) {
            const auto now = pieces_.load(slot - std::int64_t{of.piece - piece} * width_);
            waits = !pieces_.get(now, other);
          }
#if !defined(__CUDA_ARCH__)
          if (warp.any(waits)) block_.backoff(0);
#endif
        }
        others = rule_.combine(others, other);
      }
      for (int d = 1; d < warp.size(); d *= 2)
        others = rule_.combine(others, warp.shuffle(others, warp.rank() ^ d));
      all = rule_.combine(all, others);
    }
    if (ready && of.lane == 0)
      values_.put(std::int64_t{of.row} * width_ + column, rule_.finish(of.row, column, all, given));
  }

  // -------------------------------------------------------------------------------------------------------------------
  // By the numbers of rows: groups of lanes have a row each.

  EVENLY_FN void by_numbers() const {
    const lanes<Block> warp = this_warp(block_);
    const std::int64_t warps = std::int64_t{block_.count()} * block_.shape().warps();
    const std::int64_t first = block_.index() + std::int64_t{block_.count()} * warp_of(block_);
    const int each = smaller(order_.lanes, warp.size()), rows = warp.size() / each;
    for (std::int64_t at = first * rows; at < of_.rows; at += warps * rows) {
      const int begin = static_cast<int>(at);
      const int count = static_cast<int>(smaller<std::int64_t>(rows, of_.rows - at));
      const auto is_long = [&](int row) {
        return of_.offsets[row + 1] - of_.offsets[row] > static_cast<Offset>(entries_of_lane) * each;
      };
      const lane_mask long_rows = warp.ballot(
          warp.rank() < count && is_long(order_.row_at(of_, begin + smaller(warp.rank(), count - 1))));
      for (int done = 0; done < count;) { // rows between long ones together, a long row by the whole warp
        int some = long_rows == 0 ? count : 0;
        while (done + some < count && (long_rows >> (done + some) & 1) == 0) ++some;
        const bool alone = some == 0;
        by_number(warp, begin + done, alone ? 1 : some, alone ? warp.size() : each);
        done += alone ? 1 : some;
      }
    }
  }
  EVENLY_FN void by_number(const lanes<Block>& warp, int first, int count, int each) const {
    lane_part of;
    of.each = each;
    of.lane = warp.rank() % each;
    const int place = warp.rank() / each;
    if (place < count) {
      of.row = order_.row_at(of_, first + place);
      of.at = of_.offsets[of.row] + static_cast<Offset>(of.lane);
      of.end = of_.offsets[of.row + 1];
    }
    const pending some = load(of);
    for (int c = 0; c < width_; ++c) row_by_polls(warp, of, some, c);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // By tasks.

  EVENLY_FN sweep_task task_at(std::int64_t number) const {
    return number < order_.task_count ? order_.tasks[number] : sweep_task{};
  }
  EVENLY_FN sweep_row row_of(const lanes<Block>& warp, const sweep_task& task) const {
    const int place = warp.rank() / task.lanes;
    return place < task.rows ? order_.places[task.first + place] : sweep_row{0, -1, 0};
  }
  EVENLY_FN lane_part part_of_task(const lanes<Block>& warp, std::int64_t number, const sweep_task& task,
                                   const sweep_row& row) const {
    lane_part of;
    of.row = row.row;
    of.each = task.lanes;
    of.lane = warp.rank() % task.lanes;
    std::int64_t begin = row.begin, end = row.begin + row.count;
    if (row.count > entries_of_piece) {
      begin += std::int64_t{task.piece} * entries_of_piece;
      of.number = static_cast<int>(number);
      of.piece = task.piece;
      of.is_last = begin + entries_of_piece >= end;
      end = smaller(end, begin + entries_of_piece);
    }
    of.at = static_cast<Offset>(begin + of.lane);
    of.end = static_cast<Offset>(end);
    return of;
  }
  /// All blocks share the tasks.
  EVENLY_FN void by_tasks() const {
    const int blocks = order_.blocks == 0 ? block_.count() : smaller(order_.blocks, block_.count());
    if (block_.index() >= blocks) return;
    const lanes<Block> warp = this_warp(block_);
    const std::int64_t warps = std::int64_t{blocks} * block_.shape().warps();
    std::int64_t t = block_.index() + std::int64_t{blocks} * warp_of(block_);
    sweep_task task = task_at(t), next = task_at(t + warps);
    sweep_row row = row_of(warp, task);
    for (; t < order_.task_count; t += warps) { // the next tasks and rows are loaded before this one waits
      const sweep_task after = task_at(t + 2 * warps);
      const sweep_row row_of_next = row_of(warp, next);
      const lane_part of = part_of_task(warp, t, task, row);
      const pending some = load(of);
      for (int c = 0; c < width_; ++c) row_by_polls(warp, of, some, c);
      task = next;
      next = after;
      row = row_of_next;
    }
  }

  Block& block_;
  const triangle<Offset>& of_;
  const sweep_order& order_;
  const flagged_values<value>& values_;
  const flagged_values<sum_type>& pieces_;
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
  EVENLY_FN void diagonal(int&, char) const {}
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
    triangular_sweep<Block, Offset, level_rule>(block, of, order, values, values, 1, rule).run({});
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
template <class Offset> struct row_of_place {
  triangle<Offset> of;
  const int* rows;
  EVENLY_FN sweep_row operator()(std::int64_t place) const {
    const int row = rows[place];
    return {static_cast<std::int64_t>(of.offsets[row]), row,
            static_cast<int>(of.offsets[row + 1] - of.offsets[row])};
  }
};
/// How many tasks begin at the i-th place where a task begins.
struct pieces_of_begin {
  const sweep_row* places;
  const std::int64_t* begins;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    return larger(ceil_div(places[begins[i]].count, entries_of_piece), 1);
  }
};
/// Task t, where `before` has the number of tasks up to and with each begin.
struct task_of_number {
  const std::int64_t* begins;
  const std::int64_t* before;
  std::int64_t count, rows;
  const std::int64_t* keys;
  int warp;
  EVENLY_FN sweep_task operator()(std::int64_t t) const {
    const std::int64_t i = first_past(std::int64_t{0}, count, [&](std::int64_t b) { return before[b] > t; });
    const std::int64_t first = begins[i], last = i + 1 < count ? begins[i + 1] : rows;
    const std::int64_t piece = t - (i == 0 ? 0 : before[i - 1]);
    return {static_cast<int>(first), static_cast<std::int16_t>(last - first),
            static_cast<std::int16_t>(
                smaller(lanes_of_class(static_cast<int>(keys[first] % size_classes)), warp)),
            static_cast<int>(piece)};
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
/// How many lanes a product gives a row of mean size.
inline int lanes_of_mean(std::int64_t entries, std::int64_t rows) {
  return rows == 0 ? 1 : lanes_of_class(class_of_row(ceil_div(entries, rows)));
}
template <class Offset> struct size_of_row {
  const Offset* offsets;
  EVENLY_FN std::int64_t operator()(std::int64_t row) const {
    return static_cast<std::int64_t>(offsets[row + 1] - offsets[row]);
  }
};
/// How many lanes a row gets in the order of the numbers. Neighbouring rows often wait for each other, so a warp has as
/// many rows as possible, unless some are long. On an H200 1 lane was fastest for stencils (up to 14 entries in a row),
/// 4 for web-NotreDame and as-Skitter (3 and 8 on average), and 32 for an RMAT graph (15). Synchronises.
template <class Executor, class Offset>
int lanes_by_numbers([[maybe_unused]] const Executor& exec, const triangle<Offset>& of,
                     [[maybe_unused]] std::int64_t entries) {
  if (Executor::serial_blocks || of.rows == 0) return 1;
  const std::int64_t longest = reduce(exec, generated{size_of_row<Offset>{of.offsets}}, std::int64_t{of.rows},
                                      maximum<std::int64_t>{});
  return longest <= entries_of_lane ? 1 : entries <= std::int64_t{8} * of.rows ? 4 : 32;
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
  sweep_order view() const {
    sweep_order order;
    order.rows = rows_.data();
    order.runs = runs_.data();
    order.run_count = static_cast<int>(runs_.size());
    order.work = work_.data();
    order.places = places_.data();
    order.tasks = tasks_.data();
    order.task_count = static_cast<int>(tasks_.size());
    order.blocks = blocks_;
    order.has_pieces = has_pieces_;
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
      order.lanes = lanes_by_numbers(exec, of, entries);
      const levels_kernel<Offset> kernel{of, order, {words.data(), 1}, {levels.data()}};
      launch(exec, shape_of_sweep(exec, kernel, of.rows), kernel);
      exec.synchronize(); // the memory resource may not wait before it frees
    }
    auto keys = make_buffer<std::int64_t>(exec, rows);
    tabulate(exec, of.rows, level_and_class<Offset>{of, levels.data()}, keys.data());
    const auto ordered = order_entries<int>(exec, keys.data(), of.rows);
    std::int64_t last = 0;
    exec.copy_to_host(&last, ordered.lines.data() + rows - 1, sizeof(last));
    levels_ = static_cast<int>(last / size_classes) + 1;
    places_ = make_buffer<sweep_row>(exec, rows);
    tabulate(exec, of.rows, row_of_place<Offset>{of, ordered.numbers.data()}, places_.data());
    make_tasks(exec, of.rows, ordered.lines.data());
  }
  template <class Keys> void make_tasks(const Executor& exec, int rows, const Keys* keys) {
    const int warp = exec.shape_of(sweep_block_size).warp;
    const auto begins = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(rows));
    const std::int64_t count = select(exec, counting{}, rows, begins_task{keys, warp}, begins.data());
    const auto before = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(count));
    inclusive_scan(exec, generated{pieces_of_begin{places_.data(), begins.data()}}, count,
                   plus<std::int64_t>{}, before.data());
    std::int64_t tasks = 0;
    exec.copy_to_host(&tasks, before.data() + count - 1, sizeof(tasks));
    has_pieces_ = tasks > count;
    tasks_ = make_buffer<sweep_task>(exec, static_cast<std::size_t>(tasks));
    tabulate(exec, tasks, task_of_number{begins.data(), before.data(), count, rows, keys, warp},
             tasks_.data());
    if constexpr (requires { exec.multiprocessors(); }) // warps that only poll delay those of thin levels
      if (tasks / levels_ < exec.multiprocessors()) blocks_ = exec.multiprocessors();
  }

  int levels_ = 0, blocks_ = 0;
  bool has_pieces_ = false;
  buffer<int> rows_;
  buffer<sweep_run> runs_;
  buffer<std::int64_t> work_;
  buffer<sweep_row> places_;
  buffer<sweep_task> tasks_;
};

} // namespace evenly::detail
