// SPDX-License-Identifier: Apache-2.0
#include "generate/rmat.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "generate/random.hpp"
#include "generate/simple_rows.hpp"
#include "host/parallel.hpp"
#include "io/rows.hpp"

namespace evenly::generate {
namespace {

struct edge {
  int from;
  int to;
};

std::vector<int> random_labels(int scale, std::uint64_t seed) {
  std::vector<int> labels(std::size_t{1} << scale);
  std::iota(labels.begin(), labels.end(), 0);
  shuffle(labels, {seed, stream::labels});
  return labels;
}

/// Draws edges: 32 random bits choose the quarter of a level, by thresholds in units of 2^-32.
class edge_maker {
 public:
  edge_maker(int scale, std::uint64_t seed, const rmat_quarters& quarters)
      : scale_(scale), seed_(seed), a_(threshold(quarters.a)), ab_(threshold(quarters.a + quarters.b)),
        abc_(threshold(quarters.a + quarters.b + quarters.c)) {}

  edge operator()(std::uint64_t index) const {
    random_sequence random(seed_, stream::edges, index);
    std::uint64_t bits = 0;
    edge e{0, 0};
    for (int level = 0; level < scale_; ++level) {
      bits = level % 2 == 0 ? random.next() : bits >> 32;
      const std::uint64_t draw = bits & 0xffffffff;
      e.from = 2 * e.from + (draw >= ab_ ? 1 : 0);
      e.to = 2 * e.to + ((draw >= a_) ^ (draw >= ab_) ^ (draw >= abc_) ? 1 : 0);
    }
    return e;
  }

 private:
  static std::uint64_t threshold(double probability) {
    return static_cast<std::uint64_t>(std::llround(probability * 0x1p32));
  }

  int scale_;
  std::uint64_t seed_;
  std::uint64_t a_, ab_, abc_;
};

std::vector<edge> make_edges(int scale, std::int64_t count, std::uint64_t seed,
                             const rmat_quarters& quarters) {
  const std::vector<int> labels = random_labels(scale, seed);
  const edge_maker make(scale, seed, quarters);
  std::vector<edge> edges(static_cast<std::size_t>(count));
  host::for_each_range(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const edge e = make(static_cast<std::uint64_t>(k));
      edges[static_cast<std::size_t>(k)] = {labels[static_cast<std::size_t>(e.from)],
                                            labels[static_cast<std::size_t>(e.to)]};
    }
  });
  return edges;
}

} // namespace

csr_matrix<double> make_rmat(const parameters& p, int scale, std::int64_t edges,
                             const rmat_quarters& quarters) {
  const simple_rows<int> rows(std::int64_t{1} << scale, make_edges(scale, edges, p.seed(), quarters),
                              [](const edge&, int to) { return to; });
  return io::make_rows(p, std::int64_t{1} << scale, rows.sizes(), [&](int row, std::span<int> columns) {
    std::ranges::copy(rows.row(row), columns.begin());
  });
}

} // namespace evenly::generate
