// SPDX-License-Identifier: Apache-2.0
// A bench: a timer, the data of a problem on an executor, and the candidates that run on it.
//
// It separates commands, which know no executor, from executors, which have their own translation units: cpu.cpp,
// simt.cpp and cuda.cu in src/benches. The tour has its own benches. The interface has no CUDA types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"
#include "measure/executor_kind.hpp"
#include "measure/problem.hpp"
#include "peers/peer.hpp"

namespace evenly {
class cpu;
class cuda;
class simt;
class trace;
} // namespace evenly

namespace evenly::measure {

struct bench_options {
  int threads = 0;                ///< CPU threads; 0: all
  int ranks = 0;                  ///< as --ranks (ranks/rank_words.hpp); 0: none
  std::uint64_t seed = 0;         ///< of the interleaving on simt; 0: in order
  bool warm = false;              ///< on cuda: do not clear the L2 cache before a run
  evenly::trace* trace = nullptr; ///< on simt: counts the launches
};

/// One kernel launch of a plan.
struct launch_note {
  int blocks = 0;
  int block_size = 0;      ///< 1 on cpu
  std::size_t storage = 0; ///< bytes per block, of schedule and skeleton together
  int cutting = 0;         ///< blocks that may share a tile with others
};

/// A run that is repeated.
struct prepared_run {
  std::function<void()> run;
  std::vector<launch_note> launches = {}; ///< launches of the plan of a schedule
  std::function<void()> before = {};      ///< prepares each run, untimed
  std::string chosen = {};                ///< the schedule that `automatic` chose
  std::string why = {};                   ///< the reason for the choice
  std::function<void()> store = {};       ///< copies the result to the output before its check, untimed
};

/// One implementation of the problem's operation.
struct candidate {
  std::string name;  ///< in JSON; for a schedule the user's spelling
  std::string title; ///< in tables
  bool is_schedule = false;
  bool in_rows = false;               ///< a baseline of another format: the same matrix in compressed rows
  std::vector<std::string> also = {}; ///< schedules with the same code on this executor
  std::string same_as = {}; ///< the candidate that lists this one in `also`: both are one row of the table
  bool is_repeat = false;   ///< a second preparation of a candidate, to measure the noise; not a result
  std::vector<std::pair<std::string, int>> parameters = {};
  /// Prepares the problem once and returns the run to repeat. The run writes the bench's output. Neither the run nor
  /// the work that it starts may outlive the bench.
  std::function<prepared_run()> prepare = {};
  /// Called after a turn has been timed, to stop activity that would disturb the next turn.
  std::function<void()> afterwards = {};
  /// Checks a run with a poisoned output if the output is not the result of the problem.
  std::function<std::optional<std::string>()> first_error = {};
};

/// Times runs on an executor, and measures reference speeds.
class timer {
 public:
  virtual ~timer() = default;

  /// The hardware, for people: `2 threads`, or the name of a GPU.
  virtual std::string place() const = 0;
  /// Number of CPU threads that run at the same time; 0 on a GPU.
  virtual int threads() const = 0;
  /// Milliseconds of one run, from its start until all its work is finished.
  virtual double time_once(const std::function<void()>& run) = 0;
  /// Returns a function that reads bytes / 2 bytes and writes as many.
  virtual std::function<void()> copy(std::int64_t bytes) = 0;
  /// Returns a function that writes `bytes` bytes.
  virtual std::function<void()> fill(std::int64_t bytes) = 0;
  /// Returns a function that starts an empty kernel; empty if launches are free.
  virtual std::function<void()> nothing() { return {}; }
  /// Returns a function that computes on as many threads as the runs, for `ms` milliseconds of processor time each:
  /// additional wall time is the delay by other programs. Empty if other programs do not share the processors.
  virtual std::function<void()> compute(double /*ms*/) { return {}; }
};

/// The output of a problem in the memory of the executor.
class device_output {
 public:
  virtual ~device_output() = default;

  /// Overwrites the output with values that no correct result has.
  virtual void poison() = 0;
  /// A copy on the host, after all work has finished.
  virtual output result() = 0;
  /// Keeps a copy as a correct result.
  virtual void accept() = 0;
  /// Whether the output has the same bits as the accepted copy. If so, it need not be copied to the host for a check.
  virtual bool as_accepted() = 0;
  /// Bytes of the executor's memory used by the problem and by prepared candidates.
  virtual std::size_t memory_in_use() const = 0;
};

/// An output that candidates check themselves; it is only poisoned.
class unchecked_output : public device_output {
 public:
  explicit unchecked_output(std::function<void()> spoil = [] {}) : spoil_(std::move(spoil)) {}

  void poison() override { spoil_(); }
  output result() override { return std::vector<int>{}; }
  void accept() override {}
  bool as_accepted() override { return false; }
  std::size_t memory_in_use() const override { return 0; }

 private:
  std::function<void()> spoil_;
};

/// Costs and savings of packed columns.
struct packing_cost {
  std::int64_t bytes = 0;
  std::int64_t unpacked_bytes = 0;
  double build_ms = 0;
};

struct bench {
  std::unique_ptr<timer> time;
  std::shared_ptr<device_output> out;
  /// All candidates with block size `block_size` (0: the default of each): schedules in the order of the registry, then
  /// the baselines.
  std::function<std::vector<candidate>(int block_size)> candidates;
  /// The candidate of one schedule; empty if `candidates` are not plain schedules.
  std::function<candidate(const any_schedule&)> candidate_of = {};
  /// For packed columns: the same schedule with unpacked columns.
  std::function<candidate(const any_schedule&)> unpacked_of = {};
  std::optional<packing_cost> packing = {};
  /// Checks the output for all candidates that do not check themselves; empty if a reference does.
  std::function<std::optional<std::string>()> first_error = {};
  /// The same operation for peers, which write the output; empty if no peer has it.
  std::optional<peers::problem> for_peers = {};
};

/// Milliseconds of one run.
double time_once(bench& on, const prepared_run& each);

/// A candidate without preparation: `run` is timed, and right() checks its output.
candidate plain_candidate(const std::string& name, std::function<void()> run, std::function<bool()> right);

/// `p` must outlive the bench. Throws device_error if the executor is not available.
bench make_bench(executor_kind kind, const problem& p, const bench_options& options);

/// Whether the cuda executor is usable: the name of the device, or the reason.
struct cuda_status {
  bool usable;
  std::string text;
};
cuda_status find_cuda();

/// All usable executors.
std::vector<executor_kind> usable_executors();

/// The default executor of commands: cuda, or cpu without a GPU.
executor_kind usual_executor();

/// Throws device_error if the executor is not available.
void require_executor(executor_kind kind);

/// Returns make.template operator()<Executor>() for the executor `kind`. Throws device_error if it is not available.
template <class Make> auto with_executor(executor_kind kind, const Make& make) {
  require_executor(kind);
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) return make.template operator()<cuda>();
#endif
  return kind == executor_kind::cpu ? make.template operator()<cpu>() : make.template operator()<simt>();
}

/// One function per executor, for make_bench.
bench make_cpu_bench(const problem& p, const bench_options& options);
bench make_simt_bench(const problem& p, const bench_options& options);
bench make_cuda_bench(const problem& p, const bench_options& options);

} // namespace evenly::measure
