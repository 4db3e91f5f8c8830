// SPDX-License-Identifier: Apache-2.0
// What executors.cpp says, by nvcc.
//
// WRONG=1 says: a plan is made on an executor, which has what execution/executor.hpp says
// WRONG=2 says: a plan is made on an executor, which has what execution/executor.hpp says
// WRONG=3 says: a plan is made on an executor, which has what execution/executor.hpp says
// WRONG=4 says: a plan is made on an executor, which has what execution/executor.hpp says

#include "executors.cpp"
