// SPDX-License-Identifier: Apache-2.0
// Each thread adds up the values of its neighbours, under three layouts: unchanged, with reordered elements, and
// through the block's storage. The body and the bits of the result are the same under all three.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include <evenly/execution/cpu.hpp>
#include <evenly/execution/memory.hpp>
#include <evenly/layouts/choice/forecast.hpp>
#include <evenly/layouts/graph_orders.hpp>
#include <evenly/layouts/none.hpp>
#include <evenly/layouts/reorder.hpp>
#include <evenly/layouts/share.hpp>

struct sum_of_neighbours {
  int references;
  evenly::span_on<evenly::cpu, float> out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block&, std::int64_t job, const Load& load) const {
    float sum = 0;
    for (int r = 0; r < references; ++r) sum += load(r); // A[P[r * threads + job]]
    out[job] = sum;
  }
};

template <class Layout>
std::vector<float> sums_under(const char* name, const Layout& layout, const std::vector<int>& neighbours,
                              const std::vector<float>& a, int references) {
  const evenly::cpu exec;
  const auto n = static_cast<std::int64_t>(a.size());
  const evenly::layouts::index_list<int> p(neighbours);
  const evenly::layouts::access_shape shape{
      .threads = n, .references = references, .elements = n, .element_bytes = 4};
  const auto plan = evenly::layouts::make_access_plan(exec, p, shape, evenly::layouts::access_objective{},
                                                      layout); // once for each P
  const auto copy = evenly::make_buffer<float>(exec, static_cast<std::size_t>(plan.slots()));
  std::vector<float> sums(a.size());
  plan.refresh(exec, a.data(), copy.data()); // once for each A
  evenly::layouts::for_each_job(exec, plan, p, a.data(), static_cast<const float*>(copy.data()),
                                sum_of_neighbours{references, view(exec, sums)});
  const evenly::layouts::access_forecast loads =
      evenly::layouts::forecast(exec, plan, a.data(), static_cast<const float*>(copy.data()));
  std::printf("%-8s %8lld sectors for %lld requests, %zu bytes of indices, %zu of copies\n", name,
              static_cast<long long>(loads.sectors), static_cast<long long>(loads.requests), plan.bytes(),
              plan.copy_bytes());
  return sums;
}

int main() {
  constexpr int side = 128, n = side * side, references = 4; // a grid whose points are numbered at random
  std::vector<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(1));
  const auto number = [&](int x, int y) { return numbers[(y + side) % side * side + (x + side) % side]; };
  std::vector<int> neighbours(references * n);
  std::vector<float> a(n);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const int t = number(x, y);
      a[t] = static_cast<float>(x) / static_cast<float>(y + 1);
      const int around[references] = {number(x - 1, y), number(x + 1, y), number(x, y - 1), number(x, y + 1)};
      for (int r = 0; r < references; ++r) neighbours[r * n + t] = around[r];
    }
  const auto none = sums_under("none", evenly::layouts::none{}, neighbours, a, references);
  const auto reordered = sums_under("reorder", evenly::layouts::reorder<evenly::layouts::by_neighbours>{},
                                    neighbours, a, references);
  const auto shared = sums_under("share", evenly::layouts::share<evenly::layouts::by_neighbours>{},
                                 neighbours, a, references);
  return none == reordered && none == shared ? 0 : 1;
}
