// SPDX-License-Identifier: Apache-2.0
// How code that runs in kernels refuses what it is given: on the host by an exception, on a GPU by an assertion, which
// ends the kernel.
#pragma once

#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"

#if defined(__CUDACC__)
#include <cassert>
#endif

/// rule: what is required, for a GPU. words: what was found, a std::string, for the host.
#if defined(__CUDA_ARCH__)
#define EVENLY_REFUSE(rule, words) __assert_fail(rule, __FILE__, __LINE__, "evenly")
#else
#define EVENLY_REFUSE(rule, words) throw ::evenly::invalid_argument(words)
#endif
