// SPDX-License-Identifier: Apache-2.0
// Before C++20 the whole library says one thing.
//
// WRONG=1, -std=c++17, says: evenly needs C++20: nvcc -std=c++20, or target_compile_options(app PRIVATE

#include "evenly/work/csr.hpp"

int main() {}
