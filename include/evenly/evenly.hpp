// SPDX-License-Identifier: Apache-2.0
// Everything, for who does not want to choose. Single headers compile faster.
#pragma once

#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/registry.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/uniform.hpp"
