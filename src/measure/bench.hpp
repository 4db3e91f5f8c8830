// SPDX-License-Identifier: Apache-2.0
// A bench: a timer, a problem's data where it runs, and what can be run on it.
//
// This is the seam between commands, which know no executor, and executors, which have translation units of their
// own: cpu.cpp, simt.cpp and cuda.cu in src/benches; the tour has other ones. No CUDA type passes through it.
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

namespace evenly {
class cpu;
class cuda;
class simt;
class trace;
} // namespace evenly

namespace evenly::measure {

struct bench_options {
  int threads = 0;                ///< of the CPU; 0: all
  std::uint64_t seed = 0;         ///< of simt's interleaving; 0: in order
  bool warm = false;              ///< on cuda: whether a run may find its data in the L2 cache
  evenly::trace* trace = nullptr; ///< on simt: counts what is launched
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
  std::function<void()> before = {};      ///< what each run needs to find, done untimed
  std::string chosen = {};                ///< the schedule that `automatic` chose
  std::string why = {};                   ///< it chose that
};

/// One way of carrying out the problem's operation.
struct candidate {
  std::string name;  ///< in JSON; for a schedule the one that the user says
  std::string title; ///< in tables
  bool is_schedule = false;
  bool in_rows = false;               ///< beside another format: of the same matrix in compressed rows
  std::vector<std::string> also = {}; ///< schedules that run the same code where this one runs
  std::string same_as = {}; ///< the one that names this one in `also`: they are one row of the table
  bool is_repeat = false;   ///< another preparation of a candidate, which tells the noise and is no result
  std::vector<std::pair<std::string, int>> parameters = {};
  /// Does what is done once for a problem, and returns what is run often. The latter writes the bench's output
  /// and outlives neither the bench nor, on cuda, the call by the work that it starts.
  std::function<prepared_run()> prepare = {};
  /// Called when its turn has been timed: brings to rest what would disturb the next one.
  std::function<void()> afterwards = {};
  /// Says what is wrong with a run into a poisoned output, where the output is not to be the problem's result.
  std::function<std::optional<std::string>()> first_error = {};
};

/// Where runs are timed, and what speeds are compared with there.
class timer {
 public:
  virtual ~timer() = default;

  /// What it runs on, for people: `2 threads`, a GPU's name.
  virtual std::string place() const = 0;
  /// Threads of the CPU that work at the same time; 0 on a GPU.
  virtual int threads() const = 0;
  /// Milliseconds of one run, from its start to the end of all its work.
  virtual double time_once(const std::function<void()>& run) = 0;
  /// Reads bytes / 2 bytes and writes as many. The timer owns nothing of it.
  virtual std::function<void()> copy(std::int64_t bytes) = 0;
  /// Writes `bytes` bytes.
  virtual std::function<void()> fill(std::int64_t bytes) = 0;
  /// Starts a kernel that does nothing; none where running a kernel costs no start.
  virtual std::function<void()> nothing() { return {}; }
  /// Computes on as many threads as the runs do, for `ms` milliseconds of processor time each: what it takes longer by
  /// the clock is what other programs take. None where other programs do not share the processors.
  virtual std::function<void()> compute(double /*ms*/) { return {}; }
};

/// A problem's output where it is computed.
class device_output {
 public:
  virtual ~device_output() = default;

  /// Overwrites it with what no right result holds.
  virtual void poison() = 0;
  /// A copy on the host, once all work has ended.
  virtual output result() = 0;
  /// Keeps a copy where it is, as one that is right.
  virtual void accept() = 0;
  /// Whether it has the same bits as the one that was accepted: then nothing has to be brought to the host to know that
  /// it is right.
  virtual bool as_accepted() = 0;
  /// Bytes of the executor's memory that are in use by the problem and by what was prepared for it.
  virtual std::size_t memory_in_use() const = 0;
};

/// An output that candidates check themselves: all that it does is to be spoiled.
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

/// What packing a matrix's columns took, and what it saves.
struct packing_cost {
  std::int64_t bytes = 0;
  std::int64_t unpacked_bytes = 0;
  double build_ms = 0;
};

struct bench {
  std::unique_ptr<timer> time;
  std::shared_ptr<device_output> out;
  /// All that can be run with blocks of `block_size` threads (0: each one's own): schedules in the registry's order,
  /// then what they are compared with.
  std::function<std::vector<candidate>(int block_size)> candidates;
  /// One schedule; none where `candidates` are no plain schedules.
  std::function<candidate(const any_schedule&)> candidate_of = {};
  /// Of packed columns: the same schedule without them.
  std::function<candidate(const any_schedule&)> unpacked_of = {};
  std::optional<packing_cost> packing = {};
};

/// Milliseconds of one run.
double time_once(bench& on, const prepared_run& each);

/// What needs no preparation: `run` is timed, and right() says whether what it has left is right.
candidate plain_candidate(const std::string& name, std::function<void()> run, std::function<bool()> right);

/// `p` must outlive the bench. Throws device_error where there is no such executor.
bench make_bench(executor_kind kind, const problem& p, const bench_options& options);

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

/// Returns make.template operator()<Executor>() of the executor `kind`. Throws device_error if it is not available.
template <class Make> auto with_executor(executor_kind kind, const Make& make) {
  require_executor(kind);
#if defined(EVENLY_WITH_CUDA)
  if (kind == executor_kind::cuda) return make.template operator()<cuda>();
#endif
  return kind == executor_kind::cpu ? make.template operator()<cpu>() : make.template operator()<simt>();
}

/// One for each executor; make_bench chooses.
bench make_cpu_bench(const problem& p, const bench_options& options);
bench make_simt_bench(const problem& p, const bench_options& options);
bench make_cuda_bench(const problem& p, const bench_options& options);

} // namespace evenly::measure
