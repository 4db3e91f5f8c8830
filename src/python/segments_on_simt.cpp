// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of segments on simt. The kernels work on words of 64 bits and call the operation of the element
// type by pointer, so each schedule is compiled once for all types and operations. Beside the time of a simulation, the
// calls cost little.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/algorithms/segments.hpp"
#include "evenly/core/errors.hpp"
#include "python/segments.hpp"
#include "runtime/plan_on.hpp"

namespace evenly::python {

namespace {

using word = std::uint64_t;

template <class T> word to_word(T value) {
  static_assert(sizeof(T) <= sizeof(word));
  word bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> T from_word(word bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

struct word_monoid {
  using value_type = word;
  static constexpr bool commutative = true;
  word of_nothing;
  word (*combined)(word, word);
  word identity() const { return of_nothing; }
  word operator()(word a, word b) const { return combined(a, b); }
};
struct word_reader {
  const void* values;
  word (*read)(const void*, std::int64_t);
  word operator()(std::int64_t i) const { return read(values, i); }
};
struct word_writer {
  void* out;
  void (*write)(void*, std::int64_t, word);
  void operator()(std::int64_t i, word value) const { write(out, i, value); }
};

struct word_arrays {
  word_reader read;
  word_monoid op;
  word_writer write;
};
/// Stores prefixes, as store_prefix of segment_scan.cpp.
struct write_prefix {
  word_arrays arrays;
  bool is_inclusive;
  void operator()(std::int64_t i, word before) const {
    arrays.write(i, is_inclusive ? arrays.op(before, arrays.read(i)) : before);
  }
};

/// Checks the arrays of an operation whose output has one element per value if `is_scan`, otherwise one per segment.
word_arrays words_of(const kept_plan& plan, const input& values, combine op, const output& out,
                     bool is_scan) {
  require(values.type != element::complex64 && values.type != element::complex128,
          [] { return "on simt segments have real numbers"; });
  word_arrays words;
  with_element<float, double, int, std::int64_t, std::uint8_t>(values.name, values.type, [&]<class T>(T) {
    with_monoid<T>(op, [&]<class Op>(const Op& monoid) {
      using result = typename Op::value_type;
      const auto from = values.as<T>();
      const auto to = out.as<result>();
      const std::int64_t size = is_scan ? values.rows : plan.tiles();
      detail::require_output<result>(from, to, static_cast<std::size_t>(size),
                                     is_scan ? "values" : "segments", is_scan);
      words.read = {from.data(), [](const void* all, std::int64_t i) {
                      return to_word(static_cast<result>(static_cast<const T*>(all)[i]));
                    }};
      words.op = {to_word(monoid.identity()),
                  [](word a, word b) { return to_word(Op{}(from_word<result>(a), from_word<result>(b))); }};
      words.write = {to.data(), [](void* all, std::int64_t i, word value) {
                       static_cast<result*>(all)[i] = from_word<result>(value);
                     }};
    });
  });
  return words;
}

/// Calls body(exec, plan) with the plan of the chosen schedule, which is for simt.
template <class Body> void on_simt(const kept_plan& plan, const input& values, const Body& body) {
  plan.visit([&]<class Executor, class Offset>(detail::plan_on<Executor, Offset>& erased) {
    if constexpr (!Executor::serial_blocks)
      erased.with_plan([&](auto& each) {
        const std::int64_t end = each.first_atom() + each.atoms();
        require(end <= values.rows, [&] {
          return detail::concat("the last segment ends at ", end, ", but there are ", values.rows,
                                " values: offsets must be at most the number of values");
        });
        body(erased.exec(), each);
      });
  });
}

} // namespace

void reduce_segments_on_simt(kept_plan& plan, const input& values, combine op, const output& out) {
  const word_arrays words = words_of(plan, values, op, out, false);
  on_simt(plan, values,
          [&](const simt& exec, auto& each) { reduce_tiles(exec, each, words.read, words.op, words.write); });
}

void scan_segments_on_simt(kept_plan& plan, const input& values, combine op, bool is_inclusive,
                           const output& out) {
  const word_arrays words = words_of(plan, values, op, out, true);
  on_simt(plan, values, [&](const simt& exec, auto& each) {
    scan_tiles_exclusive(exec, each, words.read, words.op, write_prefix{words, is_inclusive});
  });
}

} // namespace evenly::python
