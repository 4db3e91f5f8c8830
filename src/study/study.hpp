// SPDX-License-Identifier: Apache-2.0
// evenly study: measurements of papers, repeated with this library.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evenly/io/read_options.hpp"
#include "measure/bench.hpp"

namespace evenly::study {

using measure::bench_options, measure::executor_kind;

struct study_options {
  std::vector<std::string> inputs; ///< replace those of the study; for mapping, files or generators
  io::read_options reading;
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  bool quick = false;                    ///< scaled-down workloads, few runs
  std::string report;                    ///< path of an HTML file, `-` for standard output, empty for none
  std::string json;                      ///< likewise
  std::vector<std::string> from;         ///< files with earlier results: nothing is measured
  bool resume = false;                   ///< continue the study in the file `json`; not for mapping
  std::string csv;                       ///< of the study model: path of a CSV file
  std::optional<std::size_t> corpus;     ///< of the study model: the number of generated matrices
  bench_options bench;
};

/// Each prints tables and the agreement with its paper, and writes the requested files with all finished measurements,
/// even if the study is interrupted. It returns whether all results are correct, and throws usage_error, inputs_failed,
/// file_error, device_error.
///
/// Section 5 of Busato & Bombieri, "A dynamic approach for workload partitioning on GPU architectures" (TPDS 2017),
/// with the schedules of this library.
bool study_mapping(const study_options& options);

/// Sections 5 and 6 of Cederman & Tsigas, "On dynamic load balancing on graphics processors" (2008), with the task
/// pools of this library: octrees of particles. inputs: particles (spatial/octree.hpp) that replace half a million of
/// each kind.
bool study_tasks(const study_options& options);

/// Sections 4 and 5 of Wu, Zhao, Zhang, Jiang & Shen, "Complexity analysis and algorithm design for reorganizing data
/// to minimize non-coalesced memory accesses on GPU" (PPoPP 2013), with the layouts of this library. Adds lists that
/// change more or less often. inputs: workloads of evenly reorganize that replace the eight of the paper and a random
/// graph.
bool study_reorganize(const study_options& options);

/// Section 6 of Osama, Porumbescu & Owens, "A programming model for GPU load balancing" (PPoPP 2023): float SpMV under
/// schedules, the paper's rule, automatic and the oracle, and libraries or loops beside them. inputs: files, folders
/// and generators, in addition to `corpus` matrices of model_corpus.
bool study_model(const study_options& options);

/// The generated matrices of the study model, from 10^2 to 10^8 nonzeros, in an order in which every part resembles the
/// whole; a few small ones if `quick`.
std::vector<std::string> model_corpus(bool quick);
inline constexpr std::size_t usual_model_corpus = 300;

/// The training data of automatic: spmv and expand under every schedule, on `inputs` or on choices_corpus. There is no
/// paper and no report.
bool study_choices(const study_options& options);

/// The generated tile sets, from 10^2 to 10^8 atoms, in an order in which every part resembles the whole; a few small
/// ones if `quick`.
std::vector<std::string> choices_corpus(bool quick);

/// The family of an input, which training leaves out as a whole: that of a matrix like those of applications, otherwise
/// the name of the generator or of the file.
std::string choices_family(const std::string& input);

} // namespace evenly::study
