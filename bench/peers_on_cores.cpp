// SPDX-License-Identifier: Apache-2.0
// The operations on cpu beside the libraries that are fastest there, as far as CMake found them:
//
//   MKL        products of sparse matrices    -D EVENLY_MKL=FOLDER       of `pip install mkl mkl-include`
//   GAPBS      searches of graphs             -D EVENLY_GAPBS=FOLDER     with bfs.cc and sssp.cc
//   parlaylib  sorts                          -D EVENLY_PARLAY=FOLDER    with parlay/primitives.h
//   libfork    tasks that join                -D EVENLY_LIBFORK=FOLDER   with libfork.hpp
//
//   bench_peers_on_cores [--threads N] [--only OPERATION] [--json FILE] [INPUT ...]
//
// INPUT is a matrix or a graph as `evenly compare` takes it; without: seven generated ones. Each result is checked, and
// then candidates take turns. Plans, MKL's analysis and GAPBS's copy of a graph are made before. Searches are of the
// simple undirected graph of the matrix, from eight vertices in each run; weights are 1 to 255.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <omp.h>

#if defined(EVENLY_WITH_MKL)
#include <mkl_service.h>
#include <mkl_spblas.h>
#include <mkl_version.h>
#endif
#if defined(EVENLY_WITH_GAPBS)
#include <cinttypes>
#include <iostream>
#include <queue>

#include "benchmark.h"
#include "bitmap.h"
#include "builder.h"
#include "command_line.h"
#include "graph.h"
#include "platform_atomics.h"
#include "pvector.h"
#include "sliding_queue.h"
#include "timer.h"
#define main unused_main // each file has one
namespace gapbs_bfs {
#include "bfs.cc"
}
namespace gapbs_sssp {
#include "sssp.cc"
}
#undef main
#endif
#if defined(EVENLY_WITH_PARLAY)
#include <parlay/primitives.h>
#endif
#if defined(EVENLY_WITH_LIBFORK)
#include <libfork.hpp>
#endif

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "evenly/graph/sssp_in_buckets.hpp"
#include "evenly/primitives/sort.hpp"
#include "evenly/sparse/operators.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "evenly/tasks/fork_join.hpp"
#include "evenly/tasks/stealing.hpp"
#include "io/input.hpp"
#include "measure/baselines_openmp.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "tasks/joined_searches.hpp"

namespace evenly::bench {
namespace {

using namespace measure;

/// What is measured, and where its lines go.
struct place {
  cpu exec;
  report& lines;
  std::string only;

  bool wants(const std::string& operation) const { return only.empty() || only == operation; }

  void compare(const std::string& operation, const std::string& type, const std::string& input,
               std::vector<candidate> all) const {
    for (candidate& each : all)
      if (!each.afterwards) each.afterwards = let_threads_sleep;
    measure::bench on{std::make_unique<host_timer>(exec.threads()), std::make_shared<unchecked_output>(), {}};
    const auto found = measure_in_turns(on, all, {.max_rounds = 15, .time_budget_ms = 400, .warmup_ms = 5});
    std::printf("%-12s %-7s %-26s %d ", operation.c_str(), type.c_str(), input.c_str(), exec.threads());
    for (const measurement& m : found) {
      lines.add({{"op", operation},
                 {"type", type},
                 {"workload", input},
                 {"threads", exec.threads()},
                 {"form", m.what.name}},
                m);
      if (m.error)
        std::printf(" %s FAILED (%s)", m.what.name.c_str(), m.error->c_str());
      else if (&m == &found.front())
        std::printf(" %10.4f ms", m.time.median);
      else
        std::printf("  %s %.2f", m.what.name.c_str(), found.front().time.median / m.time.median);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
};

std::uint64_t scattered(std::uint64_t i) {
  i += 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}

template <class T> bool near(const std::vector<T>& a, const std::vector<T>& b) {
  T largest = 0, difference = 0;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    const T apart = std::abs(a[i] - b[i]);
    if (!(apart <= difference)) difference = apart;
  }
  return difference <= largest * 64 * std::numeric_limits<T>::epsilon();
}

// --- products of sparse matrices

#if defined(EVENLY_WITH_MKL)
void require_success(sparse_status_t status) {
  if (status != SPARSE_STATUS_SUCCESS)
    throw std::runtime_error("MKL fails with status " + std::to_string(status));
}

constexpr matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, {}, {}};

/// A matrix of MKL that shares the arrays of ours.
struct mkl_matrix {
  sparse_matrix_t of = nullptr;

  mkl_matrix() = default;
  template <class Value> explicit mkl_matrix(csr_matrix<Value>& a) {
    if constexpr (std::is_same_v<Value, float>)
      require_success(mkl_sparse_s_create_csr(&of, SPARSE_INDEX_BASE_ZERO, a.rows, a.cols, a.offsets.data(),
                                              a.offsets.data() + 1, a.columns.data(), a.values.data()));
    else
      require_success(mkl_sparse_d_create_csr(&of, SPARSE_INDEX_BASE_ZERO, a.rows, a.cols, a.offsets.data(),
                                              a.offsets.data() + 1, a.columns.data(), a.values.data()));
  }
  mkl_matrix(const mkl_matrix&) = delete;
  mkl_matrix& operator=(const mkl_matrix&) = delete;
  ~mkl_matrix() { reset(); }
  void reset() {
    if (of != nullptr) mkl_sparse_destroy(of);
    of = nullptr;
  }
};
#endif

template <class Value>
constexpr const char* name_of_type = std::is_same_v<Value, float>          ? "float"
                                     : std::is_same_v<Value, double>       ? "double"
                                     : std::is_same_v<Value, std::int32_t> ? "int32"
                                                                           : "int64";

template <class Value> csr_matrix<Value> of_type(const csr_matrix<double>& a) {
  csr_matrix<Value> made{a.rows, a.cols, a.offsets, a.columns, {}};
  for (std::size_t i = 0; i < a.columns.size(); ++i)
    made.values.push_back(static_cast<Value>(1 + static_cast<double>(scattered(i) % 1024) / 1024));
  return made;
}

template <class Value>
void products_with_vectors(const place& at, const std::string& name, csr_matrix<Value>& a) {
  std::vector<Value> x, y(static_cast<std::size_t>(a.rows)), right(y.size());
  for (int i = 0; i < a.cols; ++i)
    x.push_back(static_cast<Value>(scattered(static_cast<std::uint64_t>(i)) % 1024) / 1024);
  for (int row = 0; row < a.rows; ++row) {
    double sum = 0;
    for (int k = a.offsets[static_cast<std::size_t>(row)]; k < a.offsets[static_cast<std::size_t>(row) + 1];
         ++k)
      sum += double{a.values[static_cast<std::size_t>(k)]} *
             double{x[static_cast<std::size_t>(a.columns[static_cast<std::size_t>(k)])]};
    right[static_cast<std::size_t>(row)] = static_cast<Value>(sum);
  }
  const auto check = [&] { return near(y, right); };
  auto plan = make_plan(a, at.exec);
  std::vector<candidate> all{
      plain_candidate("evenly", [&] { evenly::spmv(a, x, y, on(at.exec).with(plan)); }, check)};
#if defined(EVENLY_WITH_MKL)
  mkl_set_num_threads(at.exec.threads());
  const mkl_matrix plain(a), optimised(a);
  require_success(mkl_sparse_set_mv_hint(optimised.of, SPARSE_OPERATION_NON_TRANSPOSE, general, 1000));
  require_success(mkl_sparse_set_memory_hint(optimised.of, SPARSE_MEMORY_AGGRESSIVE));
  require_success(mkl_sparse_optimize(optimised.of));
  const auto multiply = [&](sparse_matrix_t of) {
    return [&, of] {
      if constexpr (std::is_same_v<Value, float>)
        require_success(
            mkl_sparse_s_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, of, general, x.data(), 0, y.data()));
      else
        require_success(
            mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, of, general, x.data(), 0, y.data()));
    };
  };
  all.push_back(plain_candidate("MKL", multiply(plain.of), check));
  all.push_back(plain_candidate("MKL_optimised", multiply(optimised.of), check));
#endif
  at.compare("spmv", name_of_type<Value>, name, std::move(all));
}

template <class Value>
void products_with_dense(const place& at, const std::string& name, csr_matrix<Value>& a, int width) {
  matrix<Value> b(a.cols, width), c(a.rows, width);
  for (std::int64_t i = 0; i < std::int64_t{a.cols} * width; ++i)
    b.view().data[i] = static_cast<Value>(scattered(static_cast<std::uint64_t>(i)) % 1024) / 1024;
  const auto count = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(width);
  std::vector<Value> right(count);
  multiply_rows(csr_view<Value>{a.rows, a.cols, a.offsets.data(), a.columns.data(), a.values.data()},
                b.view().data, right.data(), width, row_distribution::one_thread, 1);
  const auto check = [&] { return near(std::vector<Value>(c.view().data, c.view().data + count), right); };
  auto plan = make_plan(a, at.exec);
  std::vector<candidate> all{
      plain_candidate("evenly", [&] { evenly::spmm(a, b, c, on(at.exec).with(plan)); }, check)};
#if defined(EVENLY_WITH_MKL)
  mkl_set_num_threads(at.exec.threads());
  const mkl_matrix optimised(a);
  require_success(mkl_sparse_set_mm_hint(optimised.of, SPARSE_OPERATION_NON_TRANSPOSE, general,
                                         SPARSE_LAYOUT_ROW_MAJOR, width, 1000));
  require_success(mkl_sparse_optimize(optimised.of));
  all.push_back(plain_candidate(
      "MKL",
      [&] {
        if constexpr (std::is_same_v<Value, float>)
          require_success(mkl_sparse_s_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, optimised.of, general,
                                          SPARSE_LAYOUT_ROW_MAJOR, b.view().data, width, width, 0,
                                          c.view().data, width));
        else
          require_success(mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, optimised.of, general,
                                          SPARSE_LAYOUT_ROW_MAJOR, b.view().data, width, width, 0,
                                          c.view().data, width));
      },
      check));
#endif
  at.compare("spmm", name_of_type<Value>, name, std::move(all));
}

void squares(const place& at, const std::string& name, csr_matrix<double>& a) {
  const csr_view<double> view{a.rows, a.cols, a.offsets.data(), a.columns.data(), a.values.data()};
  if (spgemm_products(cpu(1), view, view) > 100'000'000) return; // seconds for each run
  const auto right = evenly::spgemm(cpu(1), view, view);
  const std::size_t entries = right.columns.size();
  std::vector<int> columns(entries);
  std::vector<double> values(entries), right_values(right.values.data(), right.values.data() + entries);
  const auto same = [&](const int* found_columns, const double* found_values, std::size_t count) {
    return count == entries && std::equal(found_columns, found_columns + count, right.columns.data()) &&
           near(std::vector<double>(found_values, found_values + count), right_values);
  };
  auto made = evenly::spgemm(at.exec, view, view);
  std::vector<candidate> whole{plain_candidate(
      "evenly", [&] { made = evenly::spgemm(at.exec, view, view); },
      [&] { return same(made.columns.data(), made.values.data(), made.columns.size()); })};
  spgemm_plan plan(at.exec, view, view);
  plan.fill(at.exec, view, view, columns, values);
  std::vector<candidate> refill{plain_candidate(
      "evenly_with_columns", [&] { plan.fill(at.exec, view, view, columns, values); },
      [&] { return same(columns.data(), values.data(), entries); })};
  refill.insert(refill.begin(), plain_candidate(
                                    "evenly", [&] { plan.fill_values(at.exec, view, view, columns, values); },
                                    [&] { return same(columns.data(), values.data(), entries); }));
#if defined(EVENLY_WITH_MKL)
  mkl_set_num_threads(at.exec.threads());
  const mkl_matrix of(a);
  mkl_matrix product;
  const auto is_right = [&] {
    sparse_index_base_t base{};
    int rows = 0, cols = 0, *begins = nullptr, *ends = nullptr, *found_columns = nullptr;
    double* found_values = nullptr;
    require_success(mkl_sparse_d_export_csr(product.of, &base, &rows, &cols, &begins, &ends, &found_columns,
                                            &found_values));
    return same(found_columns, found_values, static_cast<std::size_t>(ends[rows - 1]));
  };
  const auto multiply = [&] {
    product.reset();
    require_success(mkl_sparse_spmm(SPARSE_OPERATION_NON_TRANSPOSE, of.of, of.of, &product.of));
    require_success(mkl_sparse_order(product.of));
  };
  whole.push_back(plain_candidate("MKL", multiply, is_right));
#endif
  if (at.wants("spgemm")) at.compare("spgemm", "double", name, std::move(whole));
#if defined(EVENLY_WITH_MKL)
  product.reset();
  const auto stage = [&](sparse_request_t request) {
    require_success(mkl_sparse_sp2m(SPARSE_OPERATION_NON_TRANSPOSE, general, of.of,
                                    SPARSE_OPERATION_NON_TRANSPOSE, general, of.of, request, &product.of));
  };
  stage(SPARSE_STAGE_FULL_MULT_NO_VAL);
  require_success(mkl_sparse_order(product.of));
  refill.push_back(plain_candidate("MKL", [&] { stage(SPARSE_STAGE_FINALIZE_MULT); }, is_right));
#endif
  if (at.wants("refill")) at.compare("refill", "double", name, std::move(refill));
}

// --- searches

/// A simple undirected graph with weights of 1 to 255.
struct searched_graph {
  std::vector<int> offsets, ends, weights, sources;

  explicit searched_graph(const csr_matrix<double>& a) {
    const auto simple = simple_graph(graphs::graph_view_of(a));
    const auto& out = simple.view().out;
    offsets.assign(out.offsets, out.offsets + out.vertices + 1);
    ends.assign(out.ends, out.ends + out.edges);
    for (int v = 0; v < out.vertices; ++v)
      for (int e = out.offsets[v]; e < out.offsets[v + 1]; ++e) {
        const auto [low, high] = std::minmax(v, out.ends[e]);
        const auto pair = static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high);
        weights.push_back(1 + static_cast<int>(scattered(pair) % 255));
      }
    for (std::uint64_t i = 0; sources.size() < 8 && !ends.empty(); ++i)
      if (const auto v = scattered(i) % static_cast<std::uint64_t>(out.vertices); offsets[v + 1] > offsets[v])
        sources.push_back(static_cast<int>(v));
  }
  graphs::graph_view<int> view() const {
    graphs::graph_view<int> made;
    made.out = {static_cast<int>(offsets.size()) - 1, static_cast<int>(ends.size()), offsets.data(),
                ends.data()};
    made.in = made.out;
    made.weights = made.in_weights = weights.data();
    return made;
  }
};

#if defined(EVENLY_WITH_GAPBS)
template <class Destination, class Make>
CSRGraph<NodeID, Destination> copy_for_gapbs(const searched_graph& g, const Make& make) {
  auto* const ends = new Destination[g.ends.size()];
  auto** const index = new Destination*[g.offsets.size()];
  for (std::size_t e = 0; e < g.ends.size(); ++e) ends[e] = make(e);
  for (std::size_t v = 0; v < g.offsets.size(); ++v) index[v] = ends + g.offsets[v];
  return {static_cast<std::int64_t>(g.offsets.size()) - 1, index, ends};
}
#endif

void searches(const place& at, const std::string& name, const searched_graph& g) {
  const auto view = g.view();
  const auto vertices = static_cast<std::size_t>(view.out.vertices);
  std::vector<int> levels(vertices), parents(vertices), right(vertices);
  graphs::bfs_search search(at.exec, view);
  search.run(g.sources.back(), right);
  /// Of the last source.
  const auto is_tree = [&](const auto& found) {
    for (std::size_t v = 0; v < vertices; ++v) {
      const auto before = static_cast<std::size_t>(found[v]);
      if ((right[v] < 0) != (found[v] < 0)) return false;
      if (right[v] > 0 && right[before] + 1 != right[v]) return false;
    }
    return true;
  };
  const auto ours = [&](graphs::parent_rule rule) {
    return [&, rule] {
      for (const int source : g.sources) search.run(source, levels, parents, rule);
    };
  };
  const auto check = [&] { return levels == right && is_tree(parents); };
  std::vector<candidate> all{plain_candidate("evenly", ours(graphs::parent_rule::least), check),
                             plain_candidate("evenly_any_parent", ours(graphs::parent_rule::any), check)};
#if defined(EVENLY_WITH_GAPBS)
  omp_set_num_threads(at.exec.threads());
  const auto theirs = copy_for_gapbs<NodeID>(g, [&](std::size_t e) { return g.ends[e]; });
  pvector<NodeID> tree;
  all.push_back(plain_candidate(
      "GAPBS",
      [&] {
        for (const int source : g.sources) tree = gapbs_bfs::DOBFS(theirs, source);
      },
      [&] { return is_tree(tree); }));
#endif
  at.compare("bfs", "int32", name, std::move(all));
}

void shortest_paths(const place& at, const std::string& name, const searched_graph& g) {
  const auto view = g.view();
  const auto vertices = static_cast<std::size_t>(view.out.vertices);
  std::vector<std::int64_t> distances(vertices), right(vertices);
  std::vector<int> parents(vertices);
  graphs::sssp_loop(cpu(1), thread_mapped{}, view).run(g.sources.back(), std::span(right));
  graphs::sssp_buckets search(at.exec, view);
  std::vector<candidate> all{plain_candidate(
      "evenly",
      [&] {
        for (const int source : g.sources) search.run(source, std::span(distances), std::span<int>());
      },
      [&] { return distances == right; })};
  all.push_back(plain_candidate(
      "evenly_with_parents",
      [&] {
        for (const int source : g.sources) search.run(source, std::span(distances), std::span(parents));
      },
      [&] { return distances == right; }));
#if defined(EVENLY_WITH_GAPBS)
  omp_set_num_threads(at.exec.threads());
  const auto theirs = copy_for_gapbs<WNode>(
      g, [&](std::size_t e) { return WNode(g.ends[e], static_cast<WeightT>(g.weights[e])); });
  pvector<WeightT> found;
  const auto run = [&](int delta) {
    for (const int source : g.sources) found = gapbs_sssp::DeltaStep(theirs, source, delta);
  };
  int best = 0;
  double shortest = std::numeric_limits<double>::infinity();
  for (const int delta : {4, 16, 64, 256, 1024}) {
    run(delta);
    if (const double ms = time_on_host([&] { run(delta); }); ms < shortest) shortest = ms, best = delta;
  }
  all.push_back(plain_candidate(
      "GAPBS", [&] { run(best); },
      [&] {
        for (std::size_t v = 0; v < vertices; ++v) {
          const bool reached = found[v] < gapbs_sssp::kDistInf;
          if (reached ? right[v] != found[v] : right[v] != unreached<std::int64_t>) return false;
        }
        return true;
      }));
#endif
  at.compare("sssp", "int32", name, std::move(all));
}

// --- sorts

/// The bits of a key as an unsigned number with the order of the keys.
template <class Key> auto ordered_bits(Key key) {
  using bits = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
  bits of;
  std::memcpy(&of, &key, sizeof(of));
  constexpr bits sign = bits{1} << (8 * sizeof(bits) - 1);
  if constexpr (std::is_integral_v<Key>) return of ^ sign;
  return (of & sign) != 0 ? ~of : of | sign;
}

template <class Key> void sorts(const place& at, const std::string& name, const std::vector<Key>& keys) {
  const std::size_t n = keys.size();
  std::vector<Key> sorted(n), right = keys;
  std::ranges::sort(right);
  std::vector<int> values(n), moved(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i);
  const auto count = static_cast<std::int64_t>(n);
  workspace memory;
  const auto check = [&] { return sorted == right; };
  const auto check_pairs = [&] {
    for (std::size_t i = 0; i < n; ++i)
      if (keys[static_cast<std::size_t>(moved[i])] != sorted[i]) return false;
    return sorted == right;
  };
  std::vector<candidate> all{plain_candidate(
      "evenly", [&] { evenly::sort(at.exec, keys.data(), count, sorted.data(), memory); }, check)};
  std::vector<candidate> pairs{plain_candidate(
      "evenly",
      [&] {
        evenly::sort_by_key(at.exec, keys.data(), values.data(), count, sorted.data(), moved.data(), memory);
      },
      check_pairs)};
#if defined(EVENLY_WITH_PARLAY)
  using pair = std::pair<Key, int>;
  parlay::sequence<pair> both(n);
  for (std::size_t i = 0; i < n; ++i) both[i] = {keys[i], values[i]};
  parlay::sequence<Key> found;
  parlay::sequence<pair> found_pairs;
  const auto rest = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }; // its threads sleep late
  all.push_back(plain_candidate(
      "parlaylib", [&] { found = parlay::integer_sort(keys, [](Key key) { return ordered_bits(key); }); },
      [&] { return std::equal(right.begin(), right.end(), found.begin(), found.end()); }));
  pairs.push_back(plain_candidate(
      "parlaylib",
      [&] {
        found_pairs = parlay::integer_sort(both, [](const pair& of) { return ordered_bits(of.first); });
      },
      [&] {
        for (std::size_t i = 0; i < n; ++i)
          if (found_pairs[i].first != right[i]) return false;
        return found_pairs.size() == n;
      }));
  all.back().afterwards = pairs.back().afterwards = rest;
  parlay::execute_with_scheduler(static_cast<unsigned>(at.exec.threads()), [&] {
    at.compare("sort", name_of_type<Key>, name, all);
    at.compare("sort_by_key", name_of_type<Key>, name, pairs);
  });
#else
  at.compare("sort", name_of_type<Key>, name, all);
  at.compare("sort_by_key", name_of_type<Key>, name, pairs);
#endif
}

void all_sorts(const place& at) {
  for (const int n : {100'000, 1'000'000}) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const auto make = [&]<class Key>(const std::string& name, Key, const auto& next) {
      std::vector<Key> keys;
      for (int i = 0; i < n; ++i) keys.push_back(static_cast<Key>(next()));
      sorts(at, name + ", " + std::to_string(n), keys);
    };
    make("random", std::int32_t{}, [&] { return static_cast<std::int32_t>(random()); });
    make("log-uniform", std::int32_t{}, [&] { return std::exp(21 * uniform(random)); });
    make("half equal", std::int32_t{},
         [&] { return (random() & 1) != 0 ? 12345 : static_cast<std::int32_t>(random()); });
    make("random", std::int64_t{}, [&] { return static_cast<std::int64_t>(random()); });
    make("normal", float{}, [&] { return normal(random); });
    make("normal", double{}, [&] { return normal(random); });
  }
}

// --- tasks that join

#if defined(EVENLY_WITH_LIBFORK)
constexpr auto libfork_fibonacci = [](auto self, int n) -> lf::task<std::uint64_t> {
  if (n < 2) co_return static_cast<std::uint64_t>(n);
  std::uint64_t first = 0, second = 0;
  co_await lf::fork(&first, self)(n - 1);
  co_await lf::call(&second, self)(n - 2);
  co_await lf::join;
  co_return first + second;
};
#endif

void joins(const place& at) {
  constexpr int n = 30;
  constexpr std::uint64_t right = 832040;
  const std::vector<int> first{n};
  std::vector<std::uint64_t> number(1);
  tasks::join_workspace memory;
  std::vector<candidate> all{plain_candidate(
      "evenly",
      [&] {
        tasks::run_fork_join(at.exec, tasks::stealing{}, first, searches::joined_fibonacci{}, number, {},
                             memory);
      },
      [&] { return number[0] == right; })};
#if defined(EVENLY_WITH_LIBFORK)
  lf::lazy_pool pool(static_cast<std::size_t>(at.exec.threads()));
  std::uint64_t theirs = 0;
  all.push_back(plain_candidate(
      "libfork", [&] { theirs = lf::sync_wait(pool, libfork_fibonacci, n); },
      [&] { return theirs == right; }));
#endif
  at.compare("fork_join", "int64", "fib(30)", std::move(all));
}

void measure_all(const arguments& args, report& lines) {
#if defined(EVENLY_WITH_MKL)
  mkl_set_threading_layer(MKL_THREADING_GNU); // the OpenMP of this program
#endif
  const place at{cpu(args.number("--threads")), lines, args.options.at("--only")};
  std::vector<std::string> inputs = args.words;
  if (inputs.empty())
    inputs = {"grid:x=500,y=500", "band27:scale=0.02",     "regular8:scale=0.2",
              "web-NotreDame",    "as-Skitter:scale=0.05", "kron:15",
              "urand:15"};
  for (const std::string& input : inputs) {
    const std::string name = io::short_name(input);
    const csr_matrix<double> a = io::load_input(input).matrix;
    auto singles = of_type<float>(a);
    auto doubles = of_type<double>(a);
    if (at.wants("spmv")) products_with_vectors(at, name, singles);
    if (at.wants("spmv")) products_with_vectors(at, name, doubles);
    if (at.wants("spmm")) products_with_dense(at, name, singles, 32);
    if (at.wants("spmm")) products_with_dense(at, name, doubles, 32);
    if (a.rows != a.cols) continue;
    if (at.wants("spgemm") || at.wants("refill")) squares(at, name, doubles);
    if (!at.wants("bfs") && !at.wants("sssp")) continue;
    const searched_graph g(a);
    if (at.wants("bfs")) searches(at, name, g);
    if (at.wants("sssp")) shortest_paths(at, name, g);
  }
  if (at.wants("sort")) all_sorts(at);
  if (at.wants("fork_join")) joins(at);
}

json::value head(const arguments& args) {
  json::value made = {{"executor", "cpu"}, {"threads", cpu(args.number("--threads")).threads()}};
#if defined(EVENLY_WITH_MKL)
  made["peers"] = {{"MKL", std::to_string(__INTEL_MKL__) + '.' + std::to_string(__INTEL_MKL_UPDATE__)}};
#endif
  return made;
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_peers_on_cores",
                                  .measure = evenly::bench::measure_all,
                                  .options = {{"--threads", "0"}, {"--only", ""}},
                                  .head = evenly::bench::head});
}
