// SPDX-License-Identifier: Apache-2.0
#include "ladder/ladder_problem.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "measure/usage_error.hpp"

namespace evenly::ladder {

using measure::usage_error;

namespace {

/// Numbers from -4 to 3, so that sums of 2^28 of them fit.
template <class T> std::vector<T> small_numbers(std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  std::uint32_t state = 1;
  for (T& each : values) {
    state = state * 1664525U + 1013904223U; // Knuth & Lewis; the high bits are sufficiently random
    each = static_cast<T>(static_cast<int>(state >> 29) - 4);
    if constexpr (std::is_floating_point_v<T>) each += static_cast<T>(state >> 9 & 0xFFFF) / T{65536};
  }
  return values;
}

/// Odd numbers, whose products modulo 2^32 are never 0, and floats whose products neither vanish nor overflow.
template <class T> std::vector<T> factors(std::int64_t n) {
  std::vector<T> values = small_numbers<T>(n);
  for (T& each : values) {
    if constexpr (std::is_floating_point_v<T>)
      each = T{1} + each / T{2048};
    else
      each = 2 * each + 1;
  }
  return values;
}

void require_memory(std::int64_t n, int arrays) {
  if (const auto shortage = host::memory_shortage(n * 4 * arrays))
    throw host::memory_error(fmt::format("{} elements: {}", n, *shortage));
}

/// The rows of the most square matrix with exactly `n` elements; 0 if it is more than twice as wide as high.
std::int64_t rows_of_matrix(std::int64_t n) {
  auto rows = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  while (rows * rows > n) --rows;
  while (rows > 0 && n % rows != 0 && n <= 2 * rows * rows) --rows;
  return rows > 0 && n % rows == 0 && n <= 2 * rows * rows ? rows : 0;
}

std::string as_matrix(std::int64_t n) {
  const std::int64_t rows = rows_of_matrix(n);
  return fmt::format("{} ({} x {})", n, rows, n / rows);
}

/// Throws usage_error with the nearest valid numbers of elements.
[[noreturn]] void refuse_matrix(std::int64_t n) {
  std::int64_t below = n - 1;
  std::int64_t above = n + 1;
  while (rows_of_matrix(below) == 0) --below;
  while (rows_of_matrix(above) == 0) ++above;
  throw usage_error(fmt::format("--n {}: rotate needs rows x columns elements with rows <= columns <= 2 "
                                "rows; the nearest numbers are {} and {}",
                                n, as_matrix(below), as_matrix(above)));
}

template <class T>
ladder_problem<T> make(ladder_kind kind, std::int64_t n, bool exclusive, ladder_operation operation) {
  ladder_problem<T> p{.kind = kind,
                      .cols = n,
                      .prefix = exclusive ? ladder::prefixes::exclusive : ladder::prefixes::inclusive,
                      .operation = operation,
                      .in = {}};
  if (kind == ladder_kind::rotate && n > 0) {
    p.rows = rows_of_matrix(n);
    if (p.rows == 0) refuse_matrix(n);
    p.cols = n / p.rows;
  }
  p.in = operation == ladder_operation::product ? factors<T>(p.n()) : small_numbers<T>(p.n());
  return p;
}

/// The result for the elements so far, in order: of floats in double precision.
template <class T> class running_result {
 public:
  using wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>; ///< holds sums

  explicit running_result(ladder_operation operation)
      : operation_{operation},
        is_rounded_(std::is_floating_point_v<T> &&
                    (operation == ladder_operation::sum || operation == ladder_operation::product)),
        result_(operation == ladder_operation::product ? 1 : 0),
        exact_(chosen_operation<T>{operation}.identity()) {}

  void add(T value) {
    ++terms_;
    if (operation_.which == ladder_operation::sum) {
      result_ += value;
      if constexpr (std::is_floating_point_v<T>) magnitudes_ += std::abs(static_cast<double>(value));
    } else if (is_rounded_) {
      result_ *= value;
      magnitudes_ = std::abs(static_cast<double>(result_));
    } else {
      exact_ = operation_(exact_, value);
    }
  }
  bool agrees(T found) const {
    if (is_rounded_) {
      const double depth =
          terms_ <= 256 ? static_cast<double>(terms_) : 16 * std::sqrt(static_cast<double>(terms_) / 256);
      const double bound = std::numeric_limits<T>::epsilon() * (depth + 4) * magnitudes_;
      return std::abs(static_cast<double>(found) - static_cast<double>(result_)) <= bound;
    }
    return operation_.which == ladder_operation::sum ? found == result_ : found == exact_;
  }
  /// As a number for a message.
  wide value() const {
    return is_rounded_ || operation_.which == ladder_operation::sum ? result_ : static_cast<wide>(exact_);
  }

 private:
  chosen_operation<T> operation_;
  bool is_rounded_;
  wide result_;
  T exact_;
  double magnitudes_ = 0;
  std::int64_t terms_ = 0;
};

template <class T, class Right> std::string wrong(std::int64_t i, T found, Right right) {
  return fmt::format("element {} is {}, but should be {}", i, found, right);
}

template <class T>
std::optional<std::string> first_wrong_result(const ladder_problem<T>& p, const std::vector<T>& found) {
  running_result<T> sum(p.operation);
  for (std::size_t i = 0; i < p.in.size(); ++i) {
    if (p.kind == ladder_kind::scan && p.prefix == ladder::prefixes::exclusive && !sum.agrees(found[i]))
      return wrong(static_cast<std::int64_t>(i), found[i], sum.value());
    sum.add(p.in[i]);
    if (p.kind == ladder_kind::scan && p.prefix == ladder::prefixes::inclusive && !sum.agrees(found[i]))
      return wrong(static_cast<std::int64_t>(i), found[i], sum.value());
  }
  if (p.kind == ladder_kind::reduce && !sum.agrees(found[0])) return wrong(0, found[0], sum.value());
  return {};
}

template <class T>
std::optional<std::string> first_unturned(const ladder_problem<T>& p, const std::vector<T>& found) {
  for (std::int64_t c = 0; c < p.cols; ++c)
    for (std::int64_t r = 0; r < p.rows; ++r) {
      const T right = p.in[static_cast<std::size_t>(r * p.cols + c)];
      const T there = found[static_cast<std::size_t>(c * p.rows + r)];
      if (!(there == right)) return wrong(c * p.rows + r, there, right);
    }
  return {};
}

} // namespace

any_ladder_problem make_ladder_problem(ladder_kind kind, ladder_type type, std::int64_t n, bool exclusive,
                                       int arrays, ladder_operation operation) {
  require_memory(n, arrays);
  if (type == ladder_type::int32) return make<int>(kind, n, exclusive, operation);
  return make<float>(kind, n, exclusive, operation);
}

template <class T>
std::optional<std::string> first_error(const ladder_problem<T>& p, const std::vector<T>& found) {
  if (static_cast<std::int64_t>(found.size()) != p.outputs())
    return fmt::format("{} elements, but there should be {}", found.size(), p.outputs());
  return p.kind == ladder_kind::rotate ? first_unturned(p, found) : first_wrong_result(p, found);
}
template std::optional<std::string> first_error(const ladder_problem<int>&, const std::vector<int>&);
template std::optional<std::string> first_error(const ladder_problem<float>&, const std::vector<float>&);

std::string name_of(ladder_kind kind) {
  return kind == ladder_kind::reduce ? "reduce" : kind == ladder_kind::scan ? "scan" : "rotate";
}
std::string name_of(ladder_operation operation) {
  switch (operation) {
  case ladder_operation::product:
    return "product";
  case ladder_operation::minimum:
    return "min";
  case ladder_operation::maximum:
    return "max";
  case ladder_operation::sum:
    break;
  }
  return "sum";
}
std::string name_of(ladder_type type) { return type == ladder_type::int32 ? "int" : "float"; }

} // namespace evenly::ladder
