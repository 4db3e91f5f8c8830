// SPDX-License-Identifier: Apache-2.0
// Sorts entries into compressed rows, on all cores.
//
// A bucket is a range of consecutive rows. The thread that parses a piece of the file sorts its entries by bucket while
// they are in the cache. Then one thread sorts each bucket into rows, from the pieces in file order. This needs no
// atomic operations, writes are local, and entries at the same position keep the file order on any number of cores.
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/memory_limits.hpp"
#include "host/parallel.hpp"
#include "io/compressed_rows.hpp"
#include "io/matrix_entries.hpp"
#include "io/matrix_market.hpp"

namespace evenly::io {

/// The maximum sizes of rows with these index types.
template <class Offset, class Column> constexpr matrix_limits limits_of() {
  constexpr std::int64_t max = std::int64_t{1} << 60; // twice this fits into 64 bits
  const auto clamped = [=](std::int64_t a) { return std::min(a, max); };
  constexpr auto column = std::numeric_limits<Column>::max();
  return {clamped(column) - (column < max ? 1 : 0), clamped(column),
          clamped(std::numeric_limits<Offset>::max())};
}

/// The value at (col, row) of symmetric storage with `value` at (row, col).
template <class Value> Value mirrored(matrix_symmetry storage, Value value) {
  if constexpr (std::is_unsigned_v<Value>) return value; // unsigned values are not skew-symmetric
  return storage == matrix_symmetry::skew ? -value : value;
}
inline std::complex<double> mirrored(matrix_symmetry storage, std::complex<double> value) {
  return storage == matrix_symmetry::skew        ? -value
         : storage == matrix_symmetry::hermitian ? std::conj(value)
                                                 : value;
}

/// A sink of read_records (matrix_entries.hpp).
template <class Value, class Offset, class Column> class row_builder {
 public:
  using entry = matrix_entry<Column, Value>;

  explicit row_builder(const matrix_header& shape) : shape_(shape) {
    constexpr std::int64_t max_buckets = 1024,
                           min_entries = 2048; // per bucket: fewer do not pay for a thread
    const std::int64_t wanted =
        std::clamp<std::int64_t>(std::min(shape.entries, shape.rows) / min_entries, 1, max_buckets);
    while (((shape.rows - 1) >> shift_) >= wanted) ++shift_;
    buckets_ = shape.rows == 0 ? 0 : static_cast<std::size_t>((shape.rows - 1) >> shift_) + 1;
  }

  void expect(std::int64_t records, std::size_t pieces, const record_count& count,
              const text_blocks& blocks) {
    const std::int64_t expansion = shape_.expansion();
    const std::int64_t needed = records * expansion * static_cast<std::int64_t>(sizeof(entry)) +
                                static_cast<std::int64_t>(pieces * (buckets_ + 1) * sizeof(std::uint32_t)) +
                                result_bytes(count.expanded() + records * expansion);
    if (const auto shortage = host::memory_shortage(needed))
      blocks.fail(fmt::format("{}: {}", count.so_far(), *shortage));
    parts_.resize(done_ + pieces);
    blocks_ = &blocks;
  }

  void take(std::size_t i, const std::vector<entry>& records) {
    part& mine = parts_[done_ + i];
    mine.starts.resize(buckets_ + 1);
    for_each_place(records, [&](const entry& e) { ++mine.starts[bucket_of(e.row) + 1]; });
    for (std::size_t b = 0; b < buckets_; ++b) mine.starts[b + 1] += mine.starts[b];
    mine.entries = std::make_unique_for_overwrite<entry[]>(mine.starts.back());
    static thread_local std::vector<std::uint32_t> next;
    next = mine.starts;
    for_each_place(records, [&](const entry& e) { mine.entries[next[bucket_of(e.row)]++] = e; });
  }

  void finish_block() { done_ = parts_.size(); }

  /// The rows, with sorted and distinct columns. Values at the same position are added in file order.
  matrix_rows<Value, Offset, Column> finish() {
    matrix_rows<Value, Offset, Column> a;
    a.rows = shape_.rows;
    a.cols = shape_.cols;
    a.offsets.resize(static_cast<std::size_t>(shape_.rows) + 1);
    std::vector<std::size_t> begins(buckets_ + 1), ends(buckets_); // of buckets; the end excludes duplicates
    for (const part& each : parts_)
      for (std::size_t b = 0; b < buckets_; ++b) begins[b + 1] += each.starts[b + 1] - each.starts[b];
    for (std::size_t b = 0; b < buckets_; ++b) begins[b + 1] += begins[b];
    a.columns.resize(begins.back());
    a.values.resize(begins.back());
    std::vector<std::optional<sum_overflow>> overflows(buckets_);
    host::for_each_range(static_cast<std::int64_t>(buckets_), [&](std::int64_t first, std::int64_t last) {
      for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
        fill_bucket(a, b, begins[b]);
        try {
          ends[b] = sort_and_add(a, b, begins[b]);
        } catch (const sum_overflow& at) {
          overflows[b] = at;
        }
      }
    });
    for (const std::optional<sum_overflow>& at : overflows)
      if (at) throw file_error(blocks_->name(), 0, at->text(1));
    parts_.clear();
    close_gaps(a, begins, ends);
    return a;
  }

 private:
  struct part {
    std::unique_ptr<entry[]> entries;  ///< of a piece, by bucket; in a bucket in file order
    std::vector<std::uint32_t> starts; ///< the first entry of each bucket
  };
  /// An entry of one row and its position in file order, which orders equal columns.
  struct placed {
    Column col;
    std::size_t order;
    Value value;
  };

  std::size_t bucket_of(Column row) const { return static_cast<std::size_t>(row) >> shift_; }
  std::int64_t first_row(std::size_t bucket) const {
    return std::min(static_cast<std::int64_t>(bucket) << shift_, shape_.rows);
  }
  std::int64_t result_bytes(std::int64_t entries) const {
    return static_cast<std::int64_t>(sizeof(Offset)) * (shape_.rows + 1) +
           static_cast<std::int64_t>(sizeof(Column) + sizeof(Value)) * entries;
  }

  /// Calls visit(entry) for all entries that the records represent, in order.
  template <class Visit> void for_each_place(const std::vector<entry>& records, const Visit& visit) const {
    for (const entry& e : records) {
      visit(e);
      if (shape_.storage != matrix_symmetry::general && e.row != e.col)
        visit({e.col, e.row, mirrored(shape_.storage, e.value)});
    }
  }

  template <class Visit> void for_each_in_bucket(std::size_t b, const Visit& visit) const {
    for (const part& each : parts_)
      for (std::uint32_t k = each.starts[b]; k < each.starts[b + 1]; ++k) visit(each.entries[k]);
  }

  /// While rows are filled, offsets[r + 1] is the position of the next entry of row r. At the end it is the end of row
  /// r.
  void fill_bucket(matrix_rows<Value, Offset, Column>& a, std::size_t b, std::size_t begin) {
    const auto cursor = [&](std::int64_t row) -> Offset& {
      return a.offsets[static_cast<std::size_t>(row) + 1];
    };
    for_each_in_bucket(b, [&](const entry& e) { ++cursor(e.row); });
    auto next = static_cast<Offset>(begin);
    for (std::int64_t row = first_row(b); row < first_row(b + 1); ++row)
      next = static_cast<Offset>(next + std::exchange(cursor(row), next));
    for_each_in_bucket(b, [&](const entry& e) {
      const auto place = static_cast<std::size_t>(cursor(e.row)++);
      a.columns[place] = e.col;
      a.values[place] = e.value;
    });
  }

  /// Sorts entries [begin, end) by column. Stable.
  void sort_row(matrix_rows<Value, Offset, Column>& a, std::size_t begin, std::size_t end,
                std::vector<placed>& scratch) const {
    constexpr std::size_t few = 32;
    Column* const columns = a.columns.data();
    if (std::is_sorted(columns + begin, columns + end)) return;
    if (end - begin <= few) { // insertion sort is stable
      Value* const values = a.values.data();
      for (std::size_t k = begin + 1; k < end; ++k) {
        const Column col = columns[k];
        const Value value = values[k];
        std::size_t to = k;
        for (; to > begin && columns[to - 1] > col; --to) {
          columns[to] = columns[to - 1];
          values[to] = values[to - 1];
        }
        columns[to] = col;
        values[to] = value;
      }
      return;
    }
    scratch.clear();
    if (scratch.capacity() < end - begin) { // allocate exactly the required size
      std::vector<placed>().swap(scratch);
      require_memory_for_row(end - begin);
      scratch.reserve(end - begin);
    }
    for (std::size_t k = begin; k < end; ++k) scratch.push_back({a.columns[k], k, a.values[k]});
    std::ranges::sort(scratch, {}, [](const placed& p) { return std::pair(p.col, p.order); });
    for (std::size_t k = begin; k < end; ++k) {
      a.columns[k] = scratch[k - begin].col;
      a.values[k] = scratch[k - begin].value;
    }
  }

  /// Checks available memory for long rows only: they are few, and the check is slow.
  void require_memory_for_row(std::size_t entries) const {
    const std::size_t bytes = entries * sizeof(placed);
    if (bytes < 1 << 20) return;
    if (const auto shortage = host::memory_shortage(static_cast<std::int64_t>(bytes)))
      blocks_->fail(fmt::format("sorting a row of {} entries: {}", entries, *shortage));
  }

  /// Combines duplicates of the bucket. Returns the end of the remaining entries. Throws sum_overflow.
  std::size_t sort_and_add(matrix_rows<Value, Offset, Column>& a, std::size_t b, std::size_t begin) const {
    std::vector<placed> scratch;
    std::size_t kept = begin;
    for (std::int64_t row = first_row(b); row < first_row(b + 1); ++row) {
      Offset& row_end = a.offsets[static_cast<std::size_t>(row) + 1];
      const auto end = static_cast<std::size_t>(row_end);
      sort_row(a, begin, end, scratch);
      const std::size_t first = kept;
      if (kept == begin) // no duplicates yet, so nothing has moved
        while (kept < end && (kept == first || a.columns[kept - 1] != a.columns[kept])) ++kept;
      for (std::size_t k = begin + (kept - first); k < end; ++k) {
        if (kept > first && a.columns[kept - 1] == a.columns[k]) {
          if (!add_values{}(a.values[kept - 1], a.values[k]))
            throw sum_overflow{row, static_cast<std::int64_t>(a.columns[k])};
        } else {
          a.columns[kept] = a.columns[k];
          a.values[kept++] = a.values[k];
        }
      }
      row_end = static_cast<Offset>(kept);
      begin = end;
    }
    return kept;
  }

  /// Moves buckets to the front if duplicates before them were combined.
  void close_gaps(matrix_rows<Value, Offset, Column>& a, const std::vector<std::size_t>& begins,
                  const std::vector<std::size_t>& ends) const {
    std::size_t kept = 0;
    for (std::size_t b = 0; b < buckets_; ++b) {
      const std::size_t gap = begins[b] - kept;
      if (gap > 0) {
        std::copy(a.columns.begin() + static_cast<std::ptrdiff_t>(begins[b]),
                  a.columns.begin() + static_cast<std::ptrdiff_t>(ends[b]),
                  a.columns.begin() + static_cast<std::ptrdiff_t>(kept));
        std::copy(a.values.begin() + static_cast<std::ptrdiff_t>(begins[b]),
                  a.values.begin() + static_cast<std::ptrdiff_t>(ends[b]),
                  a.values.begin() + static_cast<std::ptrdiff_t>(kept));
        for (std::int64_t row = first_row(b); row < first_row(b + 1); ++row) {
          Offset& row_end = a.offsets[static_cast<std::size_t>(row) + 1];
          row_end = static_cast<Offset>(static_cast<std::size_t>(row_end) - gap);
        }
      }
      kept += ends[b] - begins[b];
    }
    a.columns.resize(kept);
    a.values.resize(kept);
  }

  const matrix_header& shape_;
  int shift_ = 0; ///< a bucket has 2^shift_ rows
  std::size_t buckets_ = 0;
  const text_blocks* blocks_ = nullptr;
  std::vector<part> parts_; ///< in file order
  std::size_t done_ = 0;    ///< parts of blocks that have no errors
};

/// A sink of read_records for the values of an array.
template <class Value> class array_builder {
 public:
  explicit array_builder(const matrix_header& shape) : shape_(shape) {}

  void expect(std::int64_t records, std::size_t pieces, const record_count& count,
              const text_blocks& blocks) {
    const std::int64_t all =
        shape_.storage == matrix_symmetry::general ? count.read() + records : shape_.rows * shape_.cols;
    if (const auto shortage =
            host::memory_shortage(static_cast<std::int64_t>(sizeof(Value)) * (records + all)))
      blocks.fail(fmt::format("{}: {}", count.so_far(), *shortage));
    parts_.resize(done_ + pieces);
  }
  void take(std::size_t i, const std::vector<Value>& records) { parts_[done_ + i] = records; }
  void finish_block() { done_ = parts_.size(); }

  dense_matrix<Value> finish() {
    dense_matrix<Value> a{shape_.rows, shape_.cols, {}};
    if (shape_.storage == matrix_symmetry::general) {
      a.values.reserve(static_cast<std::size_t>(shape_.entries));
      for (std::vector<Value>& each : parts_) {
        a.values.insert(a.values.end(), each.begin(), each.end());
        std::vector<Value>().swap(each);
      }
      return a;
    }
    a.values.resize(static_cast<std::size_t>(shape_.rows * shape_.cols));
    const std::int64_t below =
        shape_.storage == matrix_symmetry::skew ? 1 : 0; // the first row of a column's values
    std::int64_t row = below, col = 0;
    const auto at = [&](std::int64_t r, std::int64_t c) -> Value& {
      return a.values[static_cast<std::size_t>(c * a.rows + r)];
    };
    for (const std::vector<Value>& each : parts_)
      for (const Value& value : each) {
        at(col, row) = mirrored(shape_.storage, value);
        at(row, col) = value;
        if (++row == a.rows) row = ++col + below;
      }
    return a;
  }

 private:
  const matrix_header& shape_;
  std::vector<std::vector<Value>> parts_; ///< in file order
  std::size_t done_ = 0;
};

/// All values of an array as entries.
template <class Value, class Offset, class Column>
matrix_rows<Value, Offset, Column> rows_of_array(const dense_matrix<Value>& dense) {
  matrix_rows<Value, Offset, Column> a;
  a.rows = dense.rows;
  a.cols = dense.cols;
  a.offsets.resize(static_cast<std::size_t>(dense.rows) + 1);
  a.columns.resize(dense.values.size());
  a.values.resize(dense.values.size());
  host::for_each_range(dense.rows, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      a.offsets[static_cast<std::size_t>(row) + 1] = static_cast<Offset>((row + 1) * dense.cols);
      for (std::int64_t col = 0; col < dense.cols; ++col) {
        const auto place = static_cast<std::size_t>(row * dense.cols + col);
        a.columns[place] = static_cast<Column>(col);
        a.values[place] = dense.values[static_cast<std::size_t>(col * dense.rows + row)];
      }
    }
  });
  return a;
}

/// The values of an array, which follow the header of its file.
template <class Value>
dense_matrix<Value> read_array_values(text_blocks& blocks, const matrix_header& shape,
                                      const matrix_limits& limits, const host::remark_handler& say) {
  array_builder<Value> values(shape);
  read_records<Value>(blocks, shape, limits.entries, say, values);
  dense_matrix<Value> a = values.finish();
  if constexpr (std::is_same_v<Value, std::complex<double>>)
    for (std::int64_t row = 0; shape.storage == matrix_symmetry::hermitian && row < a.rows; ++row)
      if (const Value found = a.values[static_cast<std::size_t>(row * (a.rows + 1))]; found.imag() != 0)
        throw file_error(
            blocks.name(), 0,
            fmt::format("the diagonal value of row {} is {} {}: it must be real in a hermitian matrix",
                        row + 1, found.real(), found.imag()));
  return a;
}

/// The contents of a file after its header, as compressed rows.
template <class Value, class Offset, class Column>
matrix_rows<Value, Offset, Column> read_rows(text_blocks& blocks, const matrix_header& shape,
                                             const matrix_limits& limits, const host::remark_handler& say) {
  const std::int64_t bytes = static_cast<std::int64_t>(sizeof(Offset)) * (shape.rows + 1);
  if (const auto shortage = host::memory_shortage(bytes))
    blocks.fail(fmt::format("{} rows: {}", shape.rows, *shortage));
  if (shape.is_array) {
    const dense_matrix<Value> dense = read_array_values<Value>(blocks, shape, limits, say);
    const auto entries = static_cast<std::int64_t>((sizeof(Column) + sizeof(Value)) * dense.values.size());
    if (const auto shortage = host::memory_shortage(bytes + entries))
      blocks.fail(fmt::format("{} values as entries: {}", dense.values.size(), *shortage));
    return rows_of_array<Value, Offset, Column>(dense);
  }
  row_builder<Value, Offset, Column> rows(shape);
  read_records<matrix_entry<Column, Value>>(blocks, shape, limits.entries, say, rows);
  return rows.finish();
}

} // namespace evenly::io
