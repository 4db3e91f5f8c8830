// SPDX-License-Identifier: Apache-2.0
// A bench: an executor with a problem's data on it, and everything that can be run there.
//
// This is the seam between commands, which know no executor, and executors, which are one translation unit
// each (bench_cpu.cpp, bench_simt.cpp, bench_cuda.cu). No CUDA type passes through it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/problem.hpp"

namespace evenly::cli {

enum class executor_kind { cpu, simt, cuda };

struct bench_options {
  int threads = 0;        ///< of the CPU; 0: all
  int block_size = 0;     ///< 0: each schedule's own
  std::uint64_t seed = 0; ///< of simt's interleaving; 0: in order
  bool warm = false;      ///< on cuda: whether a run may find its data in the L2 cache
};

/// One way of carrying out the problem's operation.
struct candidate {
  std::string name;  ///< in JSON; for a schedule the one that the user says
  std::string title; ///< in tables
  bool is_schedule = false;
  bool splits_tiles = false; ///< whether the threads of several blocks may share a tile
  std::vector<std::pair<std::string, int>> parameters = {};
  /// Does what is done once for a problem, and returns what is run often. The latter overwrites the bench's
  /// output and outlives neither the bench nor, on cuda, the call by the work that it starts.
  std::function<std::function<void()>()> prepare = {};
};

class bench {
 public:
  virtual ~bench() = default;

  /// What it runs on, for people: `2 threads`, a GPU's name.
  virtual std::string place() const = 0;
  /// Threads of the CPU that work at the same time; 0 on a GPU.
  virtual int threads() const = 0;
  /// All schedules in the registry's order, then what they are compared with.
  virtual std::vector<candidate> candidates() = 0;

  /// Overwrites the output with what no right result holds.
  virtual void poison() = 0;
  /// The output as it is once all work has ended.
  virtual output result() = 0;

  /// Milliseconds of one run, from its start to the end of all its work.
  virtual double time_once(const std::function<void()>& run) = 0;
  /// Reads bytes / 2 bytes and writes as many. The bench owns nothing of it.
  virtual std::function<void()> copy(std::int64_t bytes) = 0;
  /// Writes `bytes` bytes.
  virtual std::function<void()> fill(std::int64_t bytes) = 0;
};

/// `p` must outlive the bench. Throws device_error where there is no such executor.
std::unique_ptr<bench> make_bench(executor_kind kind, const problem& p, const bench_options& options);

/// Whether the cuda executor can be used here: the device's name, or the reason why not.
struct cuda_status {
  bool usable;
  std::string text;
};
cuda_status find_cuda();

std::string name_of(executor_kind kind);

/// One for each executor; make_bench chooses.
std::unique_ptr<bench> make_cpu_bench(const problem& p, const bench_options& options);
std::unique_ptr<bench> make_simt_bench(const problem& p, const bench_options& options);
#if defined(EVENLY_WITH_CUDA)
std::unique_ptr<bench> make_cuda_bench(const problem& p, const bench_options& options);
#endif

} // namespace evenly::cli
