// SPDX-License-Identifier: Apache-2.0
// reduce_by_key: combines the values of each run of consecutive equal keys, in one pass over the data.
//
// A run starts where a key differs from the one before. At each start the run before it is complete: its value is the
// open value there, and its position is the number of starts before. Warps and chunks therefore sum up their number of
// starts and the open value after the last one, which is an associative operation, and stage a key and a value per
// start (staged_pass.hpp). Only the value of a warp's first start may need values of other warps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/staged_pass.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/look_back.hpp"

namespace evenly {

namespace detail {

/// The summary of consecutive elements: the number of runs that start in them, and the combination of the values from
/// the last start on; of all values, if no run starts.
template <monoid Op> struct runs_monoid {
  struct value_type {
    std::int64_t starts;
    typename Op::value_type open;
  };
  Op op;

  EVENLY_FN constexpr value_type identity() const { return {0, op.identity()}; }
  EVENLY_FN constexpr value_type operator()(const value_type& a, const value_type& b) const {
    return {a.starts + b.starts, b.starts > 0 ? b.open : op(a.open, b.open)};
  }
};

template <int Width, class Keys, class Values, class Op, class KeysOut, class SumsOut, class Same>
struct run_sums {
  using K = element_of<Keys>;
  using T = typename Op::value_type;
  using monoid = runs_monoid<Op>;
  using sum = typename monoid::value_type;
  static constexpr int element_bytes = static_cast<int>(sizeof(K) + sizeof(T));
  static constexpr bool is_copyable = is_device_copyable<Keys, Values> && is_device_copyable<Op, KeysOut> &&
                                      is_device_copyable<SumsOut, Same>;

  Keys keys;
  Values values;
  Op of_values;
  KeysOut keys_out;
  SumsOut sums_out;
  Same same;
  std::int64_t* runs;

  /// For each start its key, and the open value before it.
  struct slots {
    slot<K> keys;
    slot<T> sums;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, int elements) {
    return {layout.take<K>(elements), layout.take<T>(elements)};
  }
  template <class KeyStorage, class SumStorage> struct starts {
    KeyStorage keys;
    SumStorage sums;
  };
  template <class Block> EVENLY_FN static auto staged(Block& block, const slots& place) {
    return starts<decltype(block.storage(place.keys)), decltype(block.storage(place.sums))>{
        block.storage(place.keys), block.storage(place.sums)};
  }
  EVENLY_FN constexpr monoid op() const { return {of_values}; }

  template <int Items> struct thread_items {
    chunk_items<K, Width, Items> keys;
    chunk_items<T, Width, Items> values;
    K before; ///< the key before the warp's part, at lane 0

    template <class Block>
    EVENLY_INLINE_FN void load(Block& block, const run_sums& work, std::int64_t begin, std::int64_t count) {
      keys.load(block, work.keys, begin, count, K{});
      values.load(block, work.values, begin, count, work.of_values.identity());
      before = K{};
      if (lane_of(block) == 0 && begin > 0 && begin < count) before = seen(block, work.keys)[begin - 1];
    }
  };

  template <class Block, class Staged, int Items>
  EVENLY_INLINE_FN sum stage(const lanes<Block>& warp, const Staged& staged, const staged_range& range,
                             const thread_items<Items>& mine) const {
    sum so_far = op().identity();
    K last_key = mine.before;
    EVENLY_UNROLL
    for (int r = 0; r < Items / Width; ++r)
      so_far = stage_row(warp, staged, range, mine, r, so_far, last_key);
    return so_far;
  }

  template <class Staged> sum stage_serially(const Staged& staged, const staged_range& range) const {
    int found = 0;
    T open = of_values.identity();
    K last = range.begin > 0 ? static_cast<K>(keys[range.begin - 1]) : K{};
    for (int i = 0; i < range.length; ++i) {
      const K key = keys[range.begin + i];
      const T value = static_cast<T>(values[range.begin + i]);
      if (range.begin + i == 0 || !same(last, key)) {
        staged.keys[range.place + found] = key;
        staged.sums[range.place + found++] = open;
        open = value;
      } else {
        open = of_values(open, value);
      }
      last = key;
    }
    return {found, open};
  }

  template <class Block, class Staged>
  EVENLY_INLINE_FN void write(Block& block, const lanes<Block>& warp, const Staged& staged,
                              const staged_range& range, const sum& own, const sum& before) const {
    const auto to_keys = seen(block, keys_out);
    const auto to_sums = seen(block, sums_out);
    for (int i = warp.rank(); i < own.starts; i += warp.size()) {
      const std::int64_t run = before.starts + i;
      const K key = staged.keys[range.place + i];
      const T open = staged.sums[range.place + i];
      to_keys[run] = as_stored_in<KeysOut>(key);
      if (run > 0) to_sums[run - 1] = as_stored_in<SumsOut>(i == 0 ? of_values(before.open, open) : open);
    }
  }

  EVENLY_FN void finish(const sum& all) const {
    if (all.starts > 0) sums_out[all.starts - 1] = all.open;
    *runs = all.starts;
  }

 private:
  /// Stages the starts of a row. `so_far`: the sum of the rows before. `last_key`: the last key before the row, at lane
  /// 0; it becomes the row's last key.
  template <class Block, class Staged, int Items>
  EVENLY_INLINE_FN sum stage_row(const lanes<Block>& warp, const Staged& staged, const staged_range& range,
                                 const thread_items<Items>& mine, int r, const sum& so_far,
                                 K& last_key) const {
    const K* const key = mine.keys.of + r * Width;
    const T* const value = mine.values.of + r * Width;
    K last = warp.shuffle_up(key[Width - 1], 1);
    if (warp.rank() == 0) last = last_key;
    last_key = warp.shuffle(key[Width - 1], warp.size() - 1);

    bool is_start[Width];
    bool any = false;
    T open = of_values.identity();
    const lane_mask lower = first_lanes(warp.rank());
    int place = static_cast<int>(so_far.starts), row_starts = 0;
    EVENLY_UNROLL
    for (int j = 0; j < Width; ++j) {
      const int at = index_in_range<Width>(warp, r * Width + j);
      is_start[j] = at < range.length && (range.begin + at == 0 || !same(last, key[j]));
      last = key[j];
      open = is_start[j] || j == 0 ? value[j] : of_values(open, value[j]);
      any = any || is_start[j];
      const lane_mask all = warp.ballot(is_start[j]);
      place += lanes_in(all & lower);
      row_starts += lanes_in(all);
    }
    const T upto = warp.segmented_scan(open, any, of_values);
    const T row_open = warp.shuffle(upto, warp.size() - 1);
    T before = warp.shuffle_up(upto, 1);
    if (warp.rank() == 0) before = of_values.identity();
    if ((warp.ballot(any) & lower) == 0) before = of_values(so_far.open, before);
    EVENLY_UNROLL
    for (int j = 0; j < Width; ++j) {
      if (is_start[j]) {
        staged.keys[range.place + place] = key[j];
        staged.sums[range.place + place++] = before;
        before = value[j];
      } else {
        before = of_values(before, value[j]);
      }
    }
    return {so_far.starts + row_starts, row_starts > 0 ? row_open : of_values(so_far.open, row_open)};
  }
};

template <int Width, class Executor, class Keys, class Values, monoid Op, class KeysOut, class SumsOut,
          class Same>
void launch_runs(const Executor& exec, const Keys& keys, const Values& values, std::int64_t count,
                 const Op& op, const KeysOut& keys_out, const SumsOut& sums_out, std::int64_t* runs,
                 workspace& memory, const Same& same, int block_size) {
  using work = run_sums<Width, Keys, Values, Op, KeysOut, SumsOut, Same>;
  run_staged<Width>(exec, work{keys, values, op, keys_out, sums_out, same, runs}, count, memory, block_size);
}

/// The tuned number of threads per block.
template <class Keys, class T>
inline constexpr int runs_block_size =
    staged_tuning::block_size(static_cast<int>(sizeof(element_of<Keys>) + sizeof(T)));

} // namespace detail

/// For each run r of consecutive equal keys in [0, count): writes its first key to keys_out[r] and its values, combined
/// in order, to sums_out[r]. Writes the number of runs to *runs.
///
/// - `keys`, `values`: inputs (inputs.hpp). Keys are trivially copyable, values convert to the monoid's; a key and a
///   value have at most 2,048 bytes together.
/// - `same(a, b)`: whether consecutive keys a and b are equal; a trivially copyable function object that runs on
///   `exec`.
/// - `keys_out`, `sums_out`: outputs with enough room, which do not overlap.
/// - `runs`: in memory of `exec`.
/// - `block_size`: threads per block, 1 to 1024; tuned for the default.
/// - Asynchronous on cuda. Floating-point sums have the same bits on every run.
/// - Throws invalid_argument if count is negative, or if an output (*runs included) begins among the elements of an
///   input or at the first element of another output.
/// - Cost: one pass; each key and value is read once, each result written once.
template <class Executor, class Keys, class Values, monoid_argument Op, class KeysOut, class SumsOut,
          class Same = std::equal_to<>>
void reduce_by_key(const Executor& exec, const Keys& keys, const Values& values, std::int64_t count,
                   const Op& given, const KeysOut& keys_out, const SumsOut& sums_out, std::int64_t* runs,
                   workspace& memory, const Same& same = {},
                   int block_size = detail::runs_block_size<Keys, detail::combined_input<Op, Values>>) {
  using K = detail::element_of<Keys>;
  const auto& op = detail::monoid_for<detail::element_of<Values>>(given);
  using T = detail::combined_input<Op, Values>;
  static_assert(detail::combinable<detail::monoid_type<Op, T>, detail::element_of<Values>>::holds);
  static_assert(std::is_trivially_copyable_v<K>,
                "keys must be trivially copyable: replace std::pair and std::string by your own struct");
  detail::note_parts(exec, std::byte{}, detail::users_part(keys), detail::users_part(values), op, same);
  detail::require_count(count);
  const auto some = smaller<std::int64_t>(count, 1); // the number of written elements is not known yet
  const auto of = detail::reached<Executor>("keys", keys, count);
  const auto each = detail::reached<Executor>("values", values, count);
  const auto key_to = detail::written<Executor>("keys_out", keys_out, some);
  const auto sum_to = detail::written<Executor>("sums_out", sums_out, some);
  const auto apart_from_inputs = [&](const char* name, const auto& to, std::int64_t size) {
    detail::require_apart("keys", of, count, name, to, size, false);
    detail::require_apart("values", each, count, name, to, size, false);
  };
  apart_from_inputs("keys_out", key_to, some);
  apart_from_inputs("sums_out", sum_to, some);
  apart_from_inputs("runs", runs, 1);
  detail::require_apart("keys_out", key_to, some, "sums_out", sum_to, some, false);
  detail::require_apart("keys_out", key_to, some, "runs", runs, 1, false);
  detail::require_apart("sums_out", sum_to, some, "runs", runs, 1, false);
  constexpr int wide = smaller(width_of<K, decltype(of)>, width_of<T, decltype(each)>);
  if constexpr (!Executor::serial_blocks && wide > 1) {
    if (is_wide(of) && is_wide(each))
      return detail::launch_runs<wide>(exec, of, each, count, op, key_to, sum_to, runs, memory, same,
                                       block_size);
  }
  detail::launch_runs<1>(exec, of, each, count, op, key_to, sum_to, runs, memory, same, block_size);
}

/// The same with a temporary workspace. Returns the number of runs. Allocates and synchronises.
template <class Executor, class Keys, class Values, monoid_argument Op, class KeysOut, class SumsOut,
          class Same = std::equal_to<>>
std::int64_t reduce_by_key(const Executor& exec, const Keys& keys, const Values& values, std::int64_t count,
                           const Op& op, const KeysOut& keys_out, const SumsOut& sums_out,
                           const Same& same = {}) {
  workspace memory;
  const auto runs = make_buffer<std::int64_t>(exec, 1);
  reduce_by_key(exec, keys, values, count, op, keys_out, sums_out, runs.data(), memory, same);
  std::int64_t result = 0;
  exec.copy_to_host(&result, runs.data(), sizeof(result));
  return result;
}

/// Overload for a missing monoid: fails to compile with a hint.
template <class Executor, class... Arguments>
requires detail::without_monoid<Executor, Arguments...>
auto reduce_by_key(const Executor&, const Arguments&...) {
  static_assert(detail::has_monoid<Arguments...>::holds);
  return 0;
}

} // namespace evenly
