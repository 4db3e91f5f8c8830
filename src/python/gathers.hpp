// SPDX-License-Identifier: Apache-2.0
// Repeated gathers by one index array: y[i] = x[index[i]], under the layout that is measured to be fastest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "python/arrays.hpp"

namespace evenly::python {

/// For x of one size and elements of 4, 8 or 16 bytes (uint32, uint64, complex128). One thread uses it at a time.
class gather {
 public:
  virtual ~gather() = default;
  /// x: as many elements as the plan is for; y: one for each index, apart from x.
  virtual void run(const input& x, const output& y) = 0;
  /// Which layout was chosen, and why.
  virtual std::string why() const = 0;
};

/// index: int32 or int64, which outlives the plan unchanged. Throws invalid_argument for an index that is not in
/// [0, elements).
std::unique_ptr<gather> make_gather(const input& index, std::int64_t elements, element type);

} // namespace evenly::python
