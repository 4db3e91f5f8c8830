// SPDX-License-Identifier: Apache-2.0
// A simulation with changing lists: particles have new neighbours every ten steps. It runs twice, with the same bits:
// by trials, which choose a layout while the loop runs, and by a pipeline, which makes plans while the loop runs.
#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/layouts/choice/estimates.hpp"
#include "evenly/layouts/pipeline.hpp"
#include "evenly/layouts/sort_threads.hpp"

constexpr int n = 30'000, references = 8, steps = 60, change_every = 10;
using clustered =
    evenly::layouts::sort_threads<evenly::layouts::by_neighbours>; // threads next to those they refer to

struct drift { // each particle is drawn to those that it refers to
  evenly::span_on<evenly::cpu, const float> now;
  evenly::span_on<evenly::cpu, float> next;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block&, std::int64_t i, const Load& load) const {
    float sum = 0;
    for (int r = 0; r < references; ++r) sum += load(r);
    next[i] = now[i] * 0.9f + sum * (0.1f / references);
  }
};

template <class What> double ms_of(const What& what) {
  const auto from = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count();
}

int main() {
  const evenly::cpu exec, beside; // on a GPU: evenly::cuda, and evenly::side_stream<evenly::cuda>
  const evenly::layouts::access_shape shape{.threads = n, .references = references, .elements = n};
  std::vector<int> p(references * n);
  evenly::layouts::index_list<int> list;
  std::vector<float> a(n), b(n), next(n);
  std::iota(a.begin(), a.end(), 0.0f);
  b = a;

  evenly::layouts::access_case known{
      .shape = shape, .as_is = {}, .clusters = {}, .rates = evenly::layouts::rates_of_two_cores};
  evenly::layouts::layout_trials trials(estimate_unsampled(known, 2), change_every);
  std::optional<evenly::layouts::access_plan<evenly::cpu, clustered, int>> plan;
  evenly::layouts::access_pipeline<evenly::cpu, clustered, int> pipeline(exec, beside, shape, {}, {});

  for (int step = 0; step < steps; ++step) {
    if (step % change_every == 0) { // neighbours on a ring, whose particles are numbered in disorder
      pipeline.release(list);
      plan.reset();
      for (std::int64_t i = 0; i < n; ++i)
        for (int r = 0; r < references; ++r)
          p[r * n + i * 7919 % n] = static_cast<int>((i + r + step) * 7919 % n);
      list = evenly::layouts::index_list<int>(p, static_cast<std::uint64_t>(step));
      pipeline.begin_epoch(list);
      trials.begin_epoch(change_every);
    }
    pipeline.run(b.data(), drift{view(exec, b), view(exec, next)}); // makes and uses a plan automatically
    b.swap(next);

    if (trials.wants_sample()) { // once, as soon as the budget allows it
      const double ms = ms_of([&] {
        known.as_is = sample_blocks(exec, list, shape);
        known.clusters = sample_clusters(exec, list, shape);
      });
      const evenly::layouts::layout_model model(known);
      trials.note_sample(ms, {model.none(), model.sort_threads_by("clustered", model.by_neighbours())});
    }
    if (trials.next() != 0 && !plan)
      trials.note_build(ms_of([&] { plan = make_access_plan(exec, list, shape, {}, clustered{}); }));
    const float* const copy = nullptr; // this layout makes none
    const double ms = ms_of([&] {
      const drift body{view(exec, a), view(exec, next)};
      trials.next() == 0 ? for_each_job(exec, list, shape, a.data(), body)
                         : for_each_job(exec, *plan, list, static_cast<const float*>(a.data()), copy, body);
    });
    trials.runs_to_time() > 0 ? trials.note_runs(1, ms) : trials.skip_run();
    a.swap(next);
  }
  std::printf("by trials: %s\nby a pipeline: %s\n", trials.why().c_str(), pipeline.why().c_str());
  return a == b ? 0 : 1;
}
