// SPDX-License-Identifier: Apache-2.0
// The radix sort of cpu and simt. Stable.
//
// A first pass of all cores splits the elements by the most significant digit in which keys differ, into segments that
// fit in the cache of a core. If a sample shows that few digits have most keys, the keys of these digits are split
// further in the same pass (sampled_classes). Each segment is then sorted by one core. In scratch memory a key lies
// beside its value: an element is then one write. A segment moves between scratch memory and the output until it is
// sorted:
// * few elements: insertion sort;
// * at least 512 elements, and at most 4 digits: least significant digit first;
// * otherwise: most significant digit first, then each part in the same way.
//
// A segment too large for one core, which skewed keys have, is split again by all cores.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly {

/// The types of keys.
template <class Key>
concept radix_key = (std::integral<Key> || std::floating_point<Key>) && sizeof(Key) <= 8;

namespace detail {

/// Replaces the values if there are none.
struct no_values {};

template <std::size_t Bytes>
using unsigned_of =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Returns an unsigned integer with the same order as the keys.
template <radix_key Key> constexpr auto radix_of(Key key) {
  using bits = unsigned_of<sizeof(Key)>;
  constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(Key) - 1));
  const auto of_key = std::bit_cast<bits>(key);
  if constexpr (std::floating_point<Key>) {
    const bits number = of_key == sign ? bits{0} : of_key; // -0 equals 0
    return static_cast<bits>(number & sign ? ~number : number | sign);
  } else if constexpr (std::is_signed_v<Key>) {
    return static_cast<bits>(of_key ^ sign);
  } else {
    return of_key;
  }
}

template <class Key, class Value> struct keyed {
  Key key;
  [[no_unique_address]] Value value;
};

/// Elements whose keys lie beside their values.
template <class Key, class Value> struct packed_elements {
  keyed<Key, Value>* at;
  Key key(std::int64_t i) const { return at[i].key; }
  keyed<Key, Value> operator[](std::int64_t i) const { return at[i]; }
  void set(std::int64_t i, const keyed<Key, Value>& element) const { at[i] = element; }
};

/// Elements whose keys and values are two arrays.
template <class Key, class Value> struct separate_elements {
  Key* keys;
  Value* values; ///< null if there are none
  Key key(std::int64_t i) const { return keys[i]; }
  keyed<Key, Value> operator[](std::int64_t i) const {
    if constexpr (std::is_same_v<Value, no_values>)
      return {keys[i], {}};
    else
      return {keys[i], values[i]};
  }
  void set(std::int64_t i, const keyed<Key, Value>& element) const {
    keys[i] = element.key;
    if constexpr (!std::is_same_v<Value, no_values>) values[i] = element.value;
  }
};

/// Returns the position of the highest bit that is set, plus 1.
inline int significant_bits(std::uint64_t bits) { return static_cast<int>(std::bit_width(bits)); }

/// A digit: `width` bits of a key.
struct radix_digit {
  int shift;
  int width;
  int values() const { return 1 << width; }
  int bits_of_value(std::size_t) const { return shift; } ///< bits in which keys of one digit may differ
  template <std::unsigned_integral Bits> std::size_t of_bits(Bits bits) const {
    return static_cast<std::size_t>(bits >> shift) & ((std::size_t{1} << width) - 1);
  }
  template <radix_key Key> std::size_t of(Key key) const { return of_bits(radix_of(key)); }
};

/// Classes of keys in ascending order. The digit of a key selects an entry. An entry without cells is one class.
/// Otherwise its keys from `first` << `shift` on are in `cells` classes, one for each value of key >> shift; smaller
/// and larger keys are in a class before and a class after them.
template <class Bits> struct key_classes {
  struct entry {
    Bits first = std::numeric_limits<Bits>::max(); ///< no key has so large a cell
    Bits cells = 0;
    std::uint32_t before = 0; ///< classes of smaller digits
    int shift = 1;
  };
  radix_digit digit;
  const entry* entries;
  const int* bits; ///< of each class: bits in which its keys may differ
  int count;

  int values() const { return count; }
  int bits_of_value(std::size_t value) const { return bits[value]; }
  template <radix_key Key> std::size_t of(Key key) const { return of_bits(radix_of(key)); }
  std::size_t of_bits(Bits key) const {
    const entry at = entries[digit.of_bits(key)];
    const auto cell = static_cast<Bits>(key >> at.shift);
    const auto past = static_cast<Bits>(cell - at.first);
    const std::size_t reached =
        cell < at.first ? 0 : 1; // multiplied, as a branch would often be mispredicted
    return at.before + reached * (std::size_t{std::min(past, at.cells)} + 1);
  }
};

/// Classes for keys like those of a sample.
template <class Bits> class sampled_classes {
 public:
  /// sample: keys in ascending order, as integers. The classes of a frequent digit have about 1 / digit.values() of
  /// them each.
  sampled_classes(const std::vector<Bits>& sample, radix_digit digit)
      : digit_(digit), entries_(static_cast<std::size_t>(digit.values())) {
    auto begin = sample.begin();
    for (std::size_t d = 0; d < entries_.size(); ++d) {
      const auto end = std::find_if(begin, sample.end(), [&](Bits key) { return digit.of_bits(key) != d; });
      auto& each = entries_[d];
      each.before = static_cast<std::uint32_t>(bits_.size());
      bits_.push_back(digit.shift);
      const auto share = static_cast<std::uint64_t>((end - begin) * digit.values()) / sample.size();
      if (share > 1) {
        const auto rare = (end - begin) / 64; // at either end: they should not widen the cells of the others
        const Bits min = begin[rare], max = end[-1 - rare];
        each.shift = std::max(0, significant_bits(static_cast<Bits>(max - min)) - significant_bits(share));
        each.first = static_cast<Bits>(min >> each.shift);
        each.cells = static_cast<Bits>((max >> each.shift) - each.first + 1);
        bits_.resize(bits_.size() + each.cells, each.shift);
        bits_.push_back(digit.shift);
      }
      begin = end;
    }
  }
  key_classes<Bits> view() const {
    return {digit_, entries_.data(), bits_.data(), static_cast<int>(bits_.size())};
  }

 private:
  radix_digit digit_;
  std::vector<typename key_classes<Bits>::entry> entries_;
  std::vector<int> bits_;
};

/// Returns the bits in which the keys of [begin, end) differ from `first`.
template <class Elements, class Key>
std::uint64_t differing_bits(const Elements& from, std::int64_t begin, std::int64_t end, Key first) {
  auto differ = radix_of(first);
  differ = 0;
  for (std::int64_t i = begin; i < end; ++i)
    differ = static_cast<decltype(differ)>(differ | (radix_of(from.key(i)) ^ radix_of(first)));
  return differ;
}

/// Digit: radix_digit or key_classes.
template <class Elements, class Digit, class Count>
void count_digits(const Elements& from, std::int64_t begin, std::int64_t end, Digit digit, Count* counts) {
  for (std::int64_t i = begin; i < end; ++i) ++counts[digit.of(from.key(i))];
}

/// Moves each element to the next place of its digit.
template <class From, class To, class Digit, class Count>
void move_by_digit(const From& from, std::int64_t begin, std::int64_t end, Digit digit, Count* next,
                   const To& to, std::int64_t to_begin) {
  for (std::int64_t i = begin; i < end; ++i) {
    const auto element = from[i];
    to.set(to_begin + static_cast<std::int64_t>(next[digit.of(element.key)]++), element);
  }
}

/// Replaces counts by their exclusive sums.
template <class Count> void exclusive_sums(Count* counts, int count) {
  Count before = 0;
  for (int d = 0; d < count; ++d) before += std::exchange(counts[d], before);
}

/// Consecutive elements, whose keys differ only in the least significant `bits`.
struct radix_segment {
  std::int64_t begin;
  std::int64_t count;
  int bits;
  bool is_packed; ///< they lie in scratch memory, otherwise in the output
};

/// The serial sort of segments of at most 2^31 elements.
template <class Key, class Value> class segment_sort {
 public:
  segment_sort(packed_elements<Key, Value> scratch, separate_elements<Key, Value> out)
      : scratch_(scratch), out_(out) {}

  /// Sorts a segment to its place in the output.
  void operator()(const radix_segment& segment) const {
    if (segment.is_packed)
      sort(scratch_, out_, segment);
    else
      sort(out_, scratch_, segment);
  }

  /// Sorts few elements of `from` to the same places of the output; `from` may be the output.
  template <class From> void insert(const From& from, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto element = from[i];
      std::int64_t to = i;
      for (; to > begin && radix_of(element.key) < radix_of(out_.key(to - 1)); --to)
        out_.set(to, out_[to - 1]);
      out_.set(to, element);
    }
  }

  static constexpr std::int64_t max_inserted = 24;
  static constexpr int max_low_width = 12;

  /// The passes that sort `bits` bits of `count` keys, least significant digit first.
  static int passes_of(int bits, std::int64_t count) {
    return ceil_div(bits, std::min(max_low_width, significant_bits(static_cast<std::uint64_t>(count))));
  }

 private:
  static constexpr int max_split_width = 10, max_passes = 4;
  static constexpr std::int64_t min_low_first = 512;

  template <class From, class To>
  void sort(const From& from, const To& other, const radix_segment& segment) const {
    const auto [begin, count, known_bits, is_packed] = segment;
    if (count <= max_inserted) return insert(from, begin, begin + count);
    const int bits =
        known_bits == 0 ? 0 : significant_bits(differing_bits(from, begin, begin + count, from.key(begin)));
    if (bits == 0) {
      if (is_packed)
        for (std::int64_t i = begin; i < begin + count; ++i) out_.set(i, from[i]);
      return;
    }
    int passes = passes_of(bits, count);
    if ((passes % 2 == 1) != is_packed) ++passes; // the last one writes to the output
    if (count >= min_low_first && passes <= max_passes)
      low_digits_first(from, other, segment, {0, ceil_div(bits, passes)}, passes);
    else
      high_digit_first(from, other, segment, bits);
  }

  template <class From, class To>
  void low_digits_first(const From& from, const To& other, const radix_segment& segment, radix_digit digit,
                        int passes) const {
    const std::int64_t begin = segment.begin, end = begin + segment.count;
    std::array<std::uint32_t, std::size_t{1} << max_low_width> next;
    const auto move = [&](const auto& source, const auto& target) {
      std::fill_n(next.begin(), digit.values(), 0);
      count_digits(source, begin, end, digit, next.data());
      exclusive_sums(next.data(), digit.values());
      move_by_digit(source, begin, end, digit, next.data(), target, begin);
      digit.shift += digit.width;
    };
    for (int pass = 0; pass < passes; ++pass)
      if (pass % 2 == 0)
        move(from, other);
      else
        move(other, from);
  }

  template <class From, class To>
  void high_digit_first(const From& from, const To& other, const radix_segment& segment, int bits) const {
    const std::int64_t begin = segment.begin, end = begin + segment.count;
    const int width =
        std::min({bits, max_split_width, significant_bits(static_cast<std::uint64_t>(segment.count)) - 2});
    const radix_digit digit{bits - width, width};
    std::array<std::uint32_t, std::size_t{1} << max_split_width> next;
    std::fill_n(next.begin(), digit.values(), 0);
    count_digits(from, begin, end, digit, next.data());
    exclusive_sums(next.data(), digit.values());
    move_by_digit(from, begin, end, digit, next.data(), other, begin); // next[d]: the end of digit d
    std::int64_t at = 0;
    for (int d = 0; d < digit.values(); ++d) {
      const std::int64_t past = next[static_cast<std::size_t>(d)];
      if (past > at) (*this)({begin + at, past - at, digit.shift, !segment.is_packed});
      at = past;
    }
  }

  packed_elements<Key, Value> scratch_;
  separate_elements<Key, Value> out_;
};

/// Elements [begin, end) cut into consecutive parts, one per block.
struct split_parts {
  std::int64_t first;
  std::int64_t past;
  std::int64_t per_block;
  template <class Block> std::int64_t begin(Block& block) const { return first + block.index() * per_block; }
  template <class Block> std::int64_t end(Block& block) const {
    return smaller(begin(block) + per_block, past);
  }
};

/// of_block[b]: the bits in which the keys of block b differ from the first of all.
template <class From> struct find_differences {
  split_parts parts;
  From from;
  std::uint64_t* of_block;
  template <class Block> void operator()(Block& block) const {
    of_block[block.index()] =
        differing_bits(from, parts.begin(block), parts.end(block), from.key(parts.first));
  }
};

/// counts[b * digit.values() + d]: how often block b has digit d.
template <class From, class Digit = radix_digit> struct count_block_digits {
  split_parts parts;
  From from;
  Digit digit;
  std::int64_t* counts;
  template <class Block> void operator()(Block& block) const {
    std::int64_t* const mine = counts + std::int64_t{block.index()} * digit.values();
    std::fill_n(mine, digit.values(), 0);
    count_digits(from, parts.begin(block), parts.end(block), digit, mine);
  }
};

/// Replaces the counts of blocks by the first places of their elements, the first of all being `begin`. Returns the
/// first place of each digit, and the end of the last.
inline std::vector<std::int64_t> first_places(std::vector<std::int64_t>& counts, int digits,
                                              std::int64_t begin) {
  const auto each = static_cast<std::size_t>(digits);
  std::vector<std::int64_t> starts(each + 1, begin);
  for (std::size_t d = 0; d < each; ++d) {
    starts[d + 1] = starts[d];
    for (std::size_t at = d; at < counts.size(); at += each)
      starts[d + 1] += std::exchange(counts[at], starts[d + 1]);
  }
  return starts;
}

/// Moves the elements of each block to the places that `next` has, in the layout of the counts.
template <class From, class To, class Digit = radix_digit> struct move_block_digits {
  split_parts parts;
  From from;
  Digit digit;
  std::int64_t* next;
  To to;
  template <class Block> void operator()(Block& block) const {
    move_by_digit(from, parts.begin(block), parts.end(block), digit,
                  next + std::int64_t{block.index()} * digit.values(), to, 0);
  }
};

/// Sorts the segments [starts[b], starts[b + 1]) in block b.
template <class Key, class Value> struct sort_segments {
  segment_sort<Key, Value> sort;
  const radix_segment* segments;
  const std::int64_t* starts;
  template <class Block> void operator()(Block& block) const {
    for (std::int64_t s = starts[block.index()]; s < starts[block.index() + 1]; ++s) sort(segments[s]);
  }
};

template <class Key, class Value> class host_radix_sort {
 public:
  host_radix_sort(const cpu& cores, std::int64_t count, packed_elements<Key, Value> scratch,
                  separate_elements<Key, Value> out)
      : cores_(cores), scratch_(scratch), out_(out),
        max_segment_(smaller(larger(ceil_div(count, std::int64_t{2} * cores.threads()), min_split),
                             std::int64_t{1} << 31)) {}

  /// Sorts the elements of `in` to the output; `in` may be the output.
  void run(const separate_elements<Key, Value>& in, std::int64_t count) {
    const bool in_place = in.keys == out_.keys;
    split(in, {0, count, key_bits, false}, in_place ? target::scratch : target::any);
    while (!large_.empty()) {
      const radix_segment segment = large_.back();
      large_.pop_back();
      if (segment.is_packed)
        split(scratch_, segment, target::out);
      else
        split(out_, segment, target::scratch);
    }
    sort_small(count);
  }

 private:
  using bits_type = decltype(radix_of(Key{}));
  enum class target { out, scratch, any };
  static constexpr int key_bits = 8 * sizeof(Key);
  static constexpr int max_one_pass_bits = 11, usual_width = 8, max_width = 11;
  static constexpr std::int64_t min_split = 1 << 14, min_segment = 1 << 12, segment_bytes = 1 << 18;
  static constexpr int max_sampled_bits = 32; ///< classes of longer keys leave many bits to sort
  static constexpr std::int64_t keys_per_sampled = 512, max_sample = 1 << 10, min_sampled = 1 << 17;

  split_parts parts_of(std::int64_t begin, std::int64_t count) const {
    constexpr std::int64_t max_per_block = 1 << 24; // the interrupt hook is called between blocks
    return {begin, begin + count, smaller(items_per_block(cores_, count, 0), max_per_block)};
  }

  /// Returns the digit that leaves segments which fit in a cache.
  static radix_digit digit_of(int bits, std::int64_t count) {
    const auto bytes = static_cast<std::uint64_t>(count) * (sizeof(keyed<Key, Value>) + sizeof(Key));
    const int by_count =
        std::clamp(significant_bits(static_cast<std::uint64_t>(count) / min_segment), 1, usual_width);
    const int width =
        std::min(bits, std::clamp(significant_bits(bytes / segment_bytes), by_count, max_width));
    return {bits - width, width};
  }

  template <class From> int differing(const From& from, const radix_segment& segment) {
    const split_parts parts = parts_of(segment.begin, segment.count);
    const int blocks = block_count(segment.count, parts.per_block);
    std::vector<std::uint64_t> of_block(static_cast<std::size_t>(blocks));
    launch(cores_, {blocks, 1}, find_differences<From>{parts, from, of_block.data()});
    std::uint64_t all = 0;
    for (const std::uint64_t differ : of_block) all |= differ;
    return significant_bits(all);
  }

  /// Radix keys of a few elements, at places with irregular distances.
  template <class From> std::vector<bits_type> sample_of(const From& from, const radix_segment& segment) {
    std::vector<bits_type> sample(
        static_cast<std::size_t>(smaller(segment.count / keys_per_sampled, max_sample)));
    double at = 0;
    for (bits_type& each : sample) {
      constexpr double golden_ratio = 0.6180339887498949;
      at += at + golden_ratio < 1 ? golden_ratio : golden_ratio - 1;
      each = radix_of(
          from.key(segment.begin + static_cast<std::int64_t>(at * static_cast<double>(segment.count))));
    }
    return sample;
  }
  /// Whether one of the digits has many of the keys.
  static bool is_skewed(const std::vector<bits_type>& sample, radix_digit digit) {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(digit.values()));
    for (const bits_type key : sample) ++counts[digit.of_bits(key)];
    const std::size_t most = *std::max_element(counts.begin(), counts.end());
    return most > sample.size() / 16 && most * counts.size() > 4 * sample.size();
  }

  /// Moves the elements of a segment by one digit, or by classes. What remains to be sorted becomes new segments.
  template <class From> void split(const From& from, const radix_segment& segment, target to) {
    std::vector<bits_type> sample = sample_of(from, segment);
    bits_type differ = 0;
    for (const bits_type key : sample) differ = static_cast<bits_type>(differ | (key ^ sample.front()));
    const int bits = significant_bits(differ) == segment.bits ? segment.bits : differing(from, segment);
    if (bits == 0 && to != target::any) { // they are sorted
      if (segment.is_packed) small_.push_back({segment.begin, segment.count, 0, true});
      return;
    }
    if (bits <= max_one_pass_bits && to != target::scratch)
      return split(from, out_, segment, radix_digit{0, bits});
    const radix_digit digit = digit_of(bits, segment.count);
    if (segment.count < min_sampled || bits > max_sampled_bits ||
        digit.shift <= segment_sort<Key, Value>::max_low_width || !is_skewed(sample, digit))
      return split_to(from, segment, to, digit, digit.shift);
    std::sort(sample.begin(), sample.end());
    const sampled_classes<bits_type> sampled(sample, digit);
    const key_classes<bits_type> classes = sampled.view();
    split_to(from, segment, to, classes, classes.bits_of_value(classes.of_bits(sample[sample.size() / 2])));
  }
  /// bits: of most of the new segments.
  template <class From, class Digit>
  void split_to(const From& from, const radix_segment& segment, target to, const Digit& digit, int bits) {
    if (to == target::any) {
      const std::int64_t size = larger<std::int64_t>(segment.count / digit.values(), 1);
      to = segment_sort<Key, Value>::passes_of(bits, size) % 2 == 0 ? target::out : target::scratch;
    }
    if (to == target::out)
      split(from, out_, segment, digit);
    else
      split(from, scratch_, segment, digit);
  }
  template <class From, class To, class Digit>
  void split(const From& from, const To& to, const radix_segment& segment, const Digit& digit) {
    constexpr bool to_packed = std::is_same_v<To, packed_elements<Key, Value>>;
    const split_parts parts = parts_of(segment.begin, segment.count);
    const int blocks = block_count(segment.count, parts.per_block);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(std::int64_t{blocks} * digit.values()));
    launch(cores_, {blocks, 1}, count_block_digits<From, Digit>{parts, from, digit, counts.data()});
    const std::vector<std::int64_t> starts = first_places(counts, digit.values(), segment.begin);
    for (std::size_t d = 0; d + 1 < starts.size(); ++d) {
      const std::int64_t begin = starts[d], size = starts[d + 1] - begin;
      const int bits = digit.bits_of_value(d);
      if (size > 0 && (bits > 0 || to_packed))
        (size > max_segment_ && bits > 0 ? large_ : small_).push_back({begin, size, bits, to_packed});
    }
    launch(cores_, {blocks, 1}, move_block_digits<From, To, Digit>{parts, from, digit, counts.data(), to});
  }

  /// Sorts the segments on all cores, about as many elements in each block.
  void sort_small(std::int64_t count) {
    if (small_.empty()) return;
    const std::int64_t per_block = items_per_block(cores_, count, 0);
    std::vector<std::int64_t> starts{0};
    std::int64_t in_block = 0;
    for (std::size_t s = 0; s < small_.size(); ++s) {
      in_block += small_[s].count;
      if (in_block < per_block && s + 1 < small_.size()) continue;
      starts.push_back(static_cast<std::int64_t>(s) + 1);
      in_block = 0;
    }
    const int blocks = static_cast<int>(starts.size()) - 1;
    launch(cores_, {blocks, 1}, sort_segments<Key, Value>{{scratch_, out_}, small_.data(), starts.data()});
  }

  cpu cores_;
  packed_elements<Key, Value> scratch_;
  separate_elements<Key, Value> out_;
  std::int64_t max_segment_;
  std::vector<radix_segment> large_, small_;
};

/// In place if keys_out is keys and values_out is values.
template <class Executor, class Key, class Value>
requires Executor::on_host
void radix_sort(const Executor& exec, const Key* keys, const Value* values, std::int64_t count, Key* keys_out,
                Value* values_out, workspace& memory, int /*bits*/) {
  using sorter = segment_sort<Key, Value>;
  // `in` is only read
  const separate_elements<Key, Value> in{const_cast<Key*>(keys), const_cast<Value*>(values)},
      out{keys_out, values_out};
  if (count <= sorter::max_inserted) return sorter({}, out).insert(in, 0, count);
  workspace::lease lease(memory);
  const auto bytes = static_cast<std::size_t>(count) * sizeof(keyed<Key, Value>);
  const packed_elements<Key, Value> scratch{
      reinterpret_cast<keyed<Key, Value>*>(lease.take(exec, 0, bytes).scratch)};
  host_radix_sort<Key, Value>(cpu(exec.threads(), exec.resource()), count, scratch, out).run(in, count);
}

} // namespace detail
} // namespace evenly
