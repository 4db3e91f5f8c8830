// SPDX-License-Identifier: Apache-2.0
// What executors.cpp says, by nvcc.
//
// WRONG=1 says: a plan needs an executor with the members that execution/executor.hpp requires
// WRONG=2 says: a plan needs an executor with the members that execution/executor.hpp requires
// WRONG=3 says: a plan needs an executor with the members that execution/executor.hpp requires
// WRONG=4 says: a plan needs an executor with the members that execution/executor.hpp requires

#include "executors.cpp"
