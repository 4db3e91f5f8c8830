// SPDX-License-Identifier: Apache-2.0
// A loop with changing lists through a pipeline, on any executor: it stores what the lists say, bit for bit, with
// any plans at any time.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/layouts/graph_orders.hpp"
#include "evenly/layouts/pipeline.hpp"

namespace evenly::laws {

using namespace layouts;

/// out[job] = a sum in which the order of elements shows. Threads that stand where their jobs do take `turns` times as
/// long for it, so that plans that move them pay.
struct sum_in_order {
  int references;
  int turns;
  float* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block&, std::int64_t job, const Load& load) const {
    float sum = 0;
    for (int turn = load.position == job ? 0 : turns - 1; turn < turns; ++turn) {
      sum *= 0;
      for (int r = 0; r < references; ++r) sum = sum * 0.75f + load(r);
    }
    out[job] = sum;
  }
};

/// Lists that differ from epoch to epoch, and values that differ from run to run.
class changing_lists {
 public:
  changing_lists(std::int64_t threads, int references, std::int64_t elements, int block = 64)
      : shape_{.threads = threads, .references = references, .elements = elements, .block = block} {}

  const access_shape& shape() const { return shape_; }
  std::vector<int> list(int epoch) const {
    std::vector<int> p(static_cast<std::size_t>(shape_.total_references()));
    for (std::size_t i = 0; i < p.size(); ++i)
      p[i] = static_cast<int>(detail::scattered(i + 1'000'003 * static_cast<std::uint64_t>(epoch)) %
                              static_cast<std::uint64_t>(shape_.elements));
    return p;
  }
  std::vector<float> values(int run) const {
    std::vector<float> a(static_cast<std::size_t>(shape_.elements));
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(run)) % 101) / 3;
    return a;
  }
  /// By the layout none.
  template <class Executor>
  std::vector<float> right(const Executor& exec, const std::vector<int>& list, const std::vector<float>& a,
                           int turns) const {
    const auto p = to_executor(exec, list);
    const auto values = to_executor(exec, a);
    const auto out = make_buffer<float>(exec, static_cast<std::size_t>(shape_.threads));
    for_each_job(exec, index_list<int>(p), shape_, static_cast<const float*>(values.data()),
                 sum_in_order{static_cast<int>(shape_.references), turns, out.data()});
    return to_host(exec, out);
  }

 private:
  access_shape shape_;
};

struct loop_of_epochs {
  int epochs = 6;
  int runs = 5; ///< of each
  int turns = 1;
  bool announces = false; ///< the list of the next epoch, in the middle of one
};

/// The first run whose results are wrong; empty if there is none. Two lists in turn, each overwritten once the pipeline
/// has let go of it.
template <class Executor, class Pipeline>
std::string broken_run(const Executor& exec, Pipeline& pipeline, const changing_lists& of,
                       const loop_of_epochs& loop) {
  const auto positions = static_cast<std::size_t>(of.shape().total_references());
  const buffer<int> lists[2] = {make_buffer<int>(exec, positions), make_buffer<int>(exec, positions)};
  const auto list_of = [&](int epoch) {
    return index_list<int>(lists[epoch % 2], static_cast<std::uint64_t>(epoch) + 1).assume_valid();
  };
  const auto make = [&](int epoch) {
    pipeline.release(list_of(epoch));
    const std::vector<int> p = of.list(epoch);
    if (!p.empty()) exec.copy_from_host(lists[epoch % 2].data(), p.data(), p.size() * sizeof(int));
  };
  const auto out = make_buffer<float>(exec, static_cast<std::size_t>(of.shape().threads));
  for (int epoch = 0; epoch < loop.epochs; ++epoch) {
    if (epoch == 0 || !loop.announces) make(epoch);
    pipeline.begin_epoch(list_of(epoch));
    for (int i = 0; i < loop.runs; ++i) {
      const int number = epoch * loop.runs + i;
      const auto a = to_executor(exec, of.values(number));
      pipeline.run(static_cast<const float*>(a.data()),
                   sum_in_order{static_cast<int>(of.shape().references), loop.turns, out.data()});
      const std::vector<float> found = to_host(exec, out);
      const std::vector<float> right = of.right(exec, of.list(epoch), of.values(number), loop.turns);
      if (!right.empty() && std::memcmp(found.data(), right.data(), right.size() * sizeof(float)) != 0)
        return "run " + std::to_string(i) + " of epoch " + std::to_string(epoch) + ": " + pipeline.why();
      if (loop.announces && i == loop.runs / 2 && epoch + 1 < loop.epochs) {
        make(epoch + 1);
        pipeline.announce(list_of(epoch + 1));
      }
    }
  }
  pipeline.release(list_of(0));
  pipeline.release(list_of(1));
  return {};
}

} // namespace evenly::laws
