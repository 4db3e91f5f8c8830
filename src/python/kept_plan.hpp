// SPDX-License-Identifier: Apache-2.0
// The plan of a matrix's rows or of segments, for operations of this folder and those of evenly::runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <variant>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/runtime/any_plan.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "python/arrays.hpp"

namespace evenly::detail {
template <class Executor, class Offset> class plan_on;
}

namespace evenly::python {

/// How many threads the cpu executor uses: what threads(n) set, else all cores.
int threads();
void set_threads(int count);
inline cpu executor() { return cpu(threads()); }

/// Where an operation runs, and under which schedule.
struct place {
  any_schedule schedule = any_schedule("automatic");
  bool is_simulated = false; ///< on simt, else on cpu
  /// Whether it is cpu with the library's choice of a schedule.
  bool is_default() const { return !is_simulated && schedule.is_automatic(); }
};
place make_place(const std::string& schedule, const std::string& on);

/// Offsets as int64: those of int32 are copied, on cpu.
input widened(const input& offsets, buffer<std::int64_t>& copy);

/// One thread uses it at a time; `busy` is for its users.
class kept_plan {
 public:
  /// `offsets`: tiles + 1 values of int32 or int64, which outlive the plan unchanged. Throws what make_plan throws.
  kept_plan(const input& offsets, const place& where, work_kind work);
  ~kept_plan();

  std::int64_t tiles() const { return offsets_.rows - 1; }
  std::int64_t atoms() const;
  const std::string& schedule_name() const;
  const std::string& explain() const;
  /// On simt they have 64 bits: a copy of offsets of 32 bits.
  const input& offsets() const { return offsets_; }
  bool is_simulated() const { return is_simulated_; }

  /// Calls body(erased): a plan_on<cpu or simt, Offset>&. Its header is runtime/plan_on.hpp.
  template <class Body> decltype(auto) visit(const Body& body) const {
    return std::visit([&](const auto& each) -> decltype(auto) { return body(*each); }, erased_);
  }

  std::mutex busy;

 private:
  buffer<std::int64_t> copy_;
  input offsets_;
  bool is_simulated_;
  std::variant<std::shared_ptr<detail::plan_on<cpu, int>>,
               std::shared_ptr<detail::plan_on<cpu, std::int64_t>>,
               std::shared_ptr<detail::plan_on<simt, std::int64_t>>>
      erased_;
};

} // namespace evenly::python
