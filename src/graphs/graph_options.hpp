// SPDX-License-Identifier: Apache-2.0
// Options that the commands on graphs share.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/shared_options.hpp"
#include "io/output_format.hpp"

namespace evenly::graphs {

inline void add_graph_input(cli::command& to, std::string& path) {
  cli::add_input(
      to, "input FILE|GENERATOR", path,
      "an edge list (.el .edgelist .edges .txt .csv .tsv .wel .adjlist .gr .graph, KONECT) or a "
      "matrix with one row per source vertex (.mtx .npz .npy .hb .rb): a file, plain, compressed or "
      "in an archive, - for standard input, or a generator")
      .required();
}

inline void add_vertex_map(cli::command& to, std::string& path) {
  to.add("--map FILE", path,
         "output file of the ids or names of the vertices, one per line, in the order of the results")
      .writes(io::text_output);
}

} // namespace evenly::graphs
