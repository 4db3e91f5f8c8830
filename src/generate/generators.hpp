// SPDX-License-Identifier: Apache-2.0
// Generators of matrices from one line of text: `NAME` or `NAME:key=value,...`.
//
// The same text gives the same bits on every machine and with any number of threads: random numbers are hashes of
// (seed, stream, row), and decisions are made on integers. Floating point only shapes the table of row counts by size
// in lognormal workloads. Its counts are rounded so coarsely that the last bit of a library's erfc changes one of them
// about once in 10^4 specifications.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "generate/gap_draws.hpp"
#include "generate/row_profile.hpp"

namespace evenly::generate {

struct generator_key {
  std::string_view name;
  std::string_view standard; ///< the default; empty: the key is required
};

struct generator_info {
  std::string_view name;
  std::vector<generator_key> keys;
  std::string_view description; ///< one line
};

/// All generators, in the order of help.
std::vector<generator_info> generators();

/// Their names, separated by commas.
std::string generator_names();

/// The syntax of a generator: `regular:rows=,size=[,seed=1]`.
std::string usage(const generator_info& generator);

/// Generates the matrix that `spec` describes. Columns are sorted and distinct in each row, values uniform in [-1, 1).
///
/// Counts may be written as 1000000 or 1e6. `NAME:value` gives the first key. Every generator accepts `seed` (0 to
/// 2^53), except `kron` and `urand`, whose values are weights. The generators named after workloads have the sizes of
/// the workload by default. Their key `scale`, greater than 0 and at most 1, scales the matrix down:
///
/// - The number of rows shrinks in proportion. So do rows longer than 100, but to no less than 100 and to no more than
///   the number of columns.
/// - one-dense-row shrinks exactly in proportion, kron_g500-logn20 to the next smaller power of two, and each side of
///   band27 by the cube root.
///
/// Throws spec_error for an unknown generator (with a list of all) or key, a missing or repeated key, a malformed or
/// out-of-range value, contradicting values, and more than 2^31 - 1 entries. Throws memory_error if there is too little
/// memory.
csr_matrix<double> generate(std::string_view spec);

/// The row sizes of generate(), without memory for the entries.
row_profile generate_profile(std::string_view spec);

/// Whether the values of a generated graph are weights of its edges. Throws spec_error for an unknown generator.
bool has_weights(std::string_view spec);

/// The graph of a `kron` or `urand`, which may have more entries than generate() allows, and at most 2^28 vertices;
/// nothing for all other texts. Throws spec_error for malformed keys.
std::optional<gap_shape> gap_shape_of(std::string_view spec);

/// Throws the exceptions of generate() for this text, without generating the matrix.
void check_generator(std::string_view spec);

} // namespace evenly::generate
