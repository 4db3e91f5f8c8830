// SPDX-License-Identifier: Apache-2.0
// kept_blocks: a memory resource that keeps freed memory, so that calls that request the same sizes again allocate
// nothing. A workspace has one for temporaries of any number (execution/workspace.hpp).
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

namespace evenly::detail {

/// Blocks of memory of `upstream`, which it outlives. One thread uses it at a time. On a device a block that comes back
/// may be handed out while earlier work that uses it still runs: both are on one stream.
class kept_blocks : public std::pmr::memory_resource {
 public:
  explicit kept_blocks(std::pmr::memory_resource* upstream) : upstream_(upstream) {}
  kept_blocks(const kept_blocks&) = delete;
  kept_blocks& operator=(const kept_blocks&) = delete;
  ~kept_blocks() override {
    for (const block& each : blocks_) upstream_->deallocate(each.memory, each.bytes, each.alignment);
  }

 private:
  struct block {
    void* memory;
    std::size_t bytes, alignment;
    bool is_free;
  };

  /// The smallest free block that is large enough.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    block* best = nullptr;
    for (block& each : blocks_)
      if (each.is_free && each.bytes >= bytes && each.alignment >= alignment &&
          (best == nullptr || each.bytes < best->bytes))
        best = &each;
    if (best == nullptr) {
      blocks_.reserve(blocks_.size() + 1); // so that nothing is lost if it throws
      blocks_.push_back({upstream_->allocate(bytes, alignment), bytes, alignment, true});
      best = &blocks_.back();
    }
    best->is_free = false;
    return best->memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    for (block& each : blocks_)
      if (each.memory == memory) each.is_free = true;
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* upstream_;
  std::vector<block> blocks_;
};

} // namespace evenly::detail
