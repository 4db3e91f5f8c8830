// SPDX-License-Identifier: Apache-2.0
// Matrices made from a line of text: `NAME` or `NAME:key=value,...`.
//
// The same text gives the same bits on every machine and with any number of threads: random numbers are
// hashes of (seed, what for, row), and decisions are made on integers. Floating point only shapes the table
// that says how many rows of a lognormal workload have which size; the table's counts are rounded so coarsely
// that the last bit of a library's erfc moves one of them about once in 10^4 specifications.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "generate/row_profile.hpp"

namespace evenly::generate {

struct generator_key {
  std::string_view name;
  std::string_view standard; ///< the value taken when the key is left out; empty: it must be given
};

struct generator_info {
  std::string_view name;
  std::vector<generator_key> keys;
  std::string_view description; ///< one line
};

/// All generators, in the order in which help shows them.
std::vector<generator_info> generators();

/// Their names, separated by commas.
std::string generator_names();

/// How to write a generator: `regular:rows=,size=[,seed=1]`.
std::string usage(const generator_info& generator);

/// Makes the matrix that `spec` describes. Columns are sorted and distinct in each row, values uniform in
/// [-1, 1).
///
/// Counts may be written 1000000 or 1e6. Every generator takes `seed` (0 to 2^53). The generators named after
/// workloads have their figures when no keys are given; their key `scale`, above 0 and at most 1, makes a
/// smaller likeness: rows shrink in proportion, and so do rows that are longer than 100, though not below 100
/// and never beyond the number of columns (one-dense-row: exactly in proportion; kron_g500-logn20: the power
/// of two next below; band27: each side by the cube root).
///
/// Throws spec_error: an unknown generator (with the list of those there are) or key, a missing or repeated
/// key, a value that is malformed or out of range, figures that contradict each other, more than 2^31 - 1
/// entries. Throws memory_error if there is too little memory.
csr_matrix<double> generate(std::string_view spec);

/// The sizes of the rows that generate would give, without memory for what is in them.
row_profile generate_profile(std::string_view spec);

/// Throws what generate would throw for this text, without making the matrix.
void check_generator(std::string_view spec);

} // namespace evenly::generate
