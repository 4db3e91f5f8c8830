// SPDX-License-Identifier: Apache-2.0
#include "tasks/task_workload.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "measure/workload_words.hpp"

namespace evenly::tasks {

using measure::usage_error, measure::words_of_workload;

namespace {

uts::parameters parse_uts(words_of_workload& words) {
  uts::parameters tree;
  tree.type = words.choice<uts::tree>(
      "t", {{"geo", uts::tree::geometric}, {"bin", uts::tree::binomial}, {"hybrid", uts::tree::hybrid}});
  tree.form = words.choice<uts::shape>("a", {{"fixed", uts::shape::fixed},
                                             {"linear", uts::shape::linear},
                                             {"exp", uts::shape::exponential},
                                             {"cyclic", uts::shape::cyclic}});
  tree.depth = static_cast<int>(words.whole("d", 1, 1000, 10));
  tree.branching = words.number("b", tree.type == uts::tree::binomial ? 0 : 0.001, 65'535, 4);
  tree.seed = static_cast<std::uint32_t>(words.whole("r", 0, UINT32_MAX, 19));
  tree.probability = words.number("q", 0, 1, 0.0);
  tree.children = static_cast<int>(words.whole("m", 0, uts::max_children, 0));
  if (tree.type != uts::tree::geometric && tree.probability * tree.children >= 1)
    words.fail("q * m must be less than 1, or the tree is infinite");
  return tree;
}

std::uint64_t fibonacci_number(int n) {
  std::uint64_t before = 1, number = 0; // fib(-1), fib(0)
  for (int i = 0; i < n; ++i) before = std::exchange(number, number + before);
  return number;
}

struct published_tree {
  const char* text;
  std::int64_t nodes;
};
/// The sample trees of the benchmark.
constexpr published_tree published[] = {{"uts:t=geo,a=fixed,d=10,b=4,r=19", 4'130'071},
                                        {"uts:t=geo,a=cyclic,d=16,b=6,r=502", 4'117'769},
                                        {"uts:t=bin,b=2000,q=0.124875,m=8,r=42", 4'112'897},
                                        {"uts:t=hybrid,a=linear,d=16,b=6,q=0.234375,m=4,r=1", 4'132'453},
                                        {"uts:t=geo,a=linear,d=20,b=4,r=34", 4'147'582},
                                        {"uts:t=geo,a=fixed,d=13,b=4,r=29", 102'181'082}};

bool same(const uts::parameters& a, const uts::parameters& b) {
  return a.type == b.type && (a.form == b.form || a.type == uts::tree::binomial) &&
         (a.depth == b.depth || a.type == uts::tree::binomial) && a.branching == b.branching &&
         a.seed == b.seed &&
         (a.type == uts::tree::geometric || (a.probability == b.probability && a.children == b.children));
}

std::uint64_t call(int n, std::int64_t& calls) {
  ++calls;
  return n < 2 ? static_cast<std::uint64_t>(n) : call(n - 1, calls) + call(n - 2, calls);
}
void place(unsigned board, unsigned columns, unsigned falling, unsigned rising, task_answer& found) {
  ++found.tasks;
  if (columns == board) ++found.value;
  for (unsigned left = board & ~(columns | falling | rising); left != 0; left &= left - 1) {
    const unsigned here = left & (0u - left);
    place(board, columns | here, (falling | here) << 1 & board, (rising | here) >> 1, found);
  }
}

task_answer serially(const fibonacci_workload& w) {
  task_answer found;
  found.value = call(w.n, found.tasks);
  return found;
}
task_answer serially(const queens_workload& w) {
  task_answer found;
  place((1u << w.n) - 1, 0, 0, 0, found);
  return found;
}
task_answer serially(const uts::parameters& tree) {
  const std::vector<std::uint32_t> thresholds = uts::thresholds_of(tree);
  const uts::rule children = uts::rule_of(tree, thresholds.data());
  std::vector<std::pair<uts::node, int>> open{{uts::root_of(tree.seed), 0}};
  task_answer found;
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    ++found.tasks;
    const int count = children(node, depth);
    for (int i = 0; i < count; ++i)
      open.emplace_back(uts::child_of(node, static_cast<std::uint32_t>(i)), depth + 1);
  }
  found.value = static_cast<std::uint64_t>(found.tasks);
  return found;
}
task_answer serially(const chain_workload& w) { return {static_cast<std::uint64_t>(w.length), w.length}; }
task_answer serially(const burst_workload& w) { return {static_cast<std::uint64_t>(w.count), w.count + 1}; }

} // namespace

task_workload parse_workload(const std::string& text) {
  words_of_workload words(text);
  task_workload found{text, {}, false};
  const std::string& name = words.name();
  if (name == "fib")
    found.what = fibonacci_workload{static_cast<int>(words.whole("n", 0, 60))};
  else if (name == "nqueens")
    found.what = queens_workload{static_cast<int>(words.whole("n", 1, 16))};
  else if (name == "uts")
    found.what = parse_uts(words);
  else if (name == "chain")
    found.what = chain_workload{words.whole("n", 1, std::int64_t{1} << 40)};
  else if (name == "burst")
    found.what = burst_workload{words.whole("n", 0, std::int64_t{1} << 30)};
  else
    throw usage_error(fmt::format("{} is not a workload; choose one of fib, nqueens, uts, chain, burst",
                                  host::in_quotes(name)));
  found.joins = words.whole("join", 0, 1, 0) != 0;
  if (found.joins && name == "burst")
    words.fail("burst has no join=1, because its task pushes an unlimited number of tasks");
  words.refuse_others();
  return found;
}

std::string help_on_workloads() {
  return "Workloads (1e6 is a valid count; all values of uts are optional):\n"
         "  fib:n=N            the N-th Fibonacci number, recursively\n"
         "  nqueens:n=N        number of ways to place N queens on a board, N from 1 to 16\n"
         "  uts:t=geo|bin|hybrid,a=fixed|linear|exp|cyclic,d=D,b=B,r=R,q=Q,m=M\n"
         "                     unbalanced tree search: depth D, branching factor B,\n"
         "                     seed R, probability Q of M children\n"
         "  chain:n=N          N tasks, each pushed by its predecessor\n"
         "  burst:n=N          one task that pushes N\n"
         "With join=1, as in fib:n=N,join=1, a task waits for the tasks that it pushes and returns their "
         "combined result (not for burst).\n";
}

task_answer run_serially(const task_workload& workload) {
  return std::visit([](const auto& each) { return serially(each); }, workload.what);
}

task_answer answer_of(const task_workload& workload) {
  if (const auto* fib = std::get_if<fibonacci_workload>(&workload.what))
    return {fibonacci_number(fib->n), static_cast<std::int64_t>(2 * fibonacci_number(fib->n + 1) - 1)};
  if (const auto* tree = std::get_if<uts::parameters>(&workload.what))
    for (const published_tree& each : published)
      if (same(*tree, std::get<uts::parameters>(parse_workload(each.text).what)))
        return {static_cast<std::uint64_t>(each.nodes), each.nodes};
  return run_serially(workload);
}

} // namespace evenly::tasks
