// SPDX-License-Identifier: Apache-2.0
// A dense matrix by rows that owns its elements in the memory of an executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/sparse/dense_view.hpp"

namespace evenly {

/// Owns rows x cols elements, row after row. Copyable on the host, otherwise move-only.
///
///   evenly::matrix<float> b(3, 2, {1, 2, 3, 4, 5, 6});
///   auto on_device = b.to(evenly::cuda());
template <class T, class Executor = cpu> class matrix {
 public:
  using value_type = T;
  using executor_type = Executor;

  /// Zeros on the host; undefined contents on other executors. Throws invalid_argument for negative sizes.
  matrix(int rows, int cols, const Executor& exec = Executor())
      : rows_(rows), cols_(cols), exec_(exec),
        elements_(detail::make_values<T>(exec, checked_size(rows, cols))) {}
  /// Takes elements row after row. Throws invalid_argument unless their number is rows * cols.
  matrix(int rows, int cols, detail::values_on<Executor, T> elements)
  requires(std::is_same_v<Executor, cpu>)
      : rows_(rows), cols_(cols), elements_(std::move(elements)) {
    require(std::int64_t(elements_.size()) == checked_size(rows, cols), [&] {
      return detail::concat("a matrix of ", rows, " rows and ", cols, " columns was given ", elements_.size(),
                            " elements: it has ", checked_size(rows, cols));
    });
  }

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  std::size_t size() const { return elements_.size(); }
  T* data() { return elements_.data(); }
  const T* data() const { return elements_.data(); }
  const Executor& executor() const { return exec_; }
  dense_view<T> view() { return dense_rows(rows_, cols_, data()); }
  dense_view<const T> view() const { return dense_rows(rows_, cols_, data()); }

  /// An element. Requires 0 <= row < rows() and 0 <= col < cols().
  T& operator()(int row, int col)
  requires(Executor::on_host)
  {
    return elements_[place(row, col)];
  }
  const T& operator()(int row, int col) const
  requires(Executor::on_host)
  {
    return elements_[place(row, col)];
  }

  /// A copy in the memory of `to`. Synchronises.
  template <class To> matrix<T, To> to(const To& to) const {
    matrix<T, To> copy(rows_, cols_, to);
    if (size() == 0) return copy;
    const std::size_t bytes = size() * sizeof(T);
    if constexpr (Executor::on_host) {
      to.copy_from_host(copy.data(), data(), bytes);
    } else if constexpr (To::on_host) {
      exec_.copy_to_host(copy.data(), data(), bytes);
    } else {
      const std::vector<T> on_host = elements_.to_host();
      to.copy_from_host(copy.data(), on_host.data(), bytes);
    }
    return copy;
  }

 private:
  static std::int64_t checked_size(int rows, int cols) {
    require(rows >= 0 && cols >= 0, [&] {
      return detail::concat("a matrix of ", rows, " rows and ", cols, " columns: sizes must not be negative");
    });
    return std::int64_t{rows} * cols;
  }
  std::size_t place(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_) + static_cast<std::size_t>(col);
  }

  int rows_, cols_;
  Executor exec_;
  detail::values_on<Executor, T> elements_;
};

} // namespace evenly
