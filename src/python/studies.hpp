// SPDX-License-Identifier: Apache-2.0
// Explanations of products by the simulated GPU, pictures of schedules, octrees, neighbor lists, and files.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "evenly/trace/explain.hpp"
#include "python/products.hpp"

namespace evenly::python {

/// A product with a vector of ones on the simulated GPU, its accesses counted. float32 or float64.
struct explained_product {
  std::string schedule; ///< that ran
  std::string choice;   ///< why, if `automatic` chose it
  std::string text;     ///< the whole page
  std::vector<finding> findings;
};
explained_product explain_product(const matrix_arrays& a, const std::string& schedule);

/// Which thread takes which atoms, as SVG. Of many rows a sample, as the picture then says.
std::string draw_schedule(const input& offsets, const std::string& schedule, int block_size, int warp_size);

/// The octree of points, as spatial/octree.hpp has it.
struct made_octree {
  made_array begin, end, children; ///< of each node, int32
  made_array order;                ///< int32
  made_array keys;                 ///< uint64
  std::vector<int> levels;
  std::array<double, 3> corner{};
  double side = 0;
};
/// x, y, z: float32 or float64, all of one type.
made_octree make_octree(const input& x, const input& y, const input& z, int max_points);

/// A neighbor list, as spatial/neighbor_list.hpp has it.
struct made_neighbors {
  made_array offsets;              ///< int64
  made_array indices;              ///< int32
  made_array shifts;               ///< int32, three of each pair; empty if no direction is periodic
  made_array distances, vectors;   ///< of the type of the points; empty unless requested
  element type = element::float64; ///< of the points
};
/// What is requested; the members of spatial::neighbor_options.
struct neighbor_request {
  bool half;
  int nearest; ///< 0: all
  bool distances, vectors;
};
/// x, y, z: float32 or float64, all of one type. box: nine numbers, or none.
made_neighbors find_neighbors(const input& x, const input& y, const input& z, double cutoff,
                              const std::vector<double>& box, const std::array<bool, 3>& periodic,
                              const neighbor_request& request);

/// A file's matrix, or a graph's edges; or points, or an array.
struct read_file {
  made_matrix matrix;
  element type = element::float64; ///< or complex128
  std::vector<made_array> columns; ///< x, y and z of points; the values of a vector
};
read_file read_matrix(const std::filesystem::path& path);
read_file read_graph(const std::filesystem::path& path);
read_file read_points(const std::filesystem::path& path);
read_file read_vector(const std::filesystem::path& path);
/// points, graph, array, matrix; empty if neither content nor ending says.
std::string kind_of_file(const std::filesystem::path& path);

} // namespace evenly::python
