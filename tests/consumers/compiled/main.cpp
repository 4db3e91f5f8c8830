// SPDX-License-Identifier: Apache-2.0
// Reads a matrix with evenly::io, multiplies it by evenly::runtime under a schedule that is chosen by name, and has a
// kernel of its own explained.
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/io/read.hpp"
#include "evenly/runtime/any_executor.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "evenly/trace/explain.hpp"

/// Every eighth element becomes 1.
struct strided_stores {
  float* to;
  static evenly::slot<int> lay_out(evenly::storage_layout&, evenly::block_shape) { return {}; }
  template <class Block> void operator()(Block& block) const {
    evenly::traced(block, to)[8 * block.rank()] = 1.F;
  }
};

bool is_explained() {
  evenly::trace counts(evenly::keep_profiles{});
  const evenly::simt exec({.trace = &counts});
  const auto memory = evenly::make_buffer<float>(exec, 8 * 64);
  const auto found = evenly::explain("stores", counts, [&] {
    launch(exec, {.blocks = 1, .block_size = 64}, strided_stores{memory.data()});
  });
  const auto findings = evenly::findings_of(found);
  std::printf("%s", evenly::to_text(found).c_str());
  return findings.size() == 1 && findings[0].kind == evenly::finding_kind::strided_access;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  const evenly::csr_matrix<double> a = evenly::io::read_matrix(words[1]);
  const evenly::any_executor exec = evenly::make_executor("cpu");
  evenly::any_plan plan(exec, evenly::any_schedule("merge_path"),
                        evenly::csr_tile_set<int>(a.offsets.data(), a.rows));
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  plan.spmv(a.view(), std::span(x), std::span(y));
  exec.synchronize();
  for (const double sum : y) std::printf("%g ", sum);
  std::printf("\n");
  return y == std::vector<double>{3, 0, 3} && is_explained() ? 0 : 1;
}
