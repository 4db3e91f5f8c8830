// SPDX-License-Identifier: Apache-2.0
// A ladder on an executor: its versions are the candidates of a bench (measure/bench.hpp). Versions that work in place
// get a new copy of the input before each run, untimed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "evenly/ladder/versions.hpp"
#include "ladder/ladder_problem.hpp"
#include "measure/bench.hpp"
#include "measure/work_on.hpp"

namespace evenly::ladder {

using measure::bench, measure::bench_options, measure::candidate, measure::copy_elements, measure::on_device,
    measure::prepared_run, measure::timer, measure::work_on;

} // namespace evenly::ladder

namespace evenly {

template <class Executor, class T> class measure::on_device<Executor, ladder::ladder_problem<T>> {
 public:
  using element = T;
  static constexpr T poison =
      std::is_same_v<T, float> ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::lowest();

  on_device(const Executor& exec, const ladder::ladder_problem<T>& p)
      : in_(to_executor(exec, p.in)), out_(make_buffer<T>(exec, static_cast<std::size_t>(p.outputs()))),
        work_(make_buffer<T>(exec, p.kind == ladder::ladder_kind::reduce ? p.in.size() : 0)) {}

  const T* in() const { return in_.data(); }
  std::span<T> out() const { return out_.span(); }
  /// Memory for versions that overwrite their input, of the same size; for reductions.
  T* work() const { return work_.data(); }

 private:
  buffer<T> in_;
  buffer<T> out_;
  buffer<T> work_;
};

} // namespace evenly

namespace evenly::ladder {

template <class Executor, class T> using ladder_work = work_on<Executor, ladder_problem<T>>;

/// The error of the output, or nothing.
template <class Executor, class T>
std::optional<std::string> check(ladder_work<Executor, T>& work, const ladder_problem<T>& p) {
  if (work.as_accepted()) return {};
  auto found = first_error(p, std::get<std::vector<T>>(work.result()));
  if (!found) work.accept();
  return found;
}

/// `prepare` returns the run. The problem must outlive the candidate.
template <class Executor, class T>
candidate ladder_candidate(const std::shared_ptr<ladder_work<Executor, T>>& work, const ladder_problem<T>& p,
                           const std::string& name, std::function<prepared_run()> prepare) {
  candidate made{.name = name, .title = name};
  made.prepare = std::move(prepare);
  made.first_error = [work, &p] { return check(*work, p); };
  return made;
}

template <class Executor, class T>
void copy_input(const Executor& exec, T* to, const T* from, std::int64_t n) {
  constexpr int block_size = 128;
  const std::int64_t per_block = items_per_block(exec, n, 64 * block_size);
  launch(exec, {block_count(n, per_block), block_size}, copy_elements<T>{{n, per_block}, to, from});
}

template <class Version, class Executor, class T, class Op>
prepared_run prepare_version(const Version& version, const std::shared_ptr<ladder_work<Executor, T>>& work,
                             const ladder_problem<T>& p, const Op& op) {
  const auto& exec = work->exec();
  const T* const in = work->data().in();
  T* const out = work->data().out().data();
  const std::int64_t n = p.n();
  if constexpr (requires { version(exec, in, n, n, out); }) {
    return {[=, &p] { version(work->exec(), in, p.rows, p.cols, out); }};
  } else {
    const auto memory = std::make_shared<ladder::room<T>>(version.template prepare<T>(exec, n));
    if constexpr (!requires { Version::destroys_input; }) {
      return {[=, &p] { version(work->exec(), p.prefix, in, n, op, out, *memory); }};
    } else if constexpr (Version::destroys_input) {
      T* const to = work->data().work();
      return {.run = [=] { version(work->exec(), to, n, op, out, *memory); },
              .before = [=] { copy_input(work->exec(), to, in, n); }};
    } else {
      return {[=] { version(work->exec(), in, n, op, out, *memory); }};
    }
  }
}

/// The versions of the problem's ladder, with block size `block_size` (0: the default of each version).
template <class Executor, class T, class Op>
std::vector<candidate> version_candidates(const std::shared_ptr<ladder_work<Executor, T>>& work,
                                          const ladder_problem<T>& p, int block_size, const Op& op) {
  std::vector<candidate> all;
  const auto add = [&](auto version) {
    if constexpr (requires { version.block_size; })
      if (block_size > 0) version.block_size = block_size;
    candidate made = ladder_candidate(
        work, p, version.name, [work, &p, version, op] { return prepare_version(version, work, p, op); });
    made.is_schedule = true;
    if constexpr (requires { version.block_size; })
      made.parameters.emplace_back("block_size", version.block_size);
    all.push_back(std::move(made));
  };
  if (p.kind == ladder_kind::reduce) ladder::for_each_reduction(add);
  if (p.kind == ladder_kind::scan) ladder::for_each_scan(add);
  if constexpr (std::is_same_v<Op, plus<T>>) // rotate combines nothing
    if (p.kind == ladder_kind::rotate) ladder::for_each_rotation(add);
  return all;
}

/// The same for the operations other than sums, in units of their own: operations_cpu.cpp and its neighbours.
template <class Executor, class T>
std::vector<candidate> operation_candidates(const std::shared_ptr<ladder_work<Executor, T>>& work,
                                            const ladder_problem<T>& p, int block_size);

/// A bench with the versions, followed by `others`, which compute sums. `p` must outlive it.
template <class Executor, class T>
bench version_bench(std::unique_ptr<timer> time, const std::shared_ptr<ladder_work<Executor, T>>& work,
                    const ladder_problem<T>& p, const std::vector<candidate>& others = {}) {
  return {std::move(time), work, [work, &p, others](int block_size) {
            if (p.operation != ladder_operation::sum) return operation_candidates(work, p, block_size);
            auto all = version_candidates(work, p, block_size, plus<T>());
            all.insert(all.end(), others.begin(), others.end());
            return all;
          }};
}

/// One function per executor.
bench make_cpu_ladder(const any_ladder_problem& p, const bench_options& options);
bench make_simt_ladder(const any_ladder_problem& p, const bench_options& options);
bench make_cuda_ladder(const any_ladder_problem& p, const bench_options& options);

} // namespace evenly::ladder
