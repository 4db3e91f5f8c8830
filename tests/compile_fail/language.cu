// SPDX-License-Identifier: Apache-2.0
// Before C++20 the whole library says one thing.
//
// WRONG=1, -std=c++17, says: evenly needs C++20: compile .cu with -std=c++20 (target_compile_options(app PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>))

#include "evenly/work/csr.hpp"

int main() {}
