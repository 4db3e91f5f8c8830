// SPDX-License-Identifier: Apache-2.0
#include "python/gathers.hpp"

#include <chrono>
#include <complex>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evenly/layouts/choice/trials.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/plan.hpp"
#include "evenly/layouts/sort_threads.hpp"
#include "evenly/primitives/inputs.hpp"
#include "python/kept_plan.hpp"

namespace evenly::python {

namespace {

template <class T> struct write_element {
  T* y;
  template <class Block, class I, class Load> void operator()(Block&, I job, const Load& load) const {
    y[job] = load(0);
  }
};

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

template <class T, class I> class gather_of final : public gather {
 public:
  gather_of(const input& index, std::int64_t elements)
      : index_(index.as<I>()),
        shape_{.threads = index.rows, .elements = elements, .element_bytes = static_cast<int>(sizeof(T))} {
    unchanged_.emplace(layouts::make_access_plan(exec_, index_, shape_, {}, layouts::none{}));
    index_ = index_.assume_valid();
  }

  void run(const input& x, const output& y) override {
    const auto from = x.as<T>();
    const auto to = y.as<T>();
    detail::require_apart("x", from.data(), x.rows, "out", to.data(), y.rows, false);
    const bool is_sorted = trials_.next() == 1;
    if (is_sorted && !sorted_) {
      const auto begin = std::chrono::steady_clock::now();
      sorted_.emplace(layouts::make_access_plan(exec_, index_, shape_, {}, layouts::sort_threads<>{}));
      trials_.note_build(milliseconds(std::chrono::steady_clock::now() - begin));
    }
    if (trials_.runs_to_time() > 0 && timed_ == 0) begin_ = std::chrono::steady_clock::now();
    const T* const no_copy = nullptr;
    const write_element<T> body{to.data()};
    if (is_sorted)
      layouts::for_each_job(exec_, *sorted_, index_, from.data(), no_copy, body);
    else
      layouts::for_each_job(exec_, *unchanged_, index_, from.data(), no_copy, body);
    if (trials_.runs_to_time() == 0) return trials_.skip_run();
    if (++timed_ < trials_.runs_to_time()) return;
    trials_.note_runs(std::exchange(timed_, 0), milliseconds(std::chrono::steady_clock::now() - begin_));
  }
  std::string why() const override { return trials_.why(); }

 private:
  static constexpr int usual_runs = 500;
  /// What trials begin with: the order of what is read may halve the time.
  static std::vector<layouts::layout_estimate> estimates() {
    return {{"none", 1, 0}, {"sort_threads", 0.5, 0}};
  }

  cpu exec_ = executor();
  layouts::index_list<I> index_;
  layouts::access_shape shape_;
  std::optional<layouts::access_plan<cpu, layouts::none, I>> unchanged_;
  std::optional<layouts::access_plan<cpu, layouts::sort_threads<>, I>>
      sorted_; ///< made when it is first tried
  layouts::layout_trials trials_{estimates(), usual_runs};
  int timed_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

} // namespace

std::unique_ptr<gather> make_gather(const input& index, std::int64_t elements, element type) {
  std::unique_ptr<gather> made;
  with_element<std::uint32_t, std::uint64_t, std::complex<double>>("x", type, [&]<class T>(T) {
    with_index("index", index.type,
               [&]<class I>(I) { made = std::make_unique<gather_of<T, I>>(index, elements); });
  });
  return made;
}

} // namespace evenly::python
