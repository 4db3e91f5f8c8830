// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "evenly/io/read.hpp"
#include "python/studies.hpp"

namespace evenly::python {

namespace {

template <class T> made_array made_of(std::vector<T> values) {
  const auto kept = std::make_shared<std::vector<T>>(std::move(values));
  return {kept, kept->data(), static_cast<std::int64_t>(kept->size())};
}
template <class Value> read_file made_of(csr_matrix<Value> a) {
  read_file made;
  made.matrix = {a.rows, a.cols, made_of(std::vector<std::int64_t>(a.offsets.begin(), a.offsets.end())),
                 made_of(std::move(a.columns)), made_of(std::move(a.values))};
  made.type = element_of<Value>;
  return made;
}

} // namespace

read_file read_matrix(const std::filesystem::path& path) {
  try {
    return made_of(io::read_matrix(path));
  } catch (const io::file_error&) { // of complex values, or no matrix at all
    try {
      return made_of(io::read_complex_matrix(path));
    } catch (const io::file_error&) {
    }
    throw;
  }
}
read_file read_graph(const std::filesystem::path& path) { return made_of(io::read_graph(path).rows); }
read_file read_vector(const std::filesystem::path& path) {
  read_file made;
  made.columns.push_back(made_of(io::read_vector(path)));
  return made;
}
read_file read_points(const std::filesystem::path& path) {
  io::point_set points = io::read_points(path);
  read_file made;
  for (auto* axis : {&points.x, &points.y, &points.z}) made.columns.push_back(made_of(std::move(*axis)));
  return made;
}

std::string kind_of_file(const std::filesystem::path& path) {
  using format = io::file_format;
  const auto found = io::format_of(path);
  if (!found) return "";
  switch (*found) {
  case format::ply:
  case format::obj:
  case format::xyz:
  case format::pcd:
    return "points";
  case format::npy:
    return "array";
  case format::pairs:
  case format::weighted:
  case format::adjacency_list:
  case format::dimacs:
  case format::metis:
    return "graph";
  default:
    return "matrix";
  }
}

} // namespace evenly::python
