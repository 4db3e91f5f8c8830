// SPDX-License-Identifier: Apache-2.0
// A unit without AVX, in a program that has it where the machine does: called by serial_test.cpp.
#include "primitives/serial_unit.hpp"

namespace evenly::detail {

unit_without_avx of_unit_without_avx() {
  return {EVENLY_REGISTER_BYTES, &typeid(serial_unit::scan), &serial_unit::scanned<EVENLY_INTEGER_LANES>,
          &serial_unit::greatest<EVENLY_REGISTER_BYTES>};
}

} // namespace evenly::detail
