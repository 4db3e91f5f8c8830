// SPDX-License-Identifier: Apache-2.0
// The paper's own forms of techniques, and multi_phase without one optimization: each visits each atom once.
#include "study/mapping_forms.hpp"

#include <memory>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "measure/host_timer.hpp"
#include "study/technique_bench.hpp"

namespace evenly::study {
namespace {

std::vector<int> offsets_of(const std::vector<int>& sizes) {
  std::vector<int> offsets{0};
  for (const int size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

/// A prime number of tiles, of which some are empty, some are for a warp and some for a block.
std::vector<int> mixed() {
  std::vector<int> sizes(401);
  for (int t = 0; t < 401; ++t)
    sizes[static_cast<std::size_t>(t)] = t % 97 == 0 ? 700 : t % 11 == 0 ? 40 : t % 5;
  return offsets_of(sizes);
}

void visits_each_atom_once(const std::vector<int>& offsets) {
  const update_problem p{offsets};
  const auto work = std::make_shared<work_on<simt, update_problem>>(simt({.seed = 7}), p);
  std::vector<int> expected;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
    expected.resize(static_cast<std::size_t>(offsets[t + 1]), static_cast<int>(t));
  const auto check = [&](const std::string& name, const auto& schedule) {
    for (const int block_size : {64, 128}) {
      work->poison();
      technique_candidate<0>(work, name, schedule, block_size).prepare().run();
      EXPECT_EQ(std::get<std::vector<int>>(work->result()), expected) << name << ", blocks of " << block_size;
    }
  };
  for_each_paper_form(check);
  for_each_ablation(check);
}

TEST(MappingForms, VisitEachAtomOnce) {
  visits_each_atom_once({0});
  visits_each_atom_once({0, 0, 0});
  visits_each_atom_once({0, 1});
  visits_each_atom_once({0, 3, 3, 1000, 9'000});
  visits_each_atom_once(mixed());
  visits_each_atom_once(offsets_of(std::vector<int>(300, 8)));
}

} // namespace
} // namespace evenly::study
