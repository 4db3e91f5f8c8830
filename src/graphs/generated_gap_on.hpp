// SPDX-License-Identifier: Apache-2.0
// The implementation of generated_gap.hpp for each executor.
//
// An entry is a word: its row, its column, and its weight less 1 in 8 bits. All words are generated, one for each
// direction of an edge, and sorted. Of equal entries the first is then the lightest. Self-loops become the greatest
// word.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/connected_components.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/pagerank.hpp"
#include "evenly/graph/sssp_in_buckets.hpp"
#include "evenly/graph/triangles.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/sort.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "generate/random_graphs.hpp"
#include "graphs/generated_gap.hpp"
#include "graphs/placed_graph.hpp"
#include "host/memory_limits.hpp"
#include "measure/metered_memory.hpp"

namespace evenly::graphs {

namespace gap_detail {

using evenly::detail::for_each_index, evenly::first_past;
using entries = adjacency<int, std::int64_t>;
constexpr int weight_bits = 8;

// --- generation

/// Writes the words of a block of edges.
struct write_words {
  generate::gap_draws draw;
  std::int64_t edges;
  const int* labels; ///< of the vertices; null: their numbers
  std::uint64_t* words;

  EVENLY_FN static std::uint64_t loop(int scale) {
    return ~std::uint64_t{0} >> (64 - 2 * scale - weight_bits);
  }
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t block) const {
    draw(block, edges, *this);
  }
  EVENLY_FN void operator()(std::int64_t number, const generate::gap_edge& edge) const {
    const auto from = label(edge.from), to = label(edge.to),
               weight = static_cast<std::uint64_t>(edge.weight - 1);
    words[2 * number] =
        from == to ? loop(draw.shape.scale) : (from << draw.shape.scale | to) << weight_bits | weight;
    words[2 * number + 1] =
        from == to ? loop(draw.shape.scale) : (to << draw.shape.scale | from) << weight_bits | weight;
  }

 private:
  EVENLY_FN std::uint64_t label(int v) const {
    return static_cast<std::uint64_t>(labels == nullptr ? v : labels[v]);
  }
};

/// The words of a graph in ascending order. Those that are kept are counted in chunks.
struct sorted_words {
  static constexpr std::int64_t chunk = 64;

  const std::uint64_t* words;
  std::int64_t count;
  int scale;

  EVENLY_FN bool is_kept(std::int64_t i) const {
    return words[i] != write_words::loop(scale) &&
           (i == 0 || words[i - 1] >> weight_bits != words[i] >> weight_bits);
  }
  EVENLY_FN std::int64_t kept_in(std::int64_t begin, std::int64_t end) const {
    std::int64_t kept = 0;
    for (std::int64_t i = begin; i < end; ++i) kept += is_kept(i) ? 1 : 0;
    return kept;
  }
};

struct kept_of_chunk {
  sorted_words words;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const std::int64_t begin = i * words.chunk;
    return words.kept_in(begin, smaller(begin + words.chunk, words.count));
  }
};

/// The first entry of a row.
struct row_begin {
  sorted_words words;
  const std::int64_t* begins; ///< of each chunk the number of entries before it
  EVENLY_FN std::int64_t operator()(std::int64_t row) const {
    const int shift = words.scale + weight_bits;
    const std::int64_t first = first_past(std::int64_t{0}, words.count, [&](std::int64_t i) {
      return words.words[i] >> shift >= static_cast<std::uint64_t>(row);
    });
    return begins[first / words.chunk] + words.kept_in(first / words.chunk * words.chunk, first);
  }
};

struct write_entries {
  sorted_words words;
  const std::int64_t* begins;
  int* columns;
  std::uint8_t* weights;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t of_chunk) const {
    const std::int64_t begin = of_chunk * words.chunk, end = smaller(begin + words.chunk, words.count);
    std::int64_t to = begins[of_chunk];
    for (std::int64_t i = begin; i < end; ++i) {
      if (!words.is_kept(i)) continue;
      const std::uint64_t word = words.words[i];
      columns[to] = static_cast<int>(word >> weight_bits & ((std::uint64_t{1} << words.scale) - 1));
      weights[to++] = static_cast<std::uint8_t>(word);
    }
  }
};

struct rows {
  buffer<std::int64_t> offsets;
  buffer<int> columns;
  buffer<std::uint8_t> weights; ///< less 1

  entries view() const {
    return {static_cast<int>(offsets.size() - 1), static_cast<std::int64_t>(columns.size()), offsets.data(),
            columns.data()};
  }
};

template <class Executor> rows make_rows(const Executor& exec, const gap_shape& shape) {
  const std::int64_t edges = shape.edges(), count = 2 * edges;
  const auto sorted = make_buffer<std::uint64_t>(exec, static_cast<std::size_t>(count));
  {
    const auto drawn = make_buffer<std::uint64_t>(exec, static_cast<std::size_t>(count));
    buffer<int> labels;
    if (shape.graph == gap_graph::kron)
      labels = to_executor(exec, std::span<const int>(generate::gap_labels(shape.scale)));
    const std::int64_t blocks = ceil_div(edges, generate::gap_block);
    // Blocks of one warp, because there are few blocks of edges.
    launch(
        exec, {block_count(blocks, 32), 32},
        evenly::detail::index_kernel<write_words>{blocks, 32, {{shape}, edges, labels.data(), drawn.data()}});
    workspace memory;
    sort(exec, drawn.data(), count, sorted.data(), memory);
    exec.synchronize();
  }
  const sorted_words words{sorted.data(), count, shape.scale};
  const std::int64_t chunks = ceil_div(count, words.chunk);
  const auto begins = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(chunks) + 1);
  exclusive_scan(exec, evenly::generated{kept_of_chunk{words}}, chunks + 1, plus<std::int64_t>{},
                 begins.data());
  std::int64_t kept = 0;
  exec.copy_to_host(&kept, begins.data() + chunks, sizeof(kept));
  rows made{make_buffer<std::int64_t>(exec, static_cast<std::size_t>(shape.vertices()) + 1),
            make_buffer<int>(exec, static_cast<std::size_t>(kept)),
            make_buffer<std::uint8_t>(exec, static_cast<std::size_t>(kept))};
  tabulate(exec, shape.vertices() + 1, row_begin{words, begins.data()}, made.offsets.data());
  for_each_index(exec, chunks, 1,
                 write_entries{words, begins.data(), made.columns.data(), made.weights.data()});
  exec.synchronize();
  return made;
}

// --- laws: visitors of all entries, and formulas for all vertices

/// Lowers *first to the number of a wrong entry.
EVENLY_FN inline void note_wrong(std::int64_t* first, std::int64_t entry) {
  atomic_ref(*first).fetch_min(entry, order::relaxed{});
}

/// The entry (row, column), or -1.
EVENLY_FN inline std::int64_t find_entry(const entries& graph, int row, int column) {
  const std::int64_t end = graph.offsets[row + 1];
  const std::int64_t at =
      first_past(graph.offsets[row], end, [&](std::int64_t i) { return graph.ends[i] >= column; });
  return at < end && graph.ends[at] == column ? at : -1;
}

/// No edge skips a level.
struct bfs_entry {
  const int* ends;
  const int* levels;
  std::int64_t* first_wrong;
  EVENLY_FN void operator()(int from, std::int64_t e) const {
    const int at = levels[ends[e]];
    if (levels[from] >= 0 && (at < 0 || at > levels[from] + 1)) note_wrong(first_wrong, e);
  }
};
/// Whether a vertex has an edge from its parent, on the level before.
struct bfs_vertex {
  entries graph;
  int source;
  const int* levels;
  const int* parents;
  EVENLY_FN bool operator()(std::int64_t v) const {
    const int parent = parents[v];
    if (levels[v] < 0) return levels[v] == -1 && parent == -1;
    if (v == source) return levels[v] == 0 && parent == source;
    return parent >= 0 && parent < graph.vertices && levels[parent] == levels[v] - 1 &&
           find_entry(graph, parent, static_cast<int>(v)) >= 0;
  }
};

/// No edge shortens a path, and no parent has a smaller number.
struct sssp_entry {
  const int* ends;
  const int* weights;
  const std::int64_t* distances;
  const int* parents;
  std::int64_t* first_wrong;
  EVENLY_FN void operator()(int from, std::int64_t e) const {
    if (distances[from] == unreached<std::int64_t>) return;
    const int to = ends[e];
    const std::int64_t sum = distances[from] + weights[e];
    if (sum < distances[to] || (sum == distances[to] && parents[to] > from)) note_wrong(first_wrong, e);
  }
};
/// Whether the edge from the parent of a vertex is tight.
struct sssp_vertex {
  entries graph;
  int source;
  const int* weights;
  const std::int64_t* distances;
  const int* parents;
  EVENLY_FN bool operator()(std::int64_t v) const {
    const int parent = parents[v];
    if (distances[v] == unreached<std::int64_t>) return parent == -1;
    if (v == source) return distances[v] == 0 && parent == source;
    if (parent < 0 || parent >= graph.vertices) return false;
    const std::int64_t edge = find_entry(graph, parent, static_cast<int>(v));
    return edge >= 0 && distances[parent] + weights[edge] == distances[v];
  }
};

/// Lowers labels along edges.
struct lower_label {
  const int* ends;
  int* labels;
  std::int64_t* changes;
  EVENLY_FN void operator()(int from, std::int64_t e) const {
    const int label = atomic_ref(labels[from]).load(order::relaxed{});
    if (atomic_ref(labels[ends[e]]).load(order::relaxed{}) <= label) return;
    atomic_ref(labels[ends[e]]).fetch_min(label, order::relaxed{});
    if (atomic_ref(*changes).load(order::relaxed{}) == 0) atomic_ref(*changes).store(1, order::relaxed{});
  }
};

/// Adds the contributions of all vertices to their neighbours.
struct contribute {
  entries graph;
  const double* scores;
  double* sums;
  EVENLY_FN void operator()(int from, std::int64_t e) const {
    const auto degree = static_cast<double>(graph.offsets[from + 1] - graph.offsets[from]);
    atomic_ref(sums[graph.ends[e]]).fetch_add(scores[from] / degree, order::relaxed{});
  }
};
struct score_without_edges {
  const std::int64_t* offsets;
  const double* scores;
  EVENLY_FN double operator()(std::int64_t v) const { return offsets[v] == offsets[v + 1] ? scores[v] : 0; }
};
struct change_of_score {
  const double* scores;
  const double* sums;
  double damping, dangling, vertices;
  EVENLY_FN double operator()(std::int64_t v) const {
    const double next = (1 - damping) / vertices + damping * (sums[v] + dangling / vertices);
    return next > scores[v] ? next - scores[v] : scores[v] - next;
  }
};

/// The triangles of a vertex with at most max_degree edges, one of `stride`, by a search for every pair of its
/// neighbours; differs counts vertices for which `counts` has another number.
struct triangles_differ {
  static constexpr std::int64_t max_degree = 512;
  entries graph;
  std::int64_t stride;
  const std::int64_t* counts;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const std::int64_t v = i * stride, begin = graph.offsets[v], end = graph.offsets[v + 1];
    if (end - begin > max_degree) return 0;
    std::int64_t found = 0;
    for (std::int64_t a = begin; a < end; ++a)
      for (std::int64_t b = a + 1; b < end; ++b)
        found += find_entry(graph, graph.ends[a], graph.ends[b]) >= 0 ? 1 : 0;
    return found == counts[v] ? 0 : 1;
  }
};

template <class Test> struct count_failures {
  Test test;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return test(i) ? 0 : 1; }
};
template <class T> struct are_equal {
  const T* a;
  const T* b;
  EVENLY_FN bool operator()(std::int64_t i) const { return a[i] == b[i]; }
};
struct is_own_label {
  const int* labels;
  EVENLY_FN bool operator()(std::int64_t v) const { return labels[v] == static_cast<int>(v); }
};
/// The vertices between the source and a vertex at this level.
struct vertices_between {
  const int* levels;
  EVENLY_FN double operator()(std::int64_t v) const { return levels[v] > 0 ? levels[v] - 1 : 0; }
};
struct is_score {
  const double* scores;
  EVENLY_FN bool operator()(std::int64_t v) const {
    return scores[v] >= 0 && scores[v] < std::numeric_limits<double>::infinity();
  }
};
struct weight_from_byte {
  const std::uint8_t* bytes;
  EVENLY_FN int operator()(std::int64_t e) const { return bytes[e] + 1; }
};

template <class T> struct element {
  const T* values;
  EVENLY_FN T operator()(std::int64_t i) const { return values[i]; }
};

} // namespace gap_detail

template <class Executor> class generated_on final : public generated_gap {
  using view_type = graph_view<int, int, std::int64_t>;

 public:
  generated_on(const gap_shape& shape, const measure::bench_options& options)
      : shape_(shape), exec_(measure::make_executor<Executor>(options)),
        time_(measure::make_timer(exec_, options)), rows_(gap_detail::make_rows(exec_, shape)),
        offsets_(to_host(exec_, rows_.offsets)) {}

  measure::timer& time() override { return *time_; }
  std::int64_t vertices() const override { return shape_.vertices(); }
  std::int64_t entries() const override { return rows_.view().edges; }
  gap_steps steps(const std::string& kernel, double delta, gap_result& result) override {
    if (kernel == "bfs") return bfs_steps(result);
    if (kernel == "sssp") return sssp_steps(delta, result);
    if (kernel == "pr") return pagerank_steps(result);
    if (kernel == "cc") return component_steps(result);
    if (kernel == "bc") return betweenness_steps(result);
    return triangle_steps(result);
  }

 private:
  /// What all kernels have: an executor whose memory is counted.
  struct counted {
    explicit counted(const Executor& exec)
        : memory(exec.resource()), exec(measure::on_memory(exec, &memory)) {}
    measure::metered_memory memory;
    Executor exec;
    std::function<void()> run;
  };

  view_type view(const int* weights = nullptr) const {
    const gap_detail::entries out = rows_.view();
    return {out, out, weights, weights};
  }
  gap_sources sources() const {
    return {vertices(), [this](int v) {
              return offsets_[static_cast<std::size_t>(v) + 1] > offsets_[static_cast<std::size_t>(v)];
            }};
  }
  template <class T> buffer<T> per_vertex() const {
    return make_buffer<T>(exec_, static_cast<std::size_t>(vertices()));
  }
  template <class Test> std::int64_t failures(std::int64_t count, const Test& test) const {
    return reduce(exec_, evenly::generated{gap_detail::count_failures<Test>{test}}, count,
                  plus<std::int64_t>{});
  }
  template <class Formula> double sum_over_vertices(const Formula& formula) const {
    return reduce(exec_, evenly::generated{formula}, vertices(), plus<double>{});
  }
  /// Visits all entries.
  template <class Visit> void visit_entries(const Visit& visit) const {
    auto plan = make_plan(exec_, schedule_for_sums{}, assume_valid(rows_.view().tiles(), rows_.view().edges));
    for_each_atom(exec_, plan, visit);
  }
  /// make(first_wrong): a visitor of entries that calls note_wrong.
  template <class Make> complaint wrong_entry(const char* law, const Make& make) const {
    const std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const auto first = to_executor(exec_, std::span<const std::int64_t>(&none, 1));
    visit_entries(make(first.data()));
    const std::int64_t found = to_host(exec_, first).front();
    if (found == none) return {};
    const auto row = std::ranges::upper_bound(offsets_, found) - offsets_.begin() - 1;
    return say("the edge ", found, ", from vertex ", row, ", ", law);
  }
  template <class T> bool differ(const buffer<T>& a, const buffer<T>& b) const {
    return failures(static_cast<std::int64_t>(a.size()), gap_detail::are_equal<T>{a.data(), b.data()}) > 0;
  }

  complaint wrong_levels(int source, const buffer<int>& levels, const buffer<int>& parents) const {
    if (const std::int64_t wrong =
            failures(vertices(), gap_detail::bfs_vertex{rows_.view(), source, levels.data(), parents.data()}))
      return say(wrong, " vertices have no edge from their parents, or are on another level than the next");
    return wrong_entry("leads past the next level", [&](std::int64_t* first) {
      return gap_detail::bfs_entry{rows_.columns.data(), levels.data(), first};
    });
  }

  gap_steps bfs_steps(gap_result& result) const {
    struct state : counted {
      state(const Executor& of, const view_type& graph, const gap_sources& from)
          : counted(of), search(this->exec, graph), sources(from) {}
      bfs_search<Executor, int, std::int64_t> search;
      gap_sources sources;
      buffer<int> levels, parents;
      int source = 0;
    };
    const auto at = std::make_shared<state>(exec_, view(), sources());
    at->levels = per_vertex<int>();
    at->parents = per_vertex<int>();
    return {
        .prepare = [at](int) { at->source = at->sources.next(); },
        .run = [at] { at->search.run(at->source, at->levels.span(), at->parents.span(), parent_rule::any); },
        .wrong =
            [this, at, &result](int) {
              result.bytes = at->memory.peak();
              return wrong_levels(at->source, at->levels, at->parents);
            }};
  }

  gap_steps sssp_steps(double delta, gap_result& result) const {
    struct state : counted {
      state(const Executor& of, const view_type& graph, const gap_sources& from, double delta)
          : counted(of), search(this->exec, graph, path_settings{.delta = delta}), sources(from) {}
      sssp_buckets<Executor, int, int, std::int64_t> search;
      gap_sources sources;
      buffer<int> weights, parents;
      buffer<std::int64_t> distances;
      int source = 0;
    };
    auto weights = make_buffer<int>(exec_, rows_.weights.size());
    tabulate(exec_, entries(), gap_detail::weight_from_byte{rows_.weights.data()}, weights.data());
    const auto at = std::make_shared<state>(exec_, view(weights.data()), sources(), delta);
    at->weights = std::move(weights);
    at->distances = per_vertex<std::int64_t>();
    at->parents = per_vertex<int>();
    return {.prepare = [at](int) { at->source = at->sources.next(); },
            .run = [at] { at->search.run(at->source, at->distances.span(), at->parents.span()); },
            .wrong = [this, at, &result](int) -> complaint {
              result.bytes = at->memory.peak();
              const int* const w = at->weights.data();
              if (const std::int64_t wrong =
                      failures(vertices(), gap_detail::sssp_vertex{rows_.view(), at->source, w,
                                                                   at->distances.data(), at->parents.data()}))
                return say(wrong, " vertices have no tight edge from their parents");
              return wrong_entry(
                  "shortens a path, or comes from a lower vertex than the parent", [&](std::int64_t* first) {
                    return gap_detail::sssp_entry{rows_.columns.data(), w, at->distances.data(),
                                                  at->parents.data(), first};
                  });
            }};
  }

  gap_steps pagerank_steps(gap_result& result) const {
    const pagerank_options options{.tolerance = 1e-4};
    struct state : counted {
      using counted::counted;
      buffer<double> scores, first;
      pagerank_totals totals;
    };
    const auto at = std::make_shared<state>(exec_);
    at->scores = per_vertex<double>();
    result.name = "iterations";
    return {.run =
                [this, at, options] { // with the places of contributions
                  pagerank_solver<Executor, automatic, int, std::int64_t> solver(
                      at->exec, automatic{.work = work_kind::gathered_sums}, view(), options);
                  at->totals = solver.run(at->scores.span());
                },
            .wrong = [this, at, options, &result](int trial) -> complaint {
              result.bytes = at->memory.peak();
              result.number = at->totals.iterations;
              if (trial > 0) {
                if (differ(at->scores, at->first)) return say("trial ", trial, " found other scores");
                return {};
              }
              at->first = std::exchange(at->scores, per_vertex<double>());
              return wrong_scores(at->first.data(), options);
            }};
  }
  complaint wrong_scores(const double* scores, const pagerank_options& options) const {
    if (const std::int64_t wrong = failures(vertices(), gap_detail::is_score{scores}))
      return say(wrong, " scores are negative, infinite or NaN");
    constexpr double rounding_of_sum = 1e-9, rounding = 2e-7;
    const double sum = sum_over_vertices(gap_detail::element<double>{scores});
    if (!(std::abs(sum - 1) <= rounding_of_sum)) return say("the scores sum to ", sum, ", not 1");
    const auto sums = per_vertex<double>();
    exec_.fill_zero(sums.data(), sums.size() * sizeof(double));
    visit_entries(gap_detail::contribute{rows_.view(), scores, sums.data()});
    const double dangling = sum_over_vertices(gap_detail::score_without_edges{rows_.offsets.data(), scores});
    const double change = sum_over_vertices(gap_detail::change_of_score{
        scores, sums.data(), options.damping, dangling, static_cast<double>(vertices())});
    if (!(change <= options.tolerance + rounding))
      return say("one more iteration changes the scores by ", change, ", more than the tolerance ",
                 options.tolerance);
    return {};
  }

  gap_steps component_steps(gap_result& result) const {
    struct state : counted {
      using counted::counted;
      buffer<int> labels, first;
    };
    const auto at = std::make_shared<state>(exec_);
    at->labels = per_vertex<int>();
    result.name = "components";
    return {.run = [this, at] { find_connected_components(at->exec, view(), at->labels.span()); },
            .wrong = [this, at, &result](int trial) -> complaint {
              result.bytes = at->memory.peak();
              if (trial > 0) {
                if (differ(at->labels, at->first)) return say("trial ", trial, " found other labels");
                return {};
              }
              at->first = std::exchange(at->labels, per_vertex<int>());
              result.number = vertices() - failures(vertices(), gap_detail::is_own_label{at->first.data()});
              if (differ(at->first, lowest_labels()))
                return say("labels differ from those that minima along edges give");
              return {};
            }};
  }
  /// The least vertex of each component, by minima along edges until nothing changes.
  buffer<int> lowest_labels() const {
    auto labels = per_vertex<int>();
    tabulate(exec_, vertices(), evenly::detail::edge_number<int>{}, labels.data());
    const auto changes = make_buffer<std::int64_t>(exec_, 1);
    do {
      exec_.fill_zero(changes.data(), sizeof(std::int64_t));
      visit_entries(gap_detail::lower_label{rows_.columns.data(), labels.data(), changes.data()});
    } while (to_host(exec_, changes).front() != 0);
    return labels;
  }

  gap_steps betweenness_steps(gap_result& result) const {
    struct state : counted {
      state(const Executor& of, const gap_sources& from) : counted(of), next(from) {}
      gap_sources next;
      std::vector<int> sources = std::vector<int>(4);
      buffer<double> scores;
    };
    const auto at = std::make_shared<state>(exec_, sources());
    at->scores = per_vertex<double>();
    return {.prepare =
                [at](int) {
                  for (int& source : at->sources) source = at->next.next();
                },
            .run =
                [this, at] {
                  find_betweenness(at->exec, view(), at->sources, betweenness_scale::sums, at->scores.span());
                },
            .wrong = [this, at, &result](int) -> complaint {
              result.bytes = at->memory.peak();
              if (const std::int64_t wrong = failures(vertices(), gap_detail::is_score{at->scores.data()}))
                return say(wrong, " scores are negative, infinite or NaN");
              const double sum = sum_over_vertices(gap_detail::element<double>{at->scores.data()});
              double expected = 0;
              bfs_search<Executor, int, std::int64_t> search(exec_, view());
              const auto levels = per_vertex<int>(), parents = per_vertex<int>();
              for (const int source : at->sources) {
                search.run(source, levels.span(), parents.span(), parent_rule::any);
                if (complaint found = wrong_levels(source, levels, parents)) return found;
                expected += sum_over_vertices(gap_detail::vertices_between{levels.data()});
              }
              constexpr double tolerance = 1e-9;
              if (std::abs(sum - expected) > tolerance * expected)
                return say("the scores sum to ", sum, ", but the vertices between all ends of paths to ",
                           expected);
              return {};
            }};
  }

  gap_steps triangle_steps(gap_result& result) const {
    const auto at = std::make_shared<counted>(exec_);
    result.name = "triangles";
    return {.run = [this, at, &result] { result.number = find_triangles(at->exec, view(), {}); },
            .wrong = [this, at, &result, first = std::make_shared<std::int64_t>()](int trial) -> complaint {
              result.bytes = at->memory.peak();
              if (trial > 0) {
                if (result.number != *first) return say("trial ", trial, " found another number");
                return {};
              }
              *first = result.number;
              return wrong_triangles(result.number);
            }};
  }
  complaint wrong_triangles(std::int64_t all) const {
    const auto counts = per_vertex<std::int64_t>();
    find_triangles(exec_, view(), counts.span());
    const std::int64_t sum = reduce(exec_, counts.data(), vertices(), plus<std::int64_t>{});
    if (sum != 3 * all) return say("the graph has ", all, " triangles, but its vertices have ", sum);
    const std::int64_t stride = ceil_div<std::int64_t>(vertices(), 1 << 14);
    const std::int64_t wrong =
        reduce(exec_, evenly::generated{gap_detail::triangles_differ{rows_.view(), stride, counts.data()}},
               ceil_div(vertices(), stride), plus<std::int64_t>{});
    if (wrong > 0) return say(wrong, " vertices of a sample have other numbers of triangles");
    return {};
  }

  gap_shape shape_;
  Executor exec_;
  std::unique_ptr<measure::timer> time_;
  gap_detail::rows rows_;
  std::vector<std::int64_t> offsets_; ///< on the host
};

template <class Executor>
std::unique_ptr<generated_gap> generated_gap_on(const gap_shape& shape,
                                                const measure::bench_options& options) {
#if defined(__CUDACC__)
  if constexpr (!Executor::on_host) {
    std::size_t free = 0, total = 0;
    EVENLY_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    require_memory(shape, {static_cast<std::int64_t>(free), "the GPU"});
  }
#endif
  if constexpr (Executor::on_host) require_memory(shape, host::available_memory());
  return std::make_unique<generated_on<Executor>>(shape, options);
}

} // namespace evenly::graphs
