// SPDX-License-Identifier: Apache-2.0
// Uses of the headers in a project that compiles them as its own code with all warnings. It is only compiled, after all
// headers have been included (_check.py, warnings). Only used templates are checked, so each kind is used: all
// schedules under the skeletons, primitives, searches, pools of tasks and layouts, on both executors of the host.
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "evenly/evenly.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/graph/searches.hpp"

namespace strangers {

struct interval {
  double from, to;
};

struct halving {
  static constexpr int max_children = 2;
  using result = double;
  template <class Team, class Sink> EVENLY_FN void operator()(Team&, interval on, Sink& sink) const {
    const double middle = (on.from + on.to) / 2;
    if (on.to - on.from < 1)
      sink.give(on.to - on.from);
    else
      sink.fork_join(on, interval{on.from, middle}, interval{middle, on.to});
  }
  template <class Team, class Results, class Sink>
  EVENLY_FN void resume(Team&, interval, const Results& halves, Sink& sink) const {
    sink.give(halves[0] + halves[1]);
  }
};

struct sum_of_loads {
  int references;
  float* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block&, std::int64_t job, const Load& load) const {
    for (int r = 0; r < references; ++r) out[job] += load(r);
  }
};

template <class Executor, class Schedule, class Tiles>
void skeletons(const Executor& exec, const Schedule& schedule, const Tiles& tiles, std::vector<double>& out) {
  using tile = evenly::tile_type<Tiles>;
  using atom = evenly::atom_type<Tiles>;
  auto plan = evenly::make_plan(exec, schedule, tiles);
  double* const to = out.data();
  const auto value = [] EVENLY_FN(atom a) { return static_cast<double>(a); };
  const auto store = [=] EVENLY_FN(tile t, double sum) { to[t] = sum; };
  evenly::reduce_tiles(exec, plan, value, evenly::plus<double>{}, store);
  evenly::for_each_atom(exec, plan,
                        [=] EVENLY_FN(tile t, atom) { evenly::atomic_ref(to[t]).fetch_add(1.0); });
  std::vector<tile> tile_of(out.size());
  evenly::expand(exec, plan, tile_of);
  evenly::scan_tiles(exec, plan, value, evenly::plus<double>{},
                     [=] EVENLY_FN(atom a, double sum) { to[a] = sum; });
}

template <class Executor> void primitives(const Executor& exec, std::vector<int>& out) {
  const auto even = [] EVENLY_FN(std::int64_t i) { return i % 2 == 0; };
  const auto half = evenly::generated([] EVENLY_FN(std::int64_t i) { return i / 2; });
  const std::int64_t count = std::ssize(out);
  int* const to = out.data();
  evenly::inclusive_scan(exec, to, count, evenly::plus<int>{}, to);
  evenly::select(exec, evenly::counting(), count, even, to);
  evenly::partition(exec, evenly::counting(), count, even, to);
  evenly::reduce_by_key(exec, half, to, count, evenly::plus<int>{}, to, to);
  evenly::sort(exec, to, count, to);
  evenly::reduce(exec, to, count, evenly::plus<int>{});
}

template <class Executor>
void searches(const Executor& exec, const evenly::graph_view<>& graph, std::vector<int>& out) {
  evenly::bfs(graph, 0, out, std::span<int>(), evenly::on(exec).with(evenly::merge_path{}));
  evenly::sssp(graph, 0, out, std::span<int>(), evenly::on(exec).with(evenly::merge_path{}));
}

template <class Executor>
void layouts(const Executor& exec, const std::vector<int>& indices, const std::vector<float>& a) {
  const auto n = static_cast<std::int64_t>(a.size());
  const evenly::layouts::index_list<int> p(indices);
  const evenly::layouts::access_shape shape{.threads = n, .references = 4, .elements = n, .element_bytes = 4};
  std::vector<float> sums(a.size());
  const auto use = [&](const char*, const auto& layout) {
    if constexpr (!std::is_same_v<decltype(layout), const evenly::layouts::share_accumulate&>) {
      const auto plan =
          evenly::layouts::make_access_plan(exec, p, shape, evenly::layouts::access_objective{}, layout);
      const auto copy = evenly::make_buffer<float>(exec, static_cast<std::size_t>(plan.slots()));
      plan.refresh(exec, a.data(), copy.data());
      const float* const copied = copy.data();
      evenly::layouts::for_each_job(exec, plan, p, a.data(), copied, sum_of_loads{4, sums.data()});
      evenly::layouts::forecast(exec, plan, a.data(), copied);
    }
  };
  evenly::layouts::for_each_layout(use);
  evenly::layouts::for_each_graph_layout(use);
}

template <class Executor> void all(const Executor& exec) {
  const std::vector<int> offsets{0, 2, 2, 5};
  std::vector<double> out(5);
  evenly::for_each_schedule(
      [&](const char*, const auto& schedule) { skeletons(exec, schedule, evenly::csr_tiles(offsets), out); });
  std::vector<int> numbers(5);
  primitives(exec, numbers);
  searches(exec, {{3, 5, offsets.data(), numbers.data()}, {}, numbers.data()}, numbers);
  evenly::tasks::for_each_pool([&](const char*, const auto& pool) {
    evenly::run_fork_join(exec, pool, std::vector<interval>{{0, 9}}, halving{}, out);
  });
  layouts(exec, std::vector<int>(20), std::vector<float>(5));
}

} // namespace strangers

int main() {
  strangers::all(evenly::cpu());
  strangers::all(evenly::simt());
}
