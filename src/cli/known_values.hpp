// SPDX-License-Identifier: Apache-2.0
// The names that options take, and what they mean: for the commands, and for who completes a command line.
#pragma once

#include "cli/option_values.hpp"
#include "evenly/graph/search_rule.hpp"
#include "evenly/io/file_format.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "graphs/search.hpp"
#include "ladder/ladder.hpp"
#include "measure/executor_kind.hpp"
#include "measure/problem.hpp"
#include "sparse/format_bench.hpp"

namespace evenly::cli {

inline const choices<operation> operations{
    {"spmv", operation::spmv}, {"expand", operation::expand}, {"update", operation::update}};
/// Those and what `evenly compare` has besides, of which only the name is here.
inline const choices<operation> compared_operations{{"spmv", operation::spmv},
                                                    {"expand", operation::expand},
                                                    {"update", operation::update},
                                                    {"spmm:W", operation::spmv}};
inline const choices<number_type> types{{"float", number_type::single_precision},
                                        {"double", number_type::double_precision}};
inline const choices<executor_kind> executors{
    {"cpu", executor_kind::cpu}, {"simt", executor_kind::simt}, {"cuda", executor_kind::cuda}};
inline const choices<matrix_format> matrix_formats{
    {"csr", matrix_format::csr},        {"csc", matrix_format::csc},   {"coo", matrix_format::coo},
    {"ell", matrix_format::ell},        {"bcsr", matrix_format::bcsr}, {"dia", matrix_format::dia},
    {"packed", matrix_format::packed},  {"half", matrix_format::half}, {"bfloat16", matrix_format::bfloat16},
    {"pattern", matrix_format::pattern}};
inline const choices<dense_layout> dense_layouts{{"row", dense_layout::rows},
                                                 {"column", dense_layout::columns}};
inline const choices<weight_source> weight_sources{
    {"file", weight_source::file}, {"unit", weight_source::unit}, {"hash", weight_source::hash}};
inline const choices<io::file_format> matrix_file_formats{{"mtx", io::file_format::matrix_market},
                                                          {"npz", io::file_format::npz},
                                                          {"npy", io::file_format::npy},
                                                          {"hb", io::file_format::harwell_boeing},
                                                          {"el", io::file_format::pairs},
                                                          {"wel", io::file_format::weighted},
                                                          {"adjlist", io::file_format::adjacency_list},
                                                          {"gr", io::file_format::dimacs},
                                                          {"graph", io::file_format::metis}};
inline const choices<io::file_format> point_file_formats{{"npy", io::file_format::npy},
                                                         {"ply", io::file_format::ply},
                                                         {"obj", io::file_format::obj},
                                                         {"xyz", io::file_format::xyz},
                                                         {"pcd", io::file_format::pcd}};
/// Of commands that take both.
inline const choices<io::file_format> all_file_formats = [] {
  choices<io::file_format> all = matrix_file_formats;
  for (const auto& each : point_file_formats)
    if (each.second != io::file_format::npy) all.push_back(each);
  return all;
}();
inline const choices<io::edge_column> edge_columns{{"src", io::edge_column::source},
                                                   {"dst", io::edge_column::target},
                                                   {"weight", io::edge_column::weight},
                                                   {"-", io::edge_column::ignored}};
inline const choices<ladder_type> ladder_types{{"int", ladder_type::int32}, {"float", ladder_type::float32}};

inline const choices<path_method> path_methods{{"automatic", path_method::automatic},
                                               {"delta_stepping", path_method::delta_stepping},
                                               {"near_far", path_method::near_far},
                                               {"bellman_ford", path_method::bellman_ford},
                                               {"tasks", path_method::automatic}};

} // namespace evenly::cli
