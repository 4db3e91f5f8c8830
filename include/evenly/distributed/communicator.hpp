// SPDX-License-Identifier: Apache-2.0
// communicator: how one rank of a group sends bytes to the other ranks. A rank is an executor with its own part of the
// data. The ranks of a group are threads of one process (local_devices.hpp) or processes under MPI (mpi.hpp).
//
// A communicator moves bytes and never adds numbers. So the results of operations do not depend on it.
//
//   world.run([](communicator& here) {      // the body runs once for each rank, at the same time
//     here.barrier("start");
//     const std::vector<int> sizes = here.all_gather("sizes", my_size);
//   });
//
// All ranks must make the same calls in the same order. `purpose`, a text such as "columns of x", names a call in
// messages: it says what a rank waits for, and ranks that are at different calls are refused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "evenly/core/errors.hpp"

namespace evenly::distributed {

/// A rank failed, or waits for a rank that will not answer. The message names the rank.
class rank_failed : public error {
 public:
  using error::error;
};
/// Ranks were given different inputs. Every rank throws it.
class different_inputs : public invalid_argument {
 public:
  using invalid_argument::invalid_argument;
};

/// Bytes for another rank.
struct outgoing {
  int to;
  const void* data;
  std::size_t bytes;
};
/// Memory for the bytes of another rank, which sends exactly that many.
struct incoming {
  int from;
  void* data;
  std::size_t bytes;
};

/// The connection of one rank to the others. Each rank calls its own, from one thread at a time.
class communicator {
 public:
  communicator(int rank, int size) : rank_(rank), size_(size) {}
  communicator(const communicator&) = delete;
  virtual ~communicator() = default;

  /// The number of this rank, in [0, size()).
  int rank() const { return rank_; }
  /// The number of ranks.
  int size() const { return size_; }
  /// Whether a rank may write to the memory of the others, at addresses that they send.
  virtual bool reaches() const { return false; }

  /// Sends and receives messages, and returns when those of this rank have arrived and its own may be overwritten.
  ///
  /// - At most one message to, and one from, each other rank. Messages of 0 bytes are sent too: as signals.
  /// - Synchronises the host; waits only for the ranks of `in`.
  /// - Throws rank_failed if a rank fails, is at another call, or does not answer.
  virtual void exchange(const char* purpose, std::span<const outgoing> out, std::span<const incoming> in) = 0;
  /// Copies `bytes` bytes of each rank to `all`, in the order of the ranks. All ranks call it with the same `bytes`.
  /// Moves size() * bytes bytes to each rank.
  virtual void all_gather(const char* purpose, const void* mine, std::size_t bytes, void* all) {
    gather_by_messages(purpose, mine, bytes, all);
  }
  /// Returns when all ranks have called it.
  virtual void barrier(const char* purpose) { all_gather(purpose, nullptr, 0, nullptr); }

  /// Returns the value of each rank.
  template <class T> std::vector<T> all_gather(const char* purpose, const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>, "ranks send bytes: the type must be trivially copyable");
    std::vector<T> all(static_cast<std::size_t>(size_));
    all_gather(purpose, &mine, sizeof(T), all.data());
    return all;
  }
  /// Returns the lists of all ranks, one behind the other.
  template <class T> std::vector<T> all_gather_lists(const char* purpose, std::span<const T> mine) {
    const std::vector<std::int64_t> sizes = all_gather(purpose, static_cast<std::int64_t>(mine.size()));
    std::int64_t total = 0;
    for (const std::int64_t each : sizes) total += each;
    std::vector<T> all(static_cast<std::size_t>(total));
    std::vector<outgoing> out;
    std::vector<incoming> in;
    T* at = all.data();
    for (int r = 0; r < size_; ++r) {
      const auto count = static_cast<std::size_t>(sizes[static_cast<std::size_t>(r)]);
      if (r == rank_) {
        std::copy(mine.begin(), mine.end(), at);
      } else {
        if (!mine.empty()) out.push_back({r, mine.data(), mine.size_bytes()});
        if (count > 0) in.push_back({r, at, count * sizeof(T)});
      }
      at += count;
    }
    exchange(purpose, out, in);
    return all;
  }
  /// Sends elements [cuts[r], cuts[r + 1]) of a list to each rank r. Returns what arrives, in the order of the ranks.
  /// All ranks call it. `cuts`: size() + 1 ascending numbers.
  template <class T>
  std::vector<T> exchange_ranges(const char* purpose, std::span<const T> list,
                                 const std::vector<std::int64_t>& cuts) {
    static_assert(std::is_trivially_copyable_v<T>, "ranks send bytes: the type must be trivially copyable");
    const auto size = static_cast<std::size_t>(size_), mine = static_cast<std::size_t>(rank_);
    std::vector<std::int64_t> all(size * (size + 1));
    all_gather("sizes of lists", cuts.data(), (size + 1) * sizeof(std::int64_t), all.data());
    const auto count = [&](std::size_t from, std::size_t to) {
      return static_cast<std::size_t>(all[from * (size + 1) + to + 1] - all[from * (size + 1) + to]);
    };
    std::size_t total = 0;
    for (std::size_t r = 0; r < size; ++r) total += count(r, mine);
    std::vector<T> arrived(total);
    std::vector<outgoing> out;
    std::vector<incoming> in;
    std::size_t at = 0;
    for (std::size_t r = 0; r < size; ++r) {
      const T* const first = list.data() + cuts[r];
      if (r == mine) {
        std::copy(first, first + count(mine, mine), arrived.data() + at);
      } else {
        if (count(mine, r) > 0) out.push_back({static_cast<int>(r), first, count(mine, r) * sizeof(T)});
        if (count(r, mine) > 0)
          in.push_back({static_cast<int>(r), arrived.data() + at, count(r, mine) * sizeof(T)});
      }
      at += count(r, mine);
    }
    exchange(purpose, out, in);
    return arrived;
  }

 protected:
  /// all_gather by a message from each rank to each other.
  void gather_by_messages(const char* purpose, const void* mine, std::size_t bytes, void* all) {
    std::vector<outgoing> out;
    std::vector<incoming> in;
    for (int r = 0; r < size_; ++r) {
      std::byte* const at =
          all == nullptr ? nullptr : static_cast<std::byte*>(all) + static_cast<std::size_t>(r) * bytes;
      if (r == rank_) {
        if (bytes > 0) std::memcpy(at, mine, bytes);
      } else {
        out.push_back({r, mine, bytes});
        in.push_back({r, at, bytes});
      }
    }
    exchange(purpose, out, in);
  }

 private:
  int rank_;
  int size_;
};

/// The ranks of a group that this process runs: [first(), first() + count()) of size() ranks.
class rank_group {
 public:
  virtual ~rank_group() = default;
  virtual int size() const = 0;
  virtual int first() const = 0;
  virtual int count() const = 0;
  /// Calls body(here) for each rank of this process, all at the same time. Returns when all have returned. If a rank
  /// throws, the others end too; the exception, or the line that is printed, names that rank.
  virtual void run(const std::function<void(communicator&)>& body) = 0;
};

} // namespace evenly::distributed
