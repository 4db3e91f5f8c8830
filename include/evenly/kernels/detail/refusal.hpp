// SPDX-License-Identifier: Apache-2.0
// How code in kernels refuses bad input. On the host it throws. On a GPU it ends the kernel: in checked builds by an
// assertion with the reason, otherwise by a trap, since even an unreached assertion costs a kernel registers.
#pragma once

#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/memory.hpp"

#if defined(__CUDACC__)
#include <cassert>
#endif

/// `rule`: the requirement, for a GPU. `words`: the message for the host, a std::string.
#if defined(__CUDA_ARCH__) && EVENLY_CHECKED
#define EVENLY_REFUSE(rule, words) __assert_fail(rule, __FILE__, __LINE__, "evenly")
#elif defined(__CUDA_ARCH__)
#define EVENLY_REFUSE(rule, words) __trap()
#else
#define EVENLY_REFUSE(rule, words) throw ::evenly::invalid_argument(words)
#endif
