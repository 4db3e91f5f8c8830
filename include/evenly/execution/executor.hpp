// SPDX-License-Identifier: Apache-2.0
// The executor concept: where kernels run, and the memory that they use. An executor E has these members and functions:
//
//   static constexpr bool serial_blocks             whether a block is one thread
//   static constexpr bool on_host                   whether the host can read its memory
//   std::pmr::memory_resource* resource() const     the source of its memory (memory.hpp)
//   void copy_to_host(to, from, bytes) const        waits for the executor's work
//   void copy_from_host(to, from, bytes) const      waits for the executor's work
//   void fill_zero(to, bytes) const                 asynchronous on cuda
//   record() const                                  returns an event after the work started so far (event.hpp)
//   wait(event) const                               orders the work started later after the event
//   launch(exec, launch_shape, kernel)              found by ADL: starts the kernel on all blocks (shape.hpp)
//   int resident_blocks(exec, kernel, block_size)   found by ADL: how many such blocks are resident at once, at least 1
//
// If blocks are serial:
//   int threads() const                             how many blocks run at the same time
//
// If they are not:
//   block_shape shape_of(block_size) const          the shape of a block of block_size threads
//   std::int64_t resident_threads() const           how many threads are resident at the same time
//   std::size_t max_storage() const                 the maximum bytes of storage per block
//
// If the host cannot read its memory:
//   int device() const                              the device of the memory
//
// Executors are copied freely; copies are the same executor.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/shape.hpp"

namespace evenly {

namespace detail {

/// A kernel that does nothing, for testing executors.
struct any_kernel {
  template <class Block> EVENLY_FN void operator()(Block&) const {}
};

} // namespace detail

/// A type with the members and functions in the head of this file.
template <class E>
concept executor =
    std::copy_constructible<E> &&
    requires(const E& exec, void* to, const void* from, std::size_t bytes, launch_shape shape) {
      { E::serial_blocks } -> std::convertible_to<bool>;
      { E::on_host } -> std::convertible_to<bool>;
      { exec.resource() } -> std::convertible_to<std::pmr::memory_resource*>;
      exec.copy_to_host(to, from, bytes);
      exec.copy_from_host(to, from, bytes);
      exec.fill_zero(to, bytes);
      exec.wait(exec.record());
      launch(exec, shape, detail::any_kernel{});
      { resident_blocks(exec, detail::any_kernel{}, 1) } -> std::same_as<int>;
    } && (E::on_host || requires(const E& exec) {
      { exec.device() } -> std::same_as<int>;
    }) && ((E::serial_blocks && requires(const E& exec) {
             { exec.threads() } -> std::same_as<int>;
           }) || (!E::serial_blocks && requires(const E& exec, int block_size) {
             { exec.shape_of(block_size) } -> std::same_as<block_shape>;
             { exec.resident_threads() } -> std::convertible_to<std::int64_t>;
             { exec.max_storage() } -> std::convertible_to<std::size_t>;
           }));

} // namespace evenly
