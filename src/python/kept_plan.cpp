// SPDX-License-Identifier: Apache-2.0
#include "python/kept_plan.hpp"

#include <atomic>
#include <limits>

#include "evenly/core/errors.hpp"
#include "runtime/plan_on.hpp"

namespace evenly::python {

namespace {

std::atomic<int> chosen_threads{0};

} // namespace

int threads() { return chosen_threads.load(); }
void set_threads(int count) {
  require(count >= 0, [&] { return "threads = " + std::to_string(count) + ": must not be negative"; });
  chosen_threads.store(count);
}

place make_place(const std::string& schedule, const std::string& on) {
  require(on == "cpu" || on == "simt",
          [&] { return "on = '" + on + "' is not an executor of this package; there are cpu and simt"; });
  return {any_schedule(schedule), on == "simt"};
}

kept_plan::kept_plan(const input& offsets, const place& where, work_kind work)
    : offsets_(offsets), is_simulated_(where.is_simulated) {
  require(offsets.rows > 0,
          [] { return "offsets is empty: it must have one more element than there are segments"; });
  require(offsets.rows - 1 <= std::numeric_limits<int>::max() - 1, [&] {
    return detail::concat(offsets.rows - 1, " rows or segments are more than a 32-bit number can count");
  });
  const auto make = [&]<class Executor, class Offset>(const Executor& exec, Offset) {
    const csr_tile_set<Offset> segments(offsets_.as<Offset>().data(), static_cast<int>(tiles()));
    erased_ = std::make_shared<detail::plan_on<Executor, Offset>>(exec, where.schedule, segments, work);
  };
  if (is_simulated_) {
    offsets_ = widened(offsets_, copy_);
    make(simt({.threads = threads()}), std::int64_t{});
  } else {
    with_index("offsets", offsets_.type, [&](auto offset) { make(executor(), offset); });
  }
}
kept_plan::~kept_plan() = default;

std::int64_t kept_plan::atoms() const {
  return visit([](const auto& plan) { return plan.atoms(); });
}
const std::string& kept_plan::schedule_name() const {
  return visit([](const auto& plan) -> const std::string& { return plan.schedule_name(); });
}
const std::string& kept_plan::explain() const {
  return visit([](const auto& plan) -> const std::string& { return plan.explain(); });
}

} // namespace evenly::python
