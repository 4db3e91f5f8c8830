// SPDX-License-Identifier: Apache-2.0
// Eigen: products of sparse matrices in compressed rows. Products with vectors and dense matrices use OpenMP.
#include <memory>

#include <Eigen/SparseCore>

#include "peers/peer_module.hpp"

namespace evenly::peers {
namespace {

template <class Value> using sparse = Eigen::SparseMatrix<Value, Eigen::RowMajor>;

template <class Value> Eigen::Map<const sparse<Value>> mapped(const csr_view<Value>& a) {
  return {a.rows, a.cols, a.offsets[a.rows], a.offsets, a.columns, a.values};
}

template <class Value, int Order> prepared_peer multiply_dense(const dense_product<Value>& p, int threads) {
  using dense = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic, Order>;
  return {[p, threads] {
    Eigen::setNbThreads(threads);
    Eigen::Map<dense>(p.c.data, p.c.rows, p.c.cols).noalias() =
        mapped(p.a) * Eigen::Map<const dense>(p.b.data, p.b.rows, p.b.cols);
  }};
}

struct eigen {
  template <class Value> prepared_peer operator()(const vector_product<Value>& p, int threads) const {
    using vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;
    return {[p, threads] {
      Eigen::setNbThreads(threads);
      Eigen::Map<vector>(p.y, p.a.rows).noalias() = mapped(p.a) * Eigen::Map<const vector>(p.x, p.a.cols);
    }};
  }
  template <class Value> prepared_peer operator()(const dense_product<Value>& p, int threads) const {
    return p.c.layout == dense_layout::rows ? multiply_dense<Value, Eigen::RowMajor>(p, threads)
                                            : multiply_dense<Value, Eigen::ColMajor>(p, threads);
  }
  template <class Value> prepared_peer operator()(const sparse_product<Value>& p, int) const {
    const auto c = std::make_shared<sparse<Value>>();
    return {[p, c] { *c = mapped(p.a) * mapped(p.b); },
            [p, c] {
              p.c->offsets.assign(c->outerIndexPtr(), c->outerIndexPtr() + c->rows() + 1);
              p.c->columns.assign(c->innerIndexPtr(), c->innerIndexPtr() + c->nonZeros());
              p.c->values.assign(c->valuePtr(), c->valuePtr() + c->nonZeros());
            }};
  }
};

} // namespace
} // namespace evenly::peers

EVENLY_PEER(evenly::peers::eigen,
            evenly::peers::dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION))
