// SPDX-License-Identifier: Apache-2.0
// Matrices and graphs on the ranks of a world, compiled once for all commands and for Python: real numbers, offsets of
// 64 bits, ranks on cpu. Calls are collective, and arrays are whole: the same on every process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "evenly/distributed/world.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/graph/pagerank_options.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/iterative_options.hpp"

namespace evenly::ranks {

using world = distributed::world<cpu>;

/// One operation at a time may use it. Errors are those of evenly/distributed.
class ranked_matrix {
 public:
  /// - `whole`: read while the ranks copy their parts.
  ranked_matrix(const world& ranks, const csr_view<double, std::int64_t>& whole);
  /// A matrix of a Matrix Market file, of which each rank reads a range.
  ranked_matrix(const world& ranks, const std::filesystem::path& file);
  ranked_matrix(ranked_matrix&&) noexcept;
  ~ranked_matrix();

  std::int64_t rows() const;
  std::int64_t cols() const;
  std::int64_t entries() const;
  /// A line per rank: what it holds, receives and sends in a product. Not collective.
  const std::string& explain() const;

  /// A x.
  std::vector<double> multiply(std::span<const double> x);
  /// A X for a dense matrix X of `columns` columns, by rows.
  std::vector<double> multiply(std::span<const double> x, int columns);
  /// Conjugate gradients. x: the first approximation, then the solution.
  solve_report solve(std::span<const double> b, std::vector<double>& x, const iterative_options& options);

  // Of a graph: row v has the edges that lead to v. A run leaves its result on the ranks.

  struct levels_and_parents {
    std::vector<int> levels, parents;
  };
  void run_bfs(std::int64_t source);
  levels_and_parents bfs_result();
  void run_sssp(std::int64_t source);
  graphs::pagerank_totals run_pagerank(const std::vector<int>& out_degrees,
                                       const graphs::pagerank_options& options);
  std::vector<double> numbers(); ///< of the last run_sssp or run_pagerank
  void run_connected_components();
  std::vector<int> labels(); ///< of the last run_connected_components
  /// Of a graph with each edge in both directions.
  std::int64_t count_triangles();

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

} // namespace evenly::ranks
