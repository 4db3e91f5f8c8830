// SPDX-License-Identifier: Apache-2.0
// placed_tiles: tiles with the executor whose memory holds their offsets.
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// A tile set of an owner on a device, as rows_of(a) and csr_tiles(offsets) return it. One-line operations on it run on
/// that device by default. Plans and kernels use `Tiles`.
template <class Executor, tile_set Tiles> class placed_tiles : public Tiles {
 public:
  using executor_type = Executor;

  placed_tiles(const Executor& exec, const Tiles& tiles) : Tiles(tiles), exec_(exec) {}

  const Executor& executor() const { return exec_; }
  const Tiles& plain() const { return *this; }

 private:
  Executor exec_;
};

/// A tile set with an executor.
template <class T>
concept placed_tile_set = tile_set<T> && requires(const T& tiles) {
  tiles.executor();
  tiles.plain();
};

namespace detail {

/// Returns the tiles without the executor.
template <tile_set Tiles> const Tiles& plain_tiles(const Tiles& tiles) { return tiles; }
template <placed_tile_set Tiles> const auto& plain_tiles(const Tiles& tiles) { return tiles.plain(); }

/// Returns `tiles` of `owner`, with its executor if that is a device.
template <class Owner, tile_set Tiles> auto tiles_where(const Owner& owner, const Tiles& tiles) {
  if constexpr (requires { requires !Owner::executor_type::on_host; })
    return placed_tiles<typename Owner::executor_type, Tiles>(owner.executor(), tiles);
  else
    return tiles;
}

} // namespace detail

} // namespace evenly
