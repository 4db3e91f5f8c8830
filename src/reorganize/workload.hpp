// SPDX-License-Identifier: Apache-2.0
// What evenly reorganize runs, as the command line says it: an index list P, and what a thread does with A[P[i]].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/reorganize/references.hpp"

namespace evenly::cli {

/// An atom's position; w is not used. 16 bytes, read at once.
struct alignas(16) atom_position {
  float x, y, z, w;
};

/// What a thread does with its K elements.
enum class access_use {
  forces,  ///< of Lennard-Jones, between atom t and those that it refers to; elements are positions
  sums,    ///< the sum of 1.5 a + 0.5; elements are floats that make it exact
  products ///< a nonzero times the element; elements are doubles
};

struct access_workload {
  std::string text; ///< as the user wrote it
  access_use use = access_use::sums;
  access_shape shape;
  std::vector<int> p;                   ///< [r * threads + t]
  std::vector<atom_position> positions; ///< of forces
  float box = 0;                        ///< they lie in [0, box)
  std::int64_t pairs = 0;               ///< of forces: references within the cutoff
  std::vector<double> nonzeros;         ///< of products: one for each thread
  std::vector<int> row_starts;          ///< of cg: the first nonzero of each row, and the end
  bool solves = false;                  ///< whether it is cg

  bool is_graph() const { return shape.threads == shape.elements; }
};

inline constexpr float cutoff_squared = 16;
inline constexpr float lennard_jones_1 = 1.5f;
inline constexpr float lennard_jones_2 = 2.0f;

/// Makes or reads a workload. Throws usage_error for what is none, with those that there are, and for values out of
/// range; what readers throw for files.
access_workload make_workload(const std::string& text, int block);
/// Whether a text is that of a workload that is made, not read: it may be wrong otherwise.
bool names_access_workload(const std::string& text);
/// Lines of help.
std::string help_on_access_workloads();

/// Iterations that the conjugate gradient method takes for a 5-point Laplacian of `side` x `side` points, numbered by
/// rows, with a right-hand side of ones, by a loop of the host: what a permuted one has to take as well.
int unpermuted_iterations(int side);

/// What is said of a wrong result. (Here, because nvcc does not compile fmt.)
std::string wrong_value(const char* what, std::int64_t number, double found, double right);

inline constexpr double cg_tolerance = 1e-8; ///< of the residual, relative to the right-hand side
inline constexpr int cg_most_iterations = 20'000;

} // namespace evenly::cli
