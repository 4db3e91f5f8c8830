// SPDX-License-Identifier: Apache-2.0
#include "measure/executor_kind.hpp"

namespace evenly::measure {

std::string name_of(executor_kind kind) {
  switch (kind) {
  case executor_kind::cpu:
    return "cpu";
  case executor_kind::simt:
    return "simt";
  case executor_kind::cuda:
    break;
  }
  return "cuda";
}

} // namespace evenly::measure
