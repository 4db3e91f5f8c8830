// SPDX-License-Identifier: Apache-2.0
// CHOLMOD of SuiteSparse, on one core. Its matrices have compressed columns: it reads the arrays of compressed rows as
// the transpose.
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include <cholmod.h>

#include "peers/peer_module.hpp"

namespace evenly::peers {
namespace {

struct session {
  cholmod_common common;
  cholmod_sparse* c = nullptr;

  session() { cholmod_start(&common); }
  ~session() {
    release();
    cholmod_finish(&common);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  void release() { cholmod_free_sparse(&c, &common); }
};

/// CHOLMOD reads the arrays only, but its structs have pointers to mutable ones.
template <class T> T* as_mutable(const T* data) { return const_cast<T*>(data); }

cholmod_sparse transpose_of(const csr_view<double>& a) {
  cholmod_sparse seen{};
  seen.nrow = static_cast<std::size_t>(a.cols);
  seen.ncol = static_cast<std::size_t>(a.rows);
  seen.nzmax = static_cast<std::size_t>(a.offsets[a.rows]);
  seen.p = as_mutable(a.offsets);
  seen.i = as_mutable(a.columns);
  seen.x = as_mutable(a.values);
  seen.itype = CHOLMOD_INT;
  seen.xtype = CHOLMOD_REAL;
  seen.dtype = CHOLMOD_DOUBLE;
  seen.sorted = 1;
  seen.packed = 1;
  return seen;
}

template <class Value> cholmod_dense dense_of(const dense_view<Value>& b) {
  cholmod_dense seen{};
  seen.nrow = seen.d = static_cast<std::size_t>(b.rows);
  seen.ncol = static_cast<std::size_t>(b.cols);
  seen.nzmax = seen.nrow * seen.ncol;
  seen.x = const_cast<double*>(b.data);
  seen.xtype = CHOLMOD_REAL;
  seen.dtype = CHOLMOD_DOUBLE;
  return seen;
}

struct cholmod {
  static std::string refusal(const dense_product<double>& p) {
    return p.c.layout == dense_layout::columns ? "" : "it needs B and C by columns (--layout column of spmm)";
  }
  prepared_peer operator()(const dense_product<double>& p, int) const {
    const auto own = std::make_shared<session>();
    return {[p, own] {
      cholmod_sparse a = transpose_of(p.a);
      cholmod_dense b = dense_of(p.b), c = dense_of(p.c);
      double one[2] = {1, 0}, zero[2] = {0, 0};
      if (cholmod_sdmult(&a, 1, one, zero, &b, &c, &own->common) == 0)
        throw std::runtime_error("cholmod_sdmult failed");
    }};
  }
  /// B^T A^T is C^T.
  prepared_peer operator()(const sparse_product<double>& p, int) const {
    const auto own = std::make_shared<session>();
    return {[p, own] {
              cholmod_sparse a = transpose_of(p.a), b = transpose_of(p.b);
              own->release();
              own->c = cholmod_ssmult(&b, &a, 0, 1, 1, &own->common);
              if (own->c == nullptr) throw std::runtime_error("cholmod_ssmult failed");
            },
            [p, own] {
              const auto* const offsets = static_cast<const int*>(own->c->p);
              const auto* const columns = static_cast<const int*>(own->c->i);
              const auto* const values = static_cast<const double*>(own->c->x);
              p.c->offsets.assign(offsets, offsets + p.a.rows + 1);
              p.c->columns.assign(columns, columns + offsets[p.a.rows]);
              p.c->values.assign(values, values + offsets[p.a.rows]);
            }};
  }
};

} // namespace
} // namespace evenly::peers

EVENLY_PEER(evenly::peers::cholmod,
            evenly::peers::dotted(CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION, CHOLMOD_SUBSUB_VERSION))
