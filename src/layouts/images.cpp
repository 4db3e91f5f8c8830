// SPDX-License-Identifier: Apache-2.0
// Workloads with independent calls on different elements: unwrapped images and chunks of records.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <fmt/format.h>

#include "layouts/access_generators.hpp"

namespace evenly::layouts {

/// Thread radius * angles + angle computes this pixel of a polar image from four pixels of a Cartesian one.
access_workload make_unwrap(words_of_workload& words) {
  const auto side = static_cast<int>(words.whole("size", 2, 32'768, 1024));
  const std::int64_t radii = words.whole("radii", 1, 32'768, std::max(side / 2, 1));
  const std::int64_t angles = words.whole("angles", 1, 131'072, std::int64_t{2} * side);
  access_workload made;
  made.use = access_use::pixels;
  made.seed = seed_of(words);
  made.side = side;
  made.shape = {.threads = radii * angles,
                .references = 4,
                .elements = std::int64_t{side} * side,
                .element_bytes = sizeof(float)};
  if (made.shape.threads > std::int64_t{1} << 30)
    words.fail(fmt::format("{} pixels: at most 2^30 are supported", made.shape.threads));
  made.p.resize(static_cast<std::size_t>(made.shape.total_references()));
  made.between.resize(static_cast<std::size_t>(2 * made.shape.threads));
  const double middle = (side - 1) / 2.0;
  const std::int64_t threads = made.shape.threads;
  for (std::int64_t radius = 0; radius < radii; ++radius)
    for (std::int64_t angle = 0; angle < angles; ++angle) {
      const std::int64_t t = radius * angles + angle;
      const double length =
          middle * static_cast<double>(radius) / static_cast<double>(std::max<std::int64_t>(radii - 1, 1));
      const double turn = 2 * std::numbers::pi * static_cast<double>(angle) / static_cast<double>(angles);
      const double at[2] = {middle + length * std::cos(turn), middle + length * std::sin(turn)};
      std::int64_t first[2];
      for (int i = 0; i < 2; ++i) {
        first[i] = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(at[i])), 0, side - 2);
        made.between[static_cast<std::size_t>(i * threads + t)] =
            static_cast<float>(std::clamp(at[i] - static_cast<double>(first[i]), 0.0, 1.0));
      }
      for (int r = 0; r < 4; ++r)
        made.p[static_cast<std::size_t>(r * threads + t)] =
            static_cast<int>((first[1] + r / 2) * side + first[0] + r % 2);
    }
  return made;
}

/// One thread per record of a chunk; it reads the first two numbers of the record.
access_workload make_nn(words_of_workload& words) {
  const std::int64_t records = words.whole("n", 1, std::int64_t{1} << 32, 1 << 20);
  const std::int64_t chunk =
      words.whole("chunk", 1, std::int64_t{1} << 28, std::min<std::int64_t>(records, 1 << 18));
  access_workload made;
  made.use = access_use::records;
  made.fields = words.whole("fields", 2, 64, 8);
  made.nearest = static_cast<int>(words.whole("k", 1, 1024, 10));
  made.seed = seed_of(words);
  made.chunks = records / chunk;
  if (made.chunks * chunk != records) words.fail(fmt::format("n must be a multiple of chunk = {}", chunk));
  if (made.nearest > records) words.fail(fmt::format("k must be at most n = {}", records));
  made.shape = {
      .threads = chunk, .references = 2, .elements = chunk * made.fields, .element_bytes = sizeof(float)};
  if (made.shape.elements > std::int64_t{1} << 30)
    words.fail(fmt::format("{} numbers in a chunk: at most 2^30 are supported", made.shape.elements));
  made.p.resize(static_cast<std::size_t>(made.shape.total_references()));
  for (std::int64_t r = 0; r < 2; ++r)
    for (std::int64_t t = 0; t < chunk; ++t)
      made.p[static_cast<std::size_t>(r * chunk + t)] = static_cast<int>(t * made.fields + r);
  return made;
}

} // namespace evenly::layouts
