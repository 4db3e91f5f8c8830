// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "evenly/distributed/searches.hpp"
#include "evenly/distributed/triangles.hpp"
#include "ranks/ranked_parts.hpp"

namespace evenly::ranks {

void ranked_matrix::run_bfs(std::int64_t source) {
  distributed::detail::check_graph(parts_->all, source);
  if (!parts_->search)
    parts_->search = std::make_unique<distributed::breadth_first<double, std::int64_t, cpu>>(parts_->all);
  parts_->found = parts_->search->from(source);
}
ranked_matrix::levels_and_parents ranked_matrix::bfs_result() {
  return {parts_->found->levels.gather(), parts_->found->parents.gather()};
}
void ranked_matrix::run_sssp(std::int64_t source) {
  parts_->numbers = distributed::sssp(parts_->all, source);
}
std::vector<double> ranked_matrix::numbers() { return parts_->numbers.gather(); }
void ranked_matrix::run_connected_components() {
  parts_->labels = distributed::connected_components(parts_->all);
}
std::vector<int> ranked_matrix::labels() { return parts_->labels.gather(); }
std::int64_t ranked_matrix::count_triangles() { return distributed::count_triangles(parts_->all); }

} // namespace evenly::ranks
