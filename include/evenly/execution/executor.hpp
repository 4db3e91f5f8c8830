// SPDX-License-Identifier: Apache-2.0
// What an executor is: where kernels run, and the memory that they use.
//
//   static constexpr bool serial_blocks             whether a block is one thread
//   static constexpr bool on_host                   whether the host reads its memory as well
//   std::pmr::memory_resource* resource() const     where its memory comes from (memory.hpp)
//   void copy_to_host(to, from, bytes) const        waits for the executor's work
//   void copy_from_host(to, from, bytes) const      waits likewise
//   void fill_zero(to, bytes) const                 asynchronous on cuda
//   record() const, wait(event) const               an event after what was started; what is started comes after it
//                                                   (event.hpp)
//   launch(exec, launch_shape, kernel)              found by its argument: starts the kernel on all blocks (shape.hpp)
//   int resident_blocks(exec, kernel, block_size)   likewise: how many such blocks have room at once, 1 or more
//   int threads() const                             if blocks are serial: how many run at the same time
//   block_shape shape_of(block_size) const          if they are not: the shape of a block of so many threads,
//   std::int64_t resident_threads() const           how many threads have room at the same time,
//   std::size_t max_storage() const                and the most bytes of storage that a block can have
//   int device() const                              if the host does not read its memory: which device it is of
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

/// A kernel that does nothing: what executors are asked about.
struct any_kernel {
  template <class Block> EVENLY_FN void operator()(Block&) const {}
};

} // namespace detail

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
