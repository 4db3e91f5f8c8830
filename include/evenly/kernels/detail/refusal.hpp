// SPDX-License-Identifier: Apache-2.0
// How code that runs in kernels refuses what it is given: on the host by an exception; on a GPU it ends the kernel, in
// checked builds by an assertion that says why, else by a trap: the call of an assertion costs a kernel registers even
// where it is never reached.
#pragma once

#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/in_use.hpp"

#if defined(__CUDACC__)
#include <cassert>
#endif

/// rule: what is required, for a GPU. words: what was found, a std::string, for the host.
#if defined(__CUDA_ARCH__) && EVENLY_CHECKED
#define EVENLY_REFUSE(rule, words) __assert_fail(rule, __FILE__, __LINE__, "evenly")
#elif defined(__CUDA_ARCH__)
#define EVENLY_REFUSE(rule, words) __trap()
#else
#define EVENLY_REFUSE(rule, words) throw ::evenly::invalid_argument(words)
#endif
