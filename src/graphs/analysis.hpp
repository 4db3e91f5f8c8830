// SPDX-License-Identifier: Apache-2.0
// The common part of the commands that find one value per vertex of a graph, which is checked, timed and written. An
// algorithm is an object of a class derived from values_analysis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graphs/analysis_place.hpp"
#include "graphs/graph_command.hpp"
#include "graphs/graph_run.hpp"
#include "graphs/laws.hpp"
#include "graphs/vertex_lines.hpp"

namespace evenly::graphs {

using named_number = std::pair<const char*, std::variant<std::int64_t, double>>;

/// One algorithm on one graph.
class analysis {
 public:
  virtual ~analysis() = default;
  /// The results in the title of the table.
  virtual std::string title() const = 0;
  /// Whether the order of edges and self-loops matter: otherwise --undirected drops self-loops.
  virtual bool keeps_self_loops() const { return false; }
  virtual bool uses_weights() const { return false; }
  /// Throws usage_error or file_error if the algorithm does not support the graph.
  virtual void load(loaded_graph&) {}
  virtual graph_view<double> view(const loaded_graph& of) const { return of.view<double>(nullptr); }
  void set_place(std::unique_ptr<analysis_place> place) { place_ = std::move(place); }
  timer& time() { return place_->time(); }
  /// Requires a place.
  virtual void prepare() = 0;
  virtual void run() = 0;
  /// Checks the result of the last run.
  virtual complaint wrong(const loaded_graph& of) = 0;
  /// Edges that the last run visited; an edge and its reverse count once in a symmetric graph.
  virtual std::int64_t visited_edges(const loaded_graph& of) const { return of.counted_edges(); }
  virtual std::size_t bytes() const = 0; ///< 0: unknown
  virtual std::int64_t bytes_of_check(const loaded_graph& of) const {
    return std::int64_t{48} * of.graph.edges.rows;
  }
  /// Numbers that describe the result, by name.
  virtual std::vector<named_number> numbers() const = 0;
  virtual void write(const std::string& path, const io::vertex_labels& labels) const = 0;

 protected:
  std::unique_ptr<analysis_place> place_; ///< outlives the members of derived classes, which use its memory
};

template <class Value> class values_analysis : public analysis {
 public:
  void prepare() override { algorithm_ = make(*place_); }
  void run() override { totals_ = algorithm_->run(); }
  complaint wrong(const loaded_graph& of) override {
    values_ = algorithm_->result();
    return first_wrong(of, [&](int v) { return of.label(v); });
  }
  std::size_t bytes() const override { return algorithm_->bytes(); }
  void write(const std::string& path, const io::vertex_labels& labels) const override {
    write_vertex_values(path, labels, values_);
  }

 protected:
  using namer = std::function<std::string(int vertex)>;
  virtual values_pointer<Value> make(analysis_place& place) = 0;
  virtual complaint first_wrong(const loaded_graph& of, const namer& label) const = 0;

  values_pointer<Value> algorithm_;
  pagerank_totals totals_; ///< of the last run
  std::vector<Value> values_;
};

/// Throws host::memory_error if a CPU has less than `bytes`.
void require_memory(const timer& place, const std::string& what, std::int64_t bytes);

/// Loads the graph, and checks, times, prints and writes the result. Returns whether it is correct.
bool time_analysis(const std::string& name, const graph_options& options, analysis& what);

/// A command that runs an analysis.
class analysis_command : public graph_command<> {
 public:
  static constexpr const char* simple_graph =
      "use the simple graph: each edge in both directions, without parallel edges and self-loops";

  /// `rate`: the meaning of M edges/s.
  analysis_command(const char* name, const std::string& values, const std::string& rate,
                   const char* undirected = simple_graph)
      : analysis_command(name, values + ": .npy, .mtx, or text, one per line", rate, undirected,
                         io::vector_output) {}

 protected:
  /// The same for results in files of other formats.
  analysis_command(const char* name, const std::string& results, const std::string& rate,
                   const char* undirected, const io::output_formats& formats,
                   const cli::seed_option& seed = {})
      : graph_command(name, results, undirected, formats, seed) {
    add_to_footer(cli::help_on_results() + rate + "\n\n" + cli::help_on_generators());
  }

 private:
  virtual std::unique_ptr<analysis> make() = 0;
  bool time() override { return time_analysis(name(), options_, *make()); }
};

} // namespace evenly::graphs
