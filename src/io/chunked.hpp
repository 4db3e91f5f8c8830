// SPDX-License-Identifier: Apache-2.0
// A sequence of unknown length that never moves its elements, so it does not need three times their memory while it
// grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace evenly::io {

template <class T> class chunked {
 public:
  void push_back(T value) {
    if (is_full()) {
      chunks_.emplace_back();
      chunks_.back().reserve(next_chunk());
    }
    chunks_.back().push_back(value);
    ++size_;
  }

  std::size_t size() const { return size_; }

  /// Whether the next push_back allocates.
  bool is_full() const { return chunks_.empty() || chunks_.back().size() == chunks_.back().capacity(); }

  /// If it does: the number of bytes, and of elements that fit then.
  std::int64_t growth() const { return static_cast<std::int64_t>(next_chunk() * sizeof(T)); }
  std::int64_t next_capacity() const { return static_cast<std::int64_t>(size_ + next_chunk()); }

  template <class Visit> void for_each(Visit visit) const {
    for (const std::vector<T>& chunk : chunks_)
      for (const T& each : chunk) visit(each);
  }

  /// All elements in one vector, whose memory is allocated first. Leaves the sequence empty and frees its memory on the
  /// way.
  std::vector<T> gather() {
    std::vector<T> all;
    all.reserve(size_);
    for (std::vector<T>& chunk : chunks_) {
      all.insert(all.end(), chunk.begin(), chunk.end());
      std::vector<T>().swap(chunk);
    }
    chunks_.clear();
    size_ = 0;
    return all;
  }

 private:
  std::size_t next_chunk() const { return std::clamp<std::size_t>(size_, 1 << 10, 1 << 20); }

  std::vector<std::vector<T>> chunks_;
  std::size_t size_ = 0;
};

} // namespace evenly::io
