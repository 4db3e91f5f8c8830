// SPDX-License-Identifier: Apache-2.0
// The workloads of evenly reorganize as the command line names them: an index list P, and the work of a thread on
// A[P[i]].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/io/read_options.hpp"
#include "evenly/layouts/references.hpp"

namespace evenly::layouts {

/// The position of an atom; w is its charge if it has one. 16 bytes, read at once.
struct alignas(16) atom_position {
  float x, y, z, w;
};

/// The state of a gas cell per unit of volume. The last three numbers are unused and 0, so that it has the size of a
/// sector.
struct alignas(16) gas_state {
  float density, momentum[3], energy;
  float unused[3];
};

/// The work of a thread on its K elements.
enum class access_use {
  forces,   ///< Lennard-Jones forces between atom t and the referenced atoms; elements are positions
  sums,     ///< the sum of 1.5 a + 0.5; elements are floats that make it exact
  products, ///< a nonzero times the element; elements are doubles
  differences, ///< the sum of half the differences to the neighbours' elements, which are floats that make it exact
  charges, ///< Coulomb and Lennard-Jones forces in a periodic box
  fluxes,  ///< the flux out of a gas cell through its four faces; elements are gas_states
  pixels,  ///< interpolation between four pixels of an image; elements are floats
  records  ///< the squared distances of records to a point; elements are floats, `fields` per record
};

/// Whether thread i corresponds to element i.
EVENLY_FN constexpr bool about_elements(access_use use) {
  return use != access_use::products && use != access_use::pixels && use != access_use::records;
}
/// Calls work.operator()<Use>() with the use `of`.
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
  std::string text; ///< the user's spelling
  access_use use = access_use::sums;
  access_shape shape;
  std::vector<int> p;                   ///< [r * threads + t]
  std::vector<atom_position> positions; ///< for forces and charges
  float box = 0;                        ///< positions are in [0, box)
  std::int64_t pairs = 0;               ///< for forces: number of references within the cutoff
  std::vector<double> nonzeros;         ///< for products: one per thread
  std::vector<int> row_starts;          ///< for cg: the first nonzero of each row, and the end
  bool solves = false;                  ///< whether the workload is cg
  std::vector<gas_state> gas;           ///< for fluxes
  /// For fluxes: [r * threads + t] is the outward normal of face r with its area as length; w is 1 for a wall, whose
  /// reference is to the cell itself.
  std::vector<atom_position> faces;
  int side = 0; ///< for pixels: the image has side * side pixels
  /// For pixels: [t] and [threads + t] are the interpolation weights of thread t in x and in y, in [0, 1].
  std::vector<float> between;
  std::int64_t fields = 0; ///< for records: numbers per record
  std::int64_t chunks = 0; ///< for records: number of calls, each with `threads` other records
  int nearest = 0;         ///< for records: number of nearest ones to find
  std::uint64_t seed = 0;  ///< for pixels and records, whose elements are generated for each call

  bool is_graph() const { return about_elements(use) && shape.threads == shape.elements; }
};

inline constexpr float cutoff_squared = 16;
inline constexpr float lennard_jones_1 = 1.5f;
inline constexpr float lennard_jones_2 = 2.0f;

/// Generates or reads a workload. A file is a matrix if `how.format` or the file says so, else a list of indices.
/// Throws usage_error for an unknown workload, with a list of all, and for values out of range; and the exceptions of
/// the readers.
access_workload make_workload(const std::string& text, int block, const io::read_options& how = {});
/// Whether a text names a generated workload. The rest of the text may be wrong.
bool names_access_workload(const std::string& text);
/// Lines of help.
std::string help_on_access_workloads();

/// The iterations that the conjugate gradient method needs for a 5-point Laplacian of `side` x `side` points, numbered
/// by rows, with a right-hand side of ones, computed on the host. A permuted Laplacian needs the same number.
int unpermuted_iterations(int side);

/// The message about a wrong result. (Here, because nvcc does not compile fmt.)
std::string wrong_value(const char* what, std::int64_t number, double found, double right);

inline constexpr double cg_tolerance = 1e-8; ///< of the residual, relative to the right-hand side
inline constexpr int cg_max_iterations = 20'000;

} // namespace evenly::layouts
