// SPDX-License-Identifier: Apache-2.0
// A bench: an executor with a problem's data on it, and everything that can be run there.
//
// This is the seam between commands, which know no executor, and executors, which have translation units of their
// own: bench_cpu_*.cpp, bench_simt_*.cpp, bench_cuda_*.cu, one for each kind of operation, because each compiles every
// schedule. No CUDA type passes through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/executor_kind.hpp"
#include "measure/problem.hpp"

namespace evenly::cli {

struct bench_options {
  int threads = 0;        ///< of the CPU; 0: all
  std::uint64_t seed = 0; ///< of simt's interleaving; 0: in order
  bool warm = false;      ///< on cuda: whether a run may find its data in the L2 cache
};

/// One kernel launch of a plan.
struct launch_note {
  int blocks = 0;
  int block_size = 0;      ///< 1 on cpu
  std::size_t storage = 0; ///< bytes for each block, schedule and skeleton together
  int cutting = 0;         ///< blocks that may share a tile with others
};

/// What is run often.
struct prepared_run {
  std::function<void()> run;
  std::vector<launch_note> launches = {}; ///< of a schedule's plan
};

/// One way of carrying out the problem's operation.
struct candidate {
  std::string name;  ///< in JSON; for a schedule the one that the user says
  std::string title; ///< in tables
  bool is_schedule = false;
  std::vector<std::string> also =
      {}; ///< schedules that are one and the same as this where it runs, and not timed
  std::vector<std::pair<std::string, int>> parameters = {};
  /// Does what is done once for a problem, and returns what is run often. The latter writes the bench's output
  /// and outlives neither the bench nor, on cuda, the call by the work that it starts.
  std::function<prepared_run()> prepare = {};
  /// Called when its turn has been timed: brings to rest what would disturb the next one.
  std::function<void()> afterwards = {};
  /// Says what is wrong with a run into a poisoned output, where the output is not to be the problem's result.
  std::function<std::optional<std::string>()> first_error = {};
};

class bench {
 public:
  virtual ~bench() = default;

  /// What it runs on, for people: `2 threads`, a GPU's name.
  virtual std::string place() const = 0;
  /// Threads of the CPU that work at the same time; 0 on a GPU.
  virtual int threads() const = 0;
  /// All schedules in the registry's order with blocks of `block_size` threads (0: each schedule's own), then what they
  /// are compared with.
  virtual std::vector<candidate> candidates(int block_size) = 0;

  /// Overwrites the output with what no right result holds.
  virtual void poison() = 0;
  /// The output as it is once all work has ended.
  virtual output result() = 0;
  /// Keeps a copy of the output where it is, as one that is right.
  virtual void accept() = 0;
  /// Whether the output has the same bits as the one that was accepted: then nothing has to be brought to the host to
  /// know that it is right.
  virtual bool as_accepted() = 0;

  /// Bytes of the executor's memory that are in use by the problem and by what was prepared for it.
  virtual std::size_t memory_in_use() const = 0;

  /// Milliseconds of one run, from its start to the end of all its work.
  virtual double time_once(const std::function<void()>& run) = 0;
  /// Reads bytes / 2 bytes and writes as many. The bench owns nothing of it.
  virtual std::function<void()> copy(std::int64_t bytes) = 0;
  /// Writes `bytes` bytes.
  virtual std::function<void()> fill(std::int64_t bytes) = 0;
  /// Starts a kernel that does nothing; none where running a kernel costs no start.
  virtual std::function<void()> nothing() { return {}; }
};

/// `p` must outlive the bench. Throws device_error where there is no such executor.
std::unique_ptr<bench> make_bench(executor_kind kind, const problem& p, const bench_options& options);

/// Whether the cuda executor can be used here: the device's name, or the reason why not.
struct cuda_status {
  bool usable;
  std::string text;
};
cuda_status find_cuda();

/// Those that can be used here.
std::vector<executor_kind> usable_executors();

/// Where a command runs that runs on one executor and is told none: cuda, or cpu without a GPU.
executor_kind usual_executor();

/// Throws device_error where there is no such executor.
void require_executor(executor_kind kind);

/// One for each executor and kind of problem; make_bench chooses.
template <class Problem>
std::unique_ptr<bench> make_cpu_bench(const Problem& p, const bench_options& options);
template <class Problem>
std::unique_ptr<bench> make_simt_bench(const Problem& p, const bench_options& options);
template <class Problem>
std::unique_ptr<bench> make_cuda_bench(const Problem& p, const bench_options& options);

} // namespace evenly::cli
