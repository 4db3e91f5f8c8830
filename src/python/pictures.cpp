// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>
#include <vector>

#include "draw/drawn_rows.hpp"
#include "draw/picture.hpp"
#include "draw/recording.hpp"
#include "python/studies.hpp"

namespace evenly::python {

namespace {

constexpr draw::picture_limits drawn_at_most{.max_rows = 200, .min_rows = 32, .max_atoms = 400};

} // namespace

std::string draw_schedule(const input& offsets, const std::string& schedule, int block_size, int warp_size) {
  require(block_size >= 1 && block_size <= 64, [&] {
    return detail::concat("block_size = ", block_size, ": a picture has 1 to 64 threads in a block");
  });
  require(warp_size >= 1 && warp_size <= 64 && (warp_size & (warp_size - 1)) == 0,
          [&] { return detail::concat("warp_size = ", warp_size, ": it is a power of two from 1 to 64"); });
  require(offsets.rows > 0,
          [] { return "offsets is empty: it must have one more element than there are segments"; });
  const any_schedule chosen(schedule);
  require(!chosen.is_automatic() && !chosen.is_set("block_size"),
          [] { return "a picture is of one schedule, and block_size is an argument of its own"; });
  std::vector<int> tiles;
  with_index("offsets", offsets.type, [&]<class Offset>(Offset) {
    const auto given = offsets.as<Offset>();
    require(given.back() - given.front() <= std::numeric_limits<int>::max(),
            [] { return "a picture is of fewer than 2^31 atoms"; });
    for (std::size_t i = 0; i < given.size(); ++i) {
      require(i == 0 || given[i] >= given[i - 1], [&] {
        return csr_tile_set<Offset>::describe(static_cast<long long>(i) - 1, given[i - 1], given[i]);
      });
      tiles.push_back(static_cast<int>(given[i] - given.front()));
    }
  });
  const draw::drawn_rows drawn = draw::choose_rows(tiles, {}, drawn_at_most, "the matrix");
  const draw::recorded_run run = draw::record_schedule(chosen, drawn.offsets, block_size, warp_size);
  std::string title = chosen.text() + ": ";
  for (const auto& [name, value] : run.parameters)
    title.append(&name == &run.parameters.front().first ? "" : ", ")
        .append(name)
        .append(1, ' ')
        .append(value);
  return draw::picture(run, title, drawn.note, drawn.offsets, warp_size);
}

} // namespace evenly::python
