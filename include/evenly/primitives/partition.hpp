// SPDX-License-Identifier: Apache-2.0
// partition: separates the elements for which a predicate holds from the others, each in order (compaction.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/compaction.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly {

namespace detail {

/// Whether the predicate holds for each element, as 0 or 1.
template <class Input, class Predicate> struct accepts {
  Input in;
  Predicate predicate;
  EVENLY_FN std::int64_t operator[](std::int64_t i) const { return predicate(in[i]) ? 1 : 0; }
};
template <class Input, class Predicate> accepts(Input, Predicate) -> accepts<Input, Predicate>;

/// `out` without its first *skipped elements.
template <class Output> struct behind {
  Output out;
  const std::int64_t* skipped;
  EVENLY_FN decltype(auto) operator[](std::int64_t i) const { return out[*skipped + i]; }
};
template <class Output> behind(Output, const std::int64_t*) -> behind<Output>;

} // namespace detail

/// Writes every in[i], i in [0, count), for which predicate(in[i]) holds to accepted[0], accepted[1], ..., and the
/// others to rejected[0], rejected[1], ..., both in order. Writes the number of accepted elements to *found.
///
/// - `in`: an input (inputs.hpp) of trivially copyable elements of at most 2,048 bytes.
/// - `predicate`: a trivially copyable function object that runs on `exec`; called once per element.
/// - `accepted`, `rejected`: outputs with enough room, which do not overlap.
/// - `found`: in memory of `exec`.
/// - `block_size`: threads per block, 1 to 1024; tuned for the default.
/// - Asynchronous on cuda.
/// - Throws invalid_argument if count is negative, or if an output (*found included) begins among the elements of `in`
///   or at the first element of another output.
/// - Cost: one pass; each element is read once and written once.
template <class Executor, class Input, class Predicate, class Accepted, class Rejected>
void partition(const Executor& exec, const Input& in, std::int64_t count, const Predicate& predicate,
               const Accepted& accepted, const Rejected& rejected, std::int64_t* found, workspace& memory,
               int block_size = detail::compaction_block_size<Input>) {
  detail::require_count(count);
  detail::note_parts(exec, std::byte{}, detail::users_part(in), predicate);
  const auto some = smaller<std::int64_t>(count, 1); // the number of written elements is not known yet
  const auto from = detail::reached<Executor>("in", in, count);
  const auto accepted_out = detail::written<Executor>("accepted", accepted, 0);
  const auto rest = detail::written<Executor>("rejected", rejected, 0);
  detail::require_apart("in", from, count, "accepted", accepted_out, some, false);
  detail::require_apart("in", from, count, "rejected", rest, some, false);
  detail::require_apart("accepted", accepted_out, some, "rejected", rest, some, false);
  detail::require_apart("in", from, count, "found", found, 1, false);
  detail::require_apart("accepted", accepted_out, some, "found", found, 1, false);
  detail::require_apart("rejected", rest, some, "found", found, 1, false);
  detail::compact(exec, from, count, predicate, accepted_out, rest, found, memory, block_size);
}

/// Writes first the elements of `in` for which the predicate holds, then the others, both in order, to `out`. Returns
/// the number of accepted elements. `out` has `count` elements and does not overlap `in`. Allocates and synchronises.
///
/// Cost: two passes, since the begin of the second part is known only after the first pass. Each element is read twice
/// and written once, and the predicate is called twice. Otherwise the same as above.
template <class Executor, class Input, class Predicate, class Output>
std::int64_t partition(const Executor& exec, const Input& in, std::int64_t count, const Predicate& predicate,
                       const Output& out) {
  detail::require_count(count);
  const auto from = detail::reached<Executor>("in", in, count);
  const auto to = detail::written<Executor>("out", out, count);
  detail::require_apart("in", from, count, "out", to, count, false);
  workspace memory;
  const auto found = make_buffer<std::int64_t>(exec, 1);
  reduce(exec, detail::accepts{from, predicate}, count, plus<std::int64_t>{}, found.data(), memory);
  detail::compact(exec, from, count, predicate, to, detail::behind{to, found.data()}, nullptr, memory,
                  detail::compaction_block_size<Input>);
  std::int64_t result = 0;
  exec.copy_to_host(&result, found.data(), sizeof(result));
  return result;
}

} // namespace evenly
