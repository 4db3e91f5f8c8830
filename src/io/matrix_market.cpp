// SPDX-License-Identifier: Apache-2.0
#include "io/matrix_market.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "host/errors.hpp"
#include "io/byte_source.hpp"
#include "io/chunked.hpp"
#include "io/matrix_rows.hpp"

namespace evenly::io {
namespace {

using complex = std::complex<double>;

/// Bytes of a block. Large if entries are kept, for many cores. Small if one thread counts entries, because
/// read_row_profile promises little memory.
constexpr std::size_t rows_block = 8 << 20;
constexpr std::size_t profile_block = 2 << 20;

template <class Offset, class Column> void require_countable(const matrix_limits& limits) {
  constexpr matrix_limits max = limits_of<Offset, Column>();
  require(limits.rows <= max.rows && limits.cols <= max.cols && limits.entries <= max.entries,
          [] { return "the limits of a matrix exceed the range of its indices"; });
}

/// Reads the header, then calls body(blocks, header). Insufficient memory becomes an error of the file.
template <class Body>
auto read(byte_source source, const matrix_limits& limits, std::size_t block, const Body& body) {
  text_blocks blocks(std::move(source), block);
  try {
    const matrix_header shape = read_matrix_header(blocks, limits);
    return body(blocks, shape);
  } catch (const std::bad_alloc&) {
    blocks.fail("not enough memory for the rows and entries up to here");
  }
}

bool has_complex_values(const matrix_header& shape) { return shape.values == matrix_field::complex; }

void refuse_complex(const text_blocks& blocks, const matrix_header& shape) {
  if (has_complex_values(shape))
    blocks.fail("the values are complex, but must be real: only spmv and commands that ignore values accept "
                "complex matrices");
}

/// The matrix as a csr_matrix; nothing is copied.
template <class Value> csr_matrix<Value> as_csr(matrix_rows<Value, int, int>&& a) {
  csr_matrix<Value> made;
  made.rows = static_cast<int>(a.rows);
  made.cols = static_cast<int>(a.cols);
  made.offsets = std::move(a.offsets);
  made.columns = std::move(a.columns);
  made.values = std::move(a.values);
  return made;
}

template <class Value>
csr_matrix<Value> read_csr(text_blocks& blocks, const matrix_header& shape, const matrix_limits& limits,
                           const host::remark_handler& say) {
  return as_csr(read_rows<Value, int, int>(blocks, shape, limits, say));
}

matrix_file read_real(byte_source source, const matrix_limits& limits, const host::remark_handler& say) {
  require_countable<int, int>(limits);
  return read(std::move(source), limits, rows_block, [&](text_blocks& blocks, const matrix_header& shape) {
    refuse_complex(blocks, shape);
    return matrix_file{read_csr<double>(blocks, shape, limits, say), shape.values != matrix_field::pattern};
  });
}

/// Checks whether entries at the same position are adjacent: the order is by row and column or by column and row, and
/// symmetric storage is one triangle.
class place_order {
 public:
  explicit place_order(matrix_symmetry storage) : general_(storage == matrix_symmetry::general) {}

  /// Adds the next position. Returns false from the first position on that is out of order.
  bool take(int row, int col) {
    const std::pair by_row(row, col);
    const std::pair by_col(col, row);
    is_new_ = by_row != by_row_;
    rising_rows_ = rising_rows_ && by_row >= by_row_;
    rising_cols_ = rising_cols_ && by_col >= by_col_;
    lower_ = lower_ && row >= col;
    upper_ = upper_ && row <= col;
    by_row_ = by_row;
    by_col_ = by_col;
    return (rising_rows_ || rising_cols_) && (general_ || lower_ || upper_);
  }

  /// Whether the last position differs from the previous one.
  bool is_new() const { return is_new_; }

 private:
  bool general_;
  bool rising_rows_ = true;
  bool rising_cols_ = true;
  bool lower_ = true;
  bool upper_ = true;
  bool is_new_ = false;
  std::pair<int, int> by_row_{-1, -1};
  std::pair<int, int> by_col_{-1, -1};
};

/// Calls visit(row) for the row of each position that an entry represents.
template <class Visit> void for_each_row(const matrix_header& shape, int row, int col, Visit visit) {
  visit(row);
  if (shape.storage != matrix_symmetry::general && row != col) visit(col);
}

/// A sink of read_records that passes on entries one by one, in file order, to what_next(entry, blocks).
template <class Next> class entries_in_order {
 public:
  using entry = matrix_entry<int, no_value>;

  explicit entries_in_order(const Next& next) : next_(next) {}
  void expect(std::int64_t, std::size_t pieces, const record_count& count, const text_blocks& blocks) {
    parts_.resize(pieces);
    so_far_ = count.so_far();
    blocks_ = &blocks;
  }
  void take(std::size_t i, const std::vector<entry>& records) { parts_[i] = records; }
  void finish_block() {
    for (std::vector<entry>& part : parts_) {
      for (const entry& each : part) next_(each, *blocks_, so_far_);
      std::vector<entry>().swap(part);
    }
  }

 private:
  Next next_;
  std::vector<std::vector<entry>> parts_;
  const text_blocks* blocks_ = nullptr;
  std::string so_far_;
};

template <class Next>
void for_each_entry(text_blocks& blocks, const matrix_header& shape, const matrix_limits& limits,
                    const host::remark_handler& say, const Next& next) {
  entries_in_order<Next> sink(next);
  read_records<matrix_entry<int, no_value>>(blocks, shape, limits.entries, say, sink);
}

void require_memory(const text_blocks& blocks, std::int64_t bytes, const std::string& what) {
  if (const auto shortage = host::memory_shortage(bytes)) blocks.fail(fmt::format("{}: {}", what, *shortage));
}

/// Counts positions that come in order, without storing them. Returns nothing if they are not in order, but checks the
/// file to its end.
std::optional<std::vector<generate::filled_row>> count_in_order(text_blocks& blocks,
                                                                const matrix_header& shape,
                                                                const matrix_limits& limits,
                                                                const host::remark_handler& say) {
  generate::row_counter counter(shape.rows);
  place_order order(shape.storage);
  bool in_order = true;
  const auto next = [&](const auto& each, const text_blocks& at, const std::string& so_far) {
    in_order = in_order && order.take(each.row, each.col);
    if (!in_order || !order.is_new()) return;
    for_each_row(shape, each.row, each.col, [&](int row) {
      if (counter.is_full()) require_memory(at, counter.growth(), so_far);
      counter.add(row);
    });
  };
  for_each_entry(blocks, shape, limits, say, next);
  return in_order ? std::optional(counter.finish()) : std::nullopt;
}

/// Counts positions in any order. Needs 8 bytes per position, and as many again to join them and then to count.
std::vector<generate::filled_row> count_places(text_blocks& blocks, const matrix_header& shape,
                                               const matrix_limits& limits, const host::remark_handler& say) {
  chunked<std::uint64_t> kept;
  const auto next = [&](auto each, const text_blocks& at, const std::string& so_far) {
    if (kept.is_full()) {
      const std::int64_t counting = 16 * std::min(2 * kept.next_capacity(), shape.rows);
      require_memory(at, kept.growth() + std::max(8 * kept.next_capacity(), counting), so_far);
    }
    if (shape.storage != matrix_symmetry::general && each.row < each.col) std::swap(each.row, each.col);
    kept.push_back(static_cast<std::uint64_t>(each.row) << 32 | static_cast<std::uint64_t>(each.col));
  };
  for_each_entry(blocks, shape, limits, say, next);
  std::vector<std::uint64_t> places = kept.gather();
  std::ranges::sort(places);
  generate::row_counter counter(shape.rows);
  const auto end = std::ranges::unique(places).begin();
  for (auto place = places.begin(); place != end; ++place)
    for_each_row(shape, static_cast<int>(*place >> 32), static_cast<int>(*place & 0xffffffff),
                 [&](int row) { counter.add(row); });
  return counter.finish();
}

/// All rows of an array are full. Values are read to find errors, and are not kept.
std::vector<generate::filled_row> count_array(text_blocks& blocks, const matrix_header& shape,
                                              const matrix_limits& limits, const host::remark_handler& say) {
  struct {
    void expect(std::int64_t, std::size_t, const record_count&, const text_blocks&) {}
    void take(std::size_t, const std::vector<no_value>&) {}
    void finish_block() {}
  } nowhere;
  read_records<no_value>(blocks, shape, limits.entries, say, nowhere);
  std::vector<generate::filled_row> rows;
  if (shape.cols == 0) return rows;
  require_memory(blocks, 8 * shape.rows, fmt::format("{} rows", shape.rows));
  for (int row = 0; row < static_cast<int>(shape.rows); ++row)
    rows.push_back({row, static_cast<int>(shape.cols)});
  return rows;
}

generate::row_profile profile_of(const matrix_header& shape, std::vector<generate::filled_row> filled) {
  return {static_cast<int>(shape.rows), static_cast<int>(shape.cols), std::move(filled)};
}

} // namespace

csr_matrix<double> read_matrix_market(const std::filesystem::path& path, const matrix_limits& limits,
                                      const host::remark_handler& say) {
  return read_real(byte_source(path), limits, say).matrix;
}

csr_matrix<double> read_matrix_market(std::istream& stream, const std::string& name,
                                      const matrix_limits& limits, const host::remark_handler& say) {
  return read_real(byte_source(stream, name), limits, say).matrix;
}

matrix_file read_matrix_file(byte_source source, const matrix_limits& limits,
                             const host::remark_handler& say) {
  return read_real(std::move(source), limits, say);
}

csr_matrix<double> read_structure(byte_source source, const matrix_limits& limits,
                                  const host::remark_handler& say) {
  require_countable<int, int>(limits);
  return read(std::move(source), limits, rows_block, [&](text_blocks& blocks, const matrix_header& shape) {
    return read_csr<double>(blocks, shape, limits, say);
  });
}

any_matrix read_any_matrix(byte_source source, const matrix_limits& limits, const host::remark_handler& say) {
  require_countable<int, int>(limits);
  return read(std::move(source), limits, rows_block,
              [&](text_blocks& blocks, const matrix_header& shape) -> any_matrix {
                if (has_complex_values(shape)) return read_csr<complex>(blocks, shape, limits, say);
                return read_csr<double>(blocks, shape, limits, say);
              });
}

exact_matrix read_exact_matrix(byte_source source, const matrix_limits& limits,
                               const host::remark_handler& say) {
  require_countable<int, int>(limits);
  return read(std::move(source), limits, rows_block,
              [&](text_blocks& blocks, const matrix_header& shape) -> exact_matrix {
                switch (shape.values) {
                case matrix_field::integer:
                  return {read_csr<std::int64_t>(blocks, shape, limits, say)};
                case matrix_field::unsigned_integer:
                  return {read_csr<std::uint64_t>(blocks, shape, limits, say)};
                case matrix_field::pattern:
                  return {read_csr<std::int64_t>(blocks, shape, limits, say), true};
                case matrix_field::complex:
                  return {read_csr<complex>(blocks, shape, limits, say)};
                case matrix_field::real:
                  break;
                }
                return {read_csr<double>(blocks, shape, limits, say)};
              });
}

template <class Value>
matrix_rows<Value, std::int64_t, std::int64_t> read_wide_matrix(byte_source source,
                                                                const host::remark_handler& say) {
  const matrix_limits limits = limits_of<std::int64_t, std::int64_t>();
  return read(std::move(source), limits, rows_block, [&](text_blocks& blocks, const matrix_header& shape) {
    if constexpr (std::is_same_v<Value, double>) refuse_complex(blocks, shape);
    return read_rows<Value, std::int64_t, std::int64_t>(blocks, shape, limits, say);
  });
}
template matrix_rows<double, std::int64_t, std::int64_t> read_wide_matrix(byte_source,
                                                                          const host::remark_handler&);
template matrix_rows<complex, std::int64_t, std::int64_t> read_wide_matrix(byte_source,
                                                                           const host::remark_handler&);

template <class Value>
dense_matrix<Value> read_dense_market(byte_source source, const host::remark_handler& say) {
  const matrix_limits limits = limits_of<std::int64_t, std::int64_t>();
  return read(std::move(source), limits, rows_block, [&](text_blocks& blocks, const matrix_header& shape) {
    if (!shape.is_array) blocks.fail("the format is coordinate: it must be array");
    if constexpr (std::is_same_v<Value, double>) refuse_complex(blocks, shape);
    return read_array_values<Value>(blocks, shape, limits, say);
  });
}
template dense_matrix<double> read_dense_market(byte_source, const host::remark_handler&);
template dense_matrix<complex> read_dense_market(byte_source, const host::remark_handler&);

generate::row_profile read_row_profile(byte_source source, const matrix_limits& limits,
                                       const host::remark_handler& say) {
  require_countable<int, int>(limits);
  const auto restart = source.restart();
  const auto count_once = [&](byte_source from, const host::remark_handler& on_remark) {
    return read(std::move(from), limits, profile_block, [&](text_blocks& blocks, const matrix_header& shape) {
      return profile_of(shape, shape.is_array ? count_array(blocks, shape, limits, on_remark)
                                              : count_places(blocks, shape, limits, on_remark));
    });
  };
  if (!restart) return count_once(std::move(source), say);
  auto found =
      read(std::move(source), limits, profile_block, [&](text_blocks& blocks, const matrix_header& shape) {
        if (shape.is_array) return std::optional(profile_of(shape, count_array(blocks, shape, limits, say)));
        auto filled = count_in_order(blocks, shape, limits, say);
        return filled ? std::optional(profile_of(shape, std::move(*filled))) : std::nullopt;
      });
  return found ? std::move(*found) : count_once(restart(), host::ignore_remark);
}

void check_matrix_market(byte_source source, const matrix_limits& limits) {
  read(std::move(source), limits, 1 << 16, [](text_blocks&, const matrix_header&) {});
}

} // namespace evenly::io
