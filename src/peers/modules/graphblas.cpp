// SPDX-License-Identifier: Apache-2.0
// SuiteSparse:GraphBLAS: C = 0, then C += A B with a full C. Its kernel for this is faster than that for C = A B.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

extern "C" { // some versions of the header lack it
#include <GraphBLAS.h>
}

#include "peers/peer_module.hpp"

namespace evenly::peers {
namespace {

void require_success(GrB_Info status) {
  if (status != GrB_SUCCESS)
    throw std::runtime_error("GraphBLAS failed with status " + std::to_string(status));
}

struct matrices {
  GrB_Matrix a = nullptr, b = nullptr, c = nullptr;

  matrices() = default;
  ~matrices() {
    for (GrB_Matrix* each : {&a, &b, &c}) GrB_Matrix_free(each);
  }
  matrices(const matrices&) = delete;
  matrices& operator=(const matrices&) = delete;
};

template <class Number> GrB_Index size(Number number) { return static_cast<GrB_Index>(number); }

/// A copy that GraphBLAS takes over and frees.
template <class To, class From> To* copy_of(const From* from, std::size_t count) {
  auto* const to = static_cast<To*>(std::malloc(sizeof(To) * std::max<std::size_t>(1, count)));
  std::transform(from, from + count, to, [](From each) { return static_cast<To>(each); });
  return to;
}

void make(GrB_Matrix& of, int rows, int cols, int format) {
  require_success(GrB_Matrix_new(&of, GrB_FP64, size(rows), size(cols)));
  require_success(GxB_Matrix_Option_set(of, GxB_FORMAT, format));
}

void fill(GrB_Matrix of, const csr_view<double>& from) {
  const auto entries = static_cast<std::size_t>(from.offsets[from.rows]);
  const auto ends = static_cast<std::size_t>(from.rows) + 1;
  GrB_Index* offsets = copy_of<GrB_Index>(from.offsets, ends);
  GrB_Index* columns = copy_of<GrB_Index>(from.columns, entries);
  void* values = copy_of<double>(from.values, entries);
  const GrB_Index some = size(std::max<std::size_t>(1, entries));
  require_success(GxB_Matrix_pack_CSR(of, &offsets, &columns, &values, sizeof(GrB_Index) * ends,
                                      sizeof(GrB_Index) * some, sizeof(double) * some, false, false,
                                      nullptr));
}

struct graphblas {
  prepared_peer operator()(const dense_product<double>& p, int threads) const {
    const auto own = std::make_shared<matrices>();
    const bool by_rows = p.c.layout == dense_layout::rows;
    const int format = by_rows ? GxB_BY_ROW : GxB_BY_COL;
    const auto size_of_b = static_cast<std::size_t>(p.b.extent());
    make(own->a, p.a.rows, p.a.cols, GxB_BY_ROW);
    fill(own->a, p.a);
    make(own->b, p.b.rows, p.b.cols, format);
    void* b = copy_of<double>(p.b.data, size_of_b);
    const auto pack = by_rows ? GxB_Matrix_pack_FullR : GxB_Matrix_pack_FullC;
    require_success(pack(own->b, &b, sizeof(double) * size_of_b, false, nullptr));
    make(own->c, p.c.rows, p.c.cols, format);
    return {[p, own, threads] {
              require_success(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads));
              require_success(GrB_Matrix_assign_FP64(own->c, nullptr, nullptr, 0.0, GrB_ALL, size(p.c.rows),
                                                     GrB_ALL, size(p.c.cols), nullptr));
              require_success(GrB_mxm(own->c, nullptr, GrB_PLUS_FP64, GrB_PLUS_TIMES_SEMIRING_FP64, own->a,
                                      own->b, nullptr));
              require_success(GrB_Matrix_wait(own->c, GrB_MATERIALIZE));
            },
            [p, own, by_rows, format] {
              void* c = nullptr;
              GrB_Index bytes = 0;
              bool is_one_value = false;
              const auto unpack = by_rows ? GxB_Matrix_unpack_FullR : GxB_Matrix_unpack_FullC;
              require_success(unpack(own->c, &c, &bytes, &is_one_value, nullptr));
              const auto* const from = static_cast<const double*>(c);
              for (std::int64_t i = 0; i < p.c.extent(); ++i) p.c.data[i] = from[is_one_value ? 0 : i];
              std::free(c);
              GrB_Matrix_free(&own->c); // unpacking has emptied it
              make(own->c, p.c.rows, p.c.cols, format);
            }};
  }
};

std::string started_version() {
  require_success(GrB_init(GrB_NONBLOCKING));
  return dotted(GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR, GxB_IMPLEMENTATION_SUB);
}

} // namespace
} // namespace evenly::peers

EVENLY_PEER(evenly::peers::graphblas, evenly::peers::started_version())
