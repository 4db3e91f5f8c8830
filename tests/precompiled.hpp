// SPDX-License-Identifier: Apache-2.0
// What nearly every test includes from elsewhere, read once for all of them (tests/CMakeLists.txt): a second of each
// file's compile time. Nothing of ours, so that it rarely changes; tests include what they use all the same.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/context/detail/fcontext.hpp>
#if !defined(EVENLY_STD_THREADS)
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

#include <gtest/gtest.h>
