// SPDX-License-Identifier: Apache-2.0
// One includer: tests put schedules through further laws, and include it too.
// The laws of schedules that check_schedule checks, and what it notes of a run.
//
// For a tile set of n tiles, whose atoms are numbered from the first:
//   1. for_each_atom visits each atom exactly once, and names the tile that it belongs to and its rank in that tile.
//   2. reduce_tiles stores each tile exactly once, an empty one with the monoid's identity.
//   3. A second run of the same plan gives the same bits.
//   4. Nothing is written outside the outputs: guard elements on both sides stay as they were.
//   5. A tile's values are combined in atom order, each once, unless the monoid is marked as commutative.
// tests/laws/laws.hpp has laws 6 to 9, and more instances of these.
//
// What fails is reported as a violation, not as a failed assertion, so that a test can show that broken schedules are
// found (tests/laws/broken_test.cpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::laws {

enum law {
  threw = 0, ///< no law at all: an exception came out
  visits_once = 1,
  stores_once = 2,
  repeats = 3,
  guards_untouched = 4,
  atom_order = 5,
  rounding_bound = 6,
  expands = 7,
  belongs_together = 8,
  prefixes = 9
};

struct violation {
  law broken;
  std::string what;
};

/// What was found out about one schedule on one tile set.
class findings {
 public:
  /// Notes a violation while `skeleton` runs. Keeps the first few of each law.
  void report(law broken, const std::string& skeleton, const std::string& what) {
    int before = 0;
    for (const violation& each : all_) before += each.broken == broken;
    if (before < 3) all_.push_back({broken, skeleton + ": " + what});
  }
  const std::vector<violation>& all() const { return all_; }
  bool has(law broken) const {
    for (const violation& each : all_)
      if (each.broken == broken) return true;
    return false;
  }

 private:
  std::vector<violation> all_;
};

// --- outputs between guards ---

inline constexpr int guard = 64; ///< elements on either side of an output

/// An output on an executor, seen by functions that run there. Elements up to `guard` beyond both ends may be written,
/// for that is noticed; what goes farther lands in one more element behind them.
template <class Note> struct notes {
  Note* data;
  std::int64_t size;

  EVENLY_FN Note& operator[](std::int64_t i) const {
    return data[i < -guard || i >= size + guard ? size + guard : i];
  }
};

/// `size` elements equal to `fill` on an executor, between guards. T has no padding.
template <class T> class guarded {
 public:
  template <class Executor>
  guarded(const Executor& exec, std::int64_t size, const T& fill)
      : guarded(exec, size, [&](std::int64_t) { return fill; }) {}
  /// fill(i): what element i has at first.
  template <class Executor, class Fill>
  requires std::invocable<const Fill&, std::int64_t>
  guarded(const Executor& exec, std::int64_t size, const Fill& fill)
      : size_(size), before_(size + 2 * guard + 1) {
    std::memset(static_cast<void*>(before_.data()), 0x5A, before_.size() * sizeof(T));
    for (std::int64_t i = 0; i < size; ++i) before_[guard + i] = fill(i);
    data_ = to_executor(exec, before_);
  }

  notes<T> view() const { return {data_.data() + guard, size_}; }
  std::span<T> span() const { return {data_.data() + guard, static_cast<std::size_t>(size_)}; }

  /// The elements on the host. Reports law 4 if a guard has changed.
  template <class Executor>
  std::vector<T> read(const Executor& exec, const std::string& skeleton, findings& found) const {
    std::vector<T> after = to_host(exec, data_);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(after.size()); ++i) {
      if (i == guard) i += size_; // behind the output
      if (std::memcmp(&after[i], &before_[i], sizeof(T)) != 0)
        found.report(guards_untouched, skeleton,
                     i == size_ + 2 * guard ? "something was written far outside of the output"
                                            : "element " + std::to_string(i - guard) + " of an output of " +
                                                  std::to_string(size_) + " was written");
    }
    after.erase(after.begin(), after.begin() + guard);
    after.resize(size_);
    return after;
  }

 private:
  std::int64_t size_;
  std::vector<T> before_;
  buffer<T> data_;
};

// --- the functions that skeletons call: no memory is read, so they mean the same everywhere ---

struct visit_note {
  int times = 0;
  int tile = -1;
  int rank = -1;
};

template <class Tile, class Atom> struct note_visit {
  Atom first;
  notes<visit_note> seen;
  EVENLY_FN void operator()(Tile t, Atom a) const {
    visit_note& note = seen[static_cast<std::int64_t>(a) - first];
    atomic_ref(note.times).fetch_add(1);
    note.tile = static_cast<int>(t);
  }
};

/// 4 bytes aside for the count, so that no value of any size needs padding, which is not compared.
template <class T> struct store_note {
  int times;
  std::byte bytes[sizeof(T)];
};

template <class T, class Tile> struct note_store {
  notes<store_note<T>> stored;
  EVENLY_FN void operator()(Tile t, T value) const {
    store_note<T>& note = stored[t];
    atomic_ref(note.times).fetch_add(1);
    std::memcpy(note.bytes, &value, sizeof(T));
  }
};

/// Atom -> value, where a value is made of the atom's whole 64-bit number.
template <class Monoid, class Atom> struct value_of_atom {
  EVENLY_FN typename Monoid::value_type operator()(Atom a) const {
    return Monoid::of(static_cast<std::uint64_t>(a));
  }
};

// --- the laws ---

/// The items that a schedule gives to a block of its size, as its parameters say. Where they do not, tiles are not cut,
/// and any number will do.
template <class Schedule> std::int64_t items_of_a_block(const Schedule& schedule) {
  std::int64_t items_per_thread = 7;
  schedule.parameters([&](std::string_view name, std::int64_t value) {
    if (name == "items_per_thread") items_per_thread = value;
  });
  return schedule.block_size * items_per_thread;
}

/// The laws on one tile set, of which it knows no more than the offsets. A run of a skeleton is a function here that is
/// given the view of an output: so what judges is compiled once, not once for each schedule and type of tile set.
template <class Executor> class basic_judge {
 public:
  /// Runs a skeleton that writes to the view.
  template <class Note> using run_of = std::function<void(const notes<Note>&)>;
  template <class Monoid> using stored = store_note<typename Monoid::value_type>;

  basic_judge(const Executor& exec, const std::vector<std::int64_t>& offsets, findings& found)
      : exec_(exec), offsets_(offsets), found_(found) {}

  /// Laws 1, 4 and 8.
  void visits(const std::string& skeleton, bool with_rank, const run_of<visit_note>& run) const {
    guarded<visit_note> seen(exec_, atoms(), {});
    run(seen.view());
    const auto got = seen.read(exec_, skeleton, found_);
    for_each_pair([&](std::int64_t t, std::int64_t k) {
      if (got[k].times != 1)
        found_.report(visits_once, skeleton,
                      name(t, k) + " visited " + std::to_string(got[k].times) + " times");
      else if (got[k].tile != t)
        found_.report(visits_once, skeleton,
                      name(t, k) + " visited as of tile " + std::to_string(got[k].tile));
      else if (const std::int64_t rank = offsets_.front() + k - offsets_[t]; with_rank && got[k].rank != rank)
        found_.report(visits_once, skeleton,
                      name(t, k) + " visited with rank " + std::to_string(got[k].rank) + ", not " +
                          std::to_string(rank));
    });
  }

  /// Laws 2, 4 and 5 for a monoid that is associative exactly; 3 too.
  template <class Monoid>
  void reduction_by_atom(const std::string& skeleton, const run_of<stored<Monoid>>& run) const {
    const auto once = reduced<Monoid>(skeleton, run);
    compare_values<Monoid>(skeleton, once, false);
    if (bytes_of(reduced<Monoid>(skeleton, run)) != bytes_of(once))
      found_.report(repeats, skeleton, "differs in the second run");
  }

 protected:
  std::int64_t tiles() const { return std::ssize(offsets_) - 1; }
  std::int64_t atoms() const { return offsets_.back() - offsets_.front(); }
  static std::string name(std::int64_t t) { return "tile " + std::to_string(t); }
  std::string name(std::int64_t t, std::int64_t k) const {
    return name(t) + ", atom " + std::to_string(offsets_.front() + k);
  }

  /// Calls body(t, k) for each tile and atom, k counting from the first atom of all.
  template <class Body> void for_each_pair(const Body& body) const {
    for (std::int64_t t = 0; t < tiles(); ++t)
      for (std::int64_t a = offsets_[t]; a < offsets_[t + 1]; ++a) body(t, a - offsets_.front());
  }

  /// The tiles' values; reports those not stored once.
  template <class Monoid>
  std::vector<typename Monoid::value_type> reduced(const std::string& skeleton,
                                                   const run_of<stored<Monoid>>& run) const {
    using value = typename Monoid::value_type;
    guarded<stored<Monoid>> out(exec_, tiles(), {});
    run(out.view());
    const auto got = out.read(exec_, skeleton, found_);
    std::vector<value> values(got.size());
    for (std::size_t t = 0; t < got.size(); ++t) {
      std::memcpy(static_cast<void*>(&values[t]), got[t].bytes, sizeof(value));
      if (got[t].times != 1)
        found_.report(stores_once, skeleton, name(t) + " stored " + std::to_string(got[t].times) + " times");
    }
    return values;
  }

  /// What the value of an atom is made of.
  static std::uint64_t key(std::int64_t t, std::int64_t a, bool by_tile) {
    return static_cast<std::uint64_t>(a) + (by_tile ? static_cast<std::uint64_t>(t) << 40 : 0);
  }

  /// Compares with a loop over the atoms of each tile.
  template <class Monoid>
  void compare_values(const std::string& skeleton, const std::vector<typename Monoid::value_type>& got,
                      bool by_tile) const {
    const Monoid op;
    for (std::int64_t t = 0; t < tiles(); ++t) {
      typename Monoid::value_type want = op.identity();
      for (std::int64_t a = offsets_[t]; a < offsets_[t + 1]; ++a)
        want = op(want, Monoid::of(key(t, a, by_tile)));
      if (std::memcmp(&got[t], &want, sizeof(want)) == 0) continue;
      const std::int64_t size = offsets_[t + 1] - offsets_[t];
      found_.report(size == 0 ? stores_once : atom_order, skeleton,
                    name(t) + (size == 0 ? ", which is empty, has not the identity"
                                         : " of " + std::to_string(size) + " atoms has another value"));
    }
  }

  template <class T> static std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }

  const Executor& exec_;
  const std::vector<std::int64_t>& offsets_;
  findings& found_;
};

} // namespace evenly::laws
