// SPDX-License-Identifier: Apache-2.0
// The cpu executor in the part of one with devices: refusals where memory is of another one than expected.
#pragma once

#include "evenly/execution/cpu.hpp"

namespace evenly {

class on_device : public cpu {
 public:
  static constexpr bool on_host = false;

  explicit on_device(int number) : cpu(1), number_(number) {}
  int device() const { return number_; }

 private:
  int number_;
};

} // namespace evenly
