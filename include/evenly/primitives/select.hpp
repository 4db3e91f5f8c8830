// SPDX-License-Identifier: Apache-2.0
// select: the elements for which a predicate holds, in order, in one pass over the data (compaction.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/compaction.hpp"
#include "evenly/primitives/inputs.hpp"

namespace evenly {

/// Writes every in[i], i in [0, count), for which predicate(in[i]) holds to out[0], out[1], ..., in order. Writes their
/// number to *found.
///
/// - `in`: an input (inputs.hpp) of trivially copyable elements of at most 2,048 bytes.
/// - `predicate`: a trivially copyable function object that runs on `exec`; called once per element.
/// - `out`: an output with enough room. A pointer to elements of the same size may equal `in` or begin before it, but
///   not among its other elements.
/// - `found`: in memory of `exec`.
/// - `block_size`: threads per block, 1 to 1024; tuned for the default.
/// - Asynchronous on cuda.
/// - Throws invalid_argument if count is negative, if out begins among the other elements of `in`, or if *found is one
///   of these elements.
/// - Cost: each element is read once, each found element is written once.
template <class Executor, class Input, class Predicate, class Output>
void select(const Executor& exec, const Input& in, std::int64_t count, const Predicate& predicate,
            const Output& out, std::int64_t* found, workspace& memory,
            int block_size = detail::compaction_block_size<Input>) {
  detail::require_count(count);
  const auto from = detail::reached<Executor>("in", in, count);
  const auto to = detail::written<Executor>("out", out, 0);
  const auto some = smaller<std::int64_t>(count, 1); // the number of written elements is not known yet
  detail::require_apart("in", from, count, "out", to, some, true);
  detail::require_apart("in", from, count, "found", found, 1, false);
  detail::require_apart("out", to, some, "found", found, 1, false);
  detail::note_parts(exec, std::byte{}, detail::users_part(in), predicate);
  detail::compact(exec, from, count, predicate, to, detail::nowhere{}, found, memory, block_size);
}

/// The same with a temporary workspace. Returns the number of found elements. Allocates and synchronises.
template <class Executor, class Input, class Predicate, class Output>
std::int64_t select(const Executor& exec, const Input& in, std::int64_t count, const Predicate& predicate,
                    const Output& out) {
  workspace memory;
  const auto found = make_buffer<std::int64_t>(exec, 1);
  select(exec, in, count, predicate, out, found.data(), memory);
  std::int64_t result = 0;
  exec.copy_to_host(&result, found.data(), sizeof(result));
  return result;
}

} // namespace evenly
