// SPDX-License-Identifier: Apache-2.0
// The laws of layouts on the simulated GPU, which also counts their loads.
#include <array>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "layouts/layout_laws.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

TEST(Layouts, KeepTheirLawsOnSimt) {
  constexpr std::array blocks{32, 100};
  for (const std::uint64_t seed : {0, 5})
    for_each_broken_law(simt({.seed = seed}), blocks, [](const std::string& wrong, const std::string& where) {
      EXPECT_EQ(wrong, "") << where;
    });
}

/// Adds up what is loaded, and stores it nowhere that is traced.
struct sum_of_loads {
  std::int64_t references;
  float* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block&, std::int64_t job, const Load& load) const {
    float sum = 0;
    for (std::int64_t r = 0; r < references; ++r) sum += load(r).x;
    out[job] = sum;
  }
};

TEST(Layouts, LoadWhatTheForecastSays) {
  for (const int warp : {4, 32})
    for (const named_references& of : adversarial_references()) {
      trace counts;
      const simt quiet({.warp_size = warp});
      const simt exec({.warp_size = warp, .trace = &counts});
      const auto check = [&](const char* name, const auto& layout) {
        if constexpr (!accumulates<std::remove_cvref_t<decltype(layout)>>) {
          access_shape shape = of.shape;
          shape.block = 100;
          shape.element_bytes = sizeof(particle);
          const index_list<int> list(of.p);
          const std::vector<particle> a(static_cast<std::size_t>(shape.elements));
          const auto plan = make_access_plan(quiet, list, shape, {.warp = warp}, layout);
          const auto copy = make_buffer<particle>(quiet, static_cast<std::size_t>(plan.slots()));
          plan.refresh(quiet, a.data(), copy.data());
          std::vector<float> out(static_cast<std::size_t>(shape.threads));
          const access_forecast said = forecast(quiet, plan, a.data(), copy.data());
          const trace_counts before = counts.totals();
          for_each_job(exec, plan, list, a.data(), copy.data(), sum_of_loads{shape.references, out.data()});
          const trace_counts seen = counts.totals() - before;
          EXPECT_EQ(said, (access_forecast{seen.global_load_requests, seen.global_load_sectors}))
              << name << ", " << of.name << ", warps of " << warp << ": " << said.requests << " requests and "
              << said.sectors << " sectors said, " << seen.global_load_requests << " and "
              << seen.global_load_sectors << " seen";
        }
      };
      for_each_layout(check);
      check("share in little storage", share<by_smallest>{.max_storage = 40 * sizeof(particle)});
    }
}

} // namespace
} // namespace evenly::laws
