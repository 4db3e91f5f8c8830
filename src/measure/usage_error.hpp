// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evenly/core/errors.hpp"

namespace evenly::measure {

/// An error in the command line. The message lists the alternatives.
class usage_error : public error {
 public:
  using error::error;
};

} // namespace evenly::measure
