// SPDX-License-Identifier: Apache-2.0
#include "ranks/ranked_matrix.hpp"

#include "evenly/distributed/read.hpp"
#include "evenly/distributed/solvers.hpp"
#include "evenly/distributed/spmm.hpp"
#include "ranks/ranked_parts.hpp"

namespace evenly::ranks {

ranked_matrix::ranked_matrix(const world& ranks, const csr_view<double, std::int64_t>& whole)
    : parts_(std::make_unique<parts>(ranks.distribute(whole))) {}
ranked_matrix::ranked_matrix(const world& ranks, const std::filesystem::path& file)
    : parts_(std::make_unique<parts>(distributed::read_matrix_market<double, std::int64_t>(ranks, file))) {}
ranked_matrix::ranked_matrix(ranked_matrix&&) noexcept = default;
ranked_matrix::~ranked_matrix() = default;

std::int64_t ranked_matrix::rows() const { return parts_->all.rows().total(); }
std::int64_t ranked_matrix::cols() const { return parts_->all.columns().total(); }
std::int64_t ranked_matrix::entries() const { return parts_->all.plan().atoms; }
const std::string& ranked_matrix::explain() const { return parts_->text; }

std::vector<double> ranked_matrix::multiply(std::span<const double> x) {
  return (parts_->all * parts_->distribute(x, parts_->all.columns())).gather();
}
std::vector<double> ranked_matrix::multiply(std::span<const double> x, int columns) {
  const auto whole = parts_->distribute(x, parts_->all.columns().times(columns));
  return distributed::spmm(parts_->all, whole, columns).gather();
}
solve_report ranked_matrix::solve(std::span<const double> b, std::vector<double>& x,
                                  const iterative_options& options) {
  const distributed::ranges& where = parts_->all.rows();
  const auto right = parts_->distribute(b, where);
  auto solution = parts_->distribute(std::span<const double>(x), where);
  const solve_report found = distributed::conjugate_gradient(parts_->all, right, solution, options);
  x = solution.gather();
  return found;
}
graphs::pagerank_totals ranked_matrix::run_pagerank(const std::vector<int>& out_degrees,
                                                    const graphs::pagerank_options& options) {
  const distributed::ranges& where = parts_->all.rows();
  const auto degrees = parts_->distribute(std::span<const int>(out_degrees), where);
  parts_->numbers = distributed::array<double, cpu>(parts_->all.ranks(), where);
  return distributed::pagerank(parts_->all, degrees, parts_->numbers, options);
}

} // namespace evenly::ranks
