// SPDX-License-Identifier: Apache-2.0
// What evenly reorganize runs, as the command line says it: an index list P, and what a thread does with A[P[i]].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/layouts/references.hpp"

namespace evenly::layouts {

/// An atom's position; w is its charge, where it has one. 16 bytes, read at once.
struct alignas(16) atom_position {
  float x, y, z, w;
};

/// What a cell of a gas holds, for each unit of volume. (Its last three numbers are not used, and 0: so it has the
/// size of a sector.)
struct alignas(16) gas_state {
  float density, momentum[3], energy;
  float unused[3];
};

/// What a thread does with its K elements.
enum class access_use {
  forces,      ///< of Lennard-Jones, between atom t and those that it refers to; elements are positions
  sums,        ///< the sum of 1.5 a + 0.5; elements are floats that make it exact
  products,    ///< a nonzero times the element; elements are doubles
  differences, ///< the sum of half the differences to the neighbours' elements: floats that make it exact
  charges,     ///< forces of charges and of Lennard-Jones in a box that is repeated on all sides
  fluxes,      ///< what goes out of a cell of gas through its four faces; elements are gas_states
  pixels,      ///< between four pixels of an image; elements are floats
  records ///< the squared distance of two numbers of a record to others; elements are floats, `fields` for each record
};

/// Whether thread i is about element i.
EVENLY_FN constexpr bool about_elements(access_use use) {
  return use != access_use::products && use != access_use::pixels && use != access_use::records;
}
/// work.operator()<Use>() of the use `of`.
template <class Work> auto with_use(access_use of, const Work& work) {
  switch (of) {
  case access_use::forces:
    return work.template operator()<access_use::forces>();
  case access_use::sums:
    return work.template operator()<access_use::sums>();
  case access_use::products:
    return work.template operator()<access_use::products>();
  case access_use::differences:
    return work.template operator()<access_use::differences>();
  case access_use::charges:
    return work.template operator()<access_use::charges>();
  case access_use::fluxes:
    return work.template operator()<access_use::fluxes>();
  case access_use::pixels:
    return work.template operator()<access_use::pixels>();
  case access_use::records:
    break;
  }
  return work.template operator()<access_use::records>();
}
/// Whether elements are atom_positions.
EVENLY_FN constexpr bool has_places(access_use use) {
  return use == access_use::forces || use == access_use::charges;
}

struct access_workload {
  std::string text; ///< as the user wrote it
  access_use use = access_use::sums;
  access_shape shape;
  std::vector<int> p;                   ///< [r * threads + t]
  std::vector<atom_position> positions; ///< of forces and charges
  float box = 0;                        ///< they lie in [0, box)
  std::int64_t pairs = 0;               ///< of forces: references within the cutoff
  std::vector<double> nonzeros;         ///< of products: one for each thread
  std::vector<int> row_starts;          ///< of cg: the first nonzero of each row, and the end
  bool solves = false;                  ///< whether it is cg
  std::vector<gas_state> gas;           ///< of fluxes
  std::vector<atom_position>
      faces;    ///< of fluxes: [r * threads + t] the outward normal of face r, as long as its area is
                ///< large; w is 1 for a wall, whose reference is to the cell itself
  int side = 0; ///< of pixels: of the image, which has side * side
  std::vector<float>
      between; ///< of pixels: [t] and [threads + t], how far thread t is from its first pixel to the
               ///< next ones in x and in y, in [0, 1]
  std::int64_t fields = 0; ///< of records: numbers in each
  std::int64_t chunks = 0; ///< of records: calls, each with `threads` others
  int nearest = 0;         ///< of records: how many are looked for
  std::uint64_t seed = 0;  ///< of pixels and records, whose elements are made for each call

  bool is_graph() const { return about_elements(use) && shape.threads == shape.elements; }
};

inline constexpr float cutoff_squared = 16;
inline constexpr float lennard_jones_1 = 1.5f;
inline constexpr float lennard_jones_2 = 2.0f;

/// Makes or reads a workload. A file is a matrix, if `how.format` or the file itself says so, else a list of indices.
/// Throws usage_error for what is no workload, with those that there are, and for values out of range; what readers
/// throw for files.
access_workload make_workload(const std::string& text, int block, const io::read_options& how = {});
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
inline constexpr int cg_max_iterations = 20'000;

} // namespace evenly::layouts
