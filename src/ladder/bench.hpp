// SPDX-License-Identifier: Apache-2.0
// A ladder on an executor: its rungs as the candidates of a bench (bench.hpp). Rungs that work in place get the input
// again before each run, untimed.
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

#include "evenly/ladder/rungs.hpp"
#include "ladder/problem.hpp"
#include "measure/bench.hpp"
#include "measure/executor_bench.hpp"

namespace evenly::cli {

template <class Executor, class T> class placed<Executor, ladder_problem<T>> {
 public:
  using element = T;
  static constexpr T poison =
      std::is_same_v<T, float> ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::lowest();

  placed(const Executor& exec, const ladder_problem<T>& p)
      : in_(to_executor(exec, p.in)), out_(make_buffer<T>(exec, static_cast<std::size_t>(p.outputs()))),
        work_(make_buffer<T>(exec, p.kind == ladder_kind::reduce ? p.in.size() : 0)) {}

  const T* in() const { return in_.data(); }
  std::span<T> out() const { return out_.span(); }
  /// For what destroys its input: as large as that, for reductions.
  T* work() const { return work_.data(); }

 private:
  buffer<T> in_;
  buffer<T> out_;
  buffer<T> work_;
};

/// `Base`: a bench without candidates, of ladder_problem<T>, on some executor. The problem outlives it.
template <class Base, class T> class ladder_bench : public Base {
 public:
  template <class Executor>
  ladder_bench(const Executor& exec, const ladder_problem<T>& p, const bench_options& options)
      : Base(exec, p, options), problem_(p) {}

  std::vector<candidate> candidates(int block_size) override {
    std::vector<candidate> all;
    const auto add = [&](auto rung) {
      if constexpr (requires { rung.block_size; })
        if (block_size > 0) rung.block_size = block_size;
      all.push_back(make(rung));
    };
    if (problem_.kind == ladder_kind::reduce) ladder::for_each_reduction(add);
    if (problem_.kind == ladder_kind::scan) ladder::for_each_scan(add);
    if (problem_.kind == ladder_kind::rotate) ladder::for_each_rotation(add);
    return all;
  }

  double time_once(const std::function<void()>& run) override {
    if (before_) before_();
    return Base::time_once(run);
  }

 protected:
  const ladder_problem<T>& problem() const { return problem_; }

  /// What others do, to be compared with: `prepare` returns what is run.
  candidate other(const std::string& name, std::function<std::function<void()>()> prepare) {
    candidate made{.name = name, .title = name};
    made.prepare = [this, prepare]() -> prepared_run {
      before_ = {};
      return {prepare()};
    };
    made.first_error = [this] { return check(); };
    return made;
  }

 private:
  template <class Rung> candidate make(const Rung& rung) {
    candidate made = other(rung.name, [this, rung] { return prepare(rung); });
    made.is_schedule = true;
    if constexpr (requires { rung.block_size; }) made.parameters.emplace_back("block_size", rung.block_size);
    return made;
  }

  template <class Rung> std::function<void()> prepare(const Rung& rung) {
    const auto& exec = this->exec();
    const T* const in = this->data().in();
    T* const out = this->data().out().data();
    const std::int64_t n = problem_.n();
    const plus<T> op;
    if constexpr (requires { rung(exec, in, n, n, out); }) {
      return [=, &exec, &p = problem_] { rung(exec, in, p.rows, p.cols, out); };
    } else {
      const auto memory = std::make_shared<ladder::room<T>>(rung.template prepare<T>(exec, n));
      if constexpr (!requires { Rung::destroys_input; }) {
        return [=, &exec, &p = problem_] { rung(exec, p.prefix, in, n, op, out, *memory); };
      } else if constexpr (Rung::destroys_input) {
        T* const work = this->data().work();
        before_ = [=, this] { copy_input(work, in, n); };
        return [=, &exec] { rung(exec, work, n, op, out, *memory); };
      } else {
        return [=, &exec] { rung(exec, in, n, op, out, *memory); };
      }
    }
  }

  void copy_input(T* to, const T* from, std::int64_t n) const {
    constexpr int block_size = 128;
    const std::int64_t per_block = items_per_block(this->exec(), n, 64 * block_size);
    launch(this->exec(), {block_count(n, per_block), block_size}, copy_elements<T>{{n, per_block}, to, from});
  }

  std::optional<std::string> check() {
    if (this->as_accepted()) return {};
    auto found = first_error(problem_, std::get<std::vector<T>>(this->result()));
    if (!found) this->accept();
    return found;
  }

  const ladder_problem<T>& problem_;
  std::function<void()> before_; ///< what each run of the present candidate needs
};

/// One for each executor.
std::unique_ptr<bench> make_cpu_ladder(const any_ladder_problem& p, const bench_options& options);
std::unique_ptr<bench> make_simt_ladder(const any_ladder_problem& p, const bench_options& options);
std::unique_ptr<bench> make_cuda_ladder(const any_ladder_problem& p, const bench_options& options);

} // namespace evenly::cli
