// SPDX-License-Identifier: Apache-2.0
// Before C++20 the whole library says one thing.
//
// WRONG=1, -std=c++17, says: evenly needs C++20: compile with -std=c++20
// WRONG=2, -std=gnu++14, says: evenly needs C++20: compile with -std=c++20

#include "evenly/evenly.hpp"

int main() {}
