// SPDX-License-Identifier: Apache-2.0
// Contractions of a sparse tensor of three modes, in coordinates: entry e has indices i[e], j[e], k[e] and a value.
//
//   MTTKRP   M(i, r) = sum of X(i, j, k) B(j, r) C(k, r)     a tile is a slice i, an atom an entry
//   SpTTM    Y(i, j, r) = sum of X(i, j, k) U(k, r)          a tile is a fibre (i, j); mode 3
//
// Both are sums of rows of `rank` values by reduce_tiles_wide, under any schedule. Entries are sorted by i, then j, so
// slices need no offsets. The schedule splits entries evenly however unequal slices and fibres are, as F-COO does by
// its format (Liu et al., CLUSTER 2017).
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/algorithms/reduce_tiles_wide.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/coo.hpp"
#include "evenly/work/csr.hpp"

struct tensor {
  int slices;
  std::vector<int> i, j, k;
  std::vector<double> values;
};

/// m: slices x rank. b and c have a row of `rank` values per index.
template <class Executor>
void mttkrp(const Executor& exec, const tensor& x, const std::vector<double>& b, const std::vector<double>& c,
            int rank, std::vector<double>& m) {
  const auto tiles = evenly::coo_row_tiles(std::span<const int>(x.i), x.slices);
  auto plan = evenly::make_plan(exec, evenly::merge_path{}, tiles);
  const auto value = evenly::view(exec, x.values), of_j = evenly::view(exec, b), of_k = evenly::view(exec, c);
  const auto j = evenly::view(exec, x.j), k = evenly::view(exec, x.k);
  const auto out = evenly::view(exec, m);
  evenly::reduce_tiles_wide(
      exec, plan, rank,
      [=](int e, int r) { return value[e] * of_j[j[e] * rank + r] * of_k[k[e] * rank + r]; },
      evenly::plus<double>{}, [=](int slice, int r, double sum) { out[slice * rank + r] = sum; });
}

/// Where fibres begin: the first entry of each pair (i, j), and the number of entries.
std::vector<int> fibres_of(const tensor& x) {
  std::vector<int> offsets;
  const auto entries = static_cast<int>(x.values.size());
  for (int e = 0; e < entries; ++e)
    if (e == 0 || x.i[e] != x.i[e - 1] || x.j[e] != x.j[e - 1]) offsets.push_back(e);
  offsets.push_back(entries);
  return offsets;
}

/// y: fibres x rank. u has a row of `rank` values per index k.
template <class Executor>
void spttm(const Executor& exec, const tensor& x, const std::vector<int>& fibres,
           const std::vector<double>& u, int rank, std::vector<double>& y) {
  auto plan = evenly::make_plan(exec, evenly::merge_path{}, evenly::csr_tiles(fibres));
  const auto value = evenly::view(exec, x.values), of_k = evenly::view(exec, u);
  const auto k = evenly::view(exec, x.k);
  const auto out = evenly::view(exec, y);
  evenly::reduce_tiles_wide(
      exec, plan, rank, [=](int e, int r) { return value[e] * of_k[k[e] * rank + r]; },
      evenly::plus<double>{}, [=](int fibre, int r, double sum) { out[fibre * rank + r] = sum; });
}

/// Slice 7 has most entries; every third slice has none.
tensor made(int slices, int size) {
  tensor x{slices, {}, {}, {}, {}};
  for (int i = 0; i < slices; ++i)
    for (int j = 0; j < size && i % 3 != 0; ++j)
      for (int k = (i + j) % 5; k < (i == 7 ? size : 6); k += 5) {
        x.i.push_back(i), x.j.push_back(j), x.k.push_back(k);
        x.values.push_back(1 + (i + j + k) % 4); // whole numbers: sums are exact
      }
  return x;
}

template <class Executor> bool is_right(const Executor& exec, const char* name) {
  constexpr int slices = 40, size = 60, rank = 5;
  const tensor x = made(slices, size);
  const std::vector<int> fibres = fibres_of(x);
  std::vector<double> b, c;
  for (int at = 0; at < size * rank; ++at) b.push_back(at % 7 - 3), c.push_back(at % 5 - 2);

  std::vector<double> m(slices * rank, -1), y((fibres.size() - 1) * rank, -1);
  mttkrp(exec, x, b, c, rank, m);
  spttm(exec, x, fibres, c, rank, y);

  std::vector<double> wanted_m(m.size()), wanted_y(y.size());
  std::size_t fibre = 0;
  for (int e = 0; e < static_cast<int>(x.values.size()); ++e) {
    if (e == fibres[fibre + 1]) ++fibre;
    for (int r = 0; r < rank; ++r) {
      wanted_m[x.i[e] * rank + r] += x.values[e] * b[x.j[e] * rank + r] * c[x.k[e] * rank + r];
      wanted_y[fibre * rank + r] += x.values[e] * c[x.k[e] * rank + r];
    }
  }
  std::printf("%s: %zu entries, %zu fibres\n", name, x.values.size(), fibres.size() - 1);
  return m == wanted_m && y == wanted_y;
}

int main() { return is_right(evenly::simt(), "simt") && is_right(evenly::cpu(), "cpu") ? 0 : 1; }
