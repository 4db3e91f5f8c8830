// SPDX-License-Identifier: Apache-2.0
// The work of threads on their elements under every view of plans (use_interface.hpp). Include it in the translation
// unit of the executor only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "layouts/conjugate_gradient.hpp"
#include "layouts/image_uses.hpp"
#include "layouts/mesh_uses.hpp"
#include "layouts/use_interface.hpp"
#include "layouts/uses.hpp"

namespace evenly::layouts {

template <class Executor, access_use Use> class used_elements final : public use_interface<Executor> {
  using use = device_use<Executor, Use>;
  using layouts = layouts_of<Executor>;
  using element = typename use::element;
  using result = typename use::result;
  using planned = std::unique_ptr<plan_interface<Executor>>;
  static constexpr bool has_positions = has_places(Use);
  /// Whether layouts with the view are compiled: where kernels are only compiled, sums have all views, others one.
  template <class View>
  static constexpr bool compiles =
      !detail::only_compiles_kernels || Use == access_use::sums || std::is_same_v<View, indexed_view<int>>;

 public:
  /// `p`: the references on the executor, which outlive this.
  used_elements(const Executor& exec, const access_workload& of, const buffer<int>& p)
      : exec_(exec), of_(of), p_(p), use_(exec, of),
        out_(make_buffer<result>(exec, static_cast<std::size_t>(of.shape.threads))),
        touched_(layouts::touched(exec, index_list<int>(p), of.shape)) {}

  double own_bytes() const override { return use::own_bytes; }
  const atom_position* positions() const override {
    if constexpr (has_positions)
      return use_.a.data();
    else
      return nullptr;
  }
  std::size_t touched() const override { return touched_; }
  planned plan_of(const any_layout<Executor>& layout) override {
    return std::visit([&](const auto& each) { return plan_for(each); }, layout);
  }
  planned without_plan(const listed_layout<Executor>& none) override {
    return std::make_unique<plain>(*this, none);
  }
  void clear_results() override { exec_.fill_zero(out_.data(), out_.size() * sizeof(result)); }
  void run_through(access_pipeline<Executor, listed_layout<Executor>, int>& pipeline) override {
    pipeline.run(use_.a.data(), plain_body());
  }
  void run_through(access_pipeline<Executor, shared_layout<Executor>, int>& pipeline) override {
    if constexpr (compiles<share_view<int>>) pipeline.run(use_.a.data(), plain_body());
  }
  std::optional<std::string> first_error() override { return first_error_of(results()); }

 private:
  /// A plan with its copy, for the references of one epoch.
  template <class View> struct prepared {
    typename layouts::template plan<View> plan;
    buffer<element> copy;
    buffer<element> moved;       ///< A, committed to the plan's order
    buffer<atom_position> faces; ///< likewise, for the faces of fluxes

    const buffer<int>* order() const { return plan.arrays().order; }
  };

  template <class View>
  prepared<View> prepare(const index_list<int>& list, const erased_layout<Executor, View>& layout) const {
    prepared<View> made{layouts::make(exec_, list, of_.shape, layout), {}, {}, {}};
    made.copy = make_buffer<element>(exec_, static_cast<std::size_t>(made.plan.slots()));
    if (made.order() != nullptr) {
      made.moved = moved_by(*made.order());
      if constexpr (Use == access_use::fluxes) made.faces = faces_moved_by(*made.order());
    }
    return made;
  }

  template <class View> const element* data_of(const prepared<View>& made) const {
    return made.moved.size() > 0 ? made.moved.data() : use_.a.data();
  }
  template <class View> void refresh(const prepared<View>& made) const {
    made.plan.refresh(exec_, data_of(made), made.copy.data());
  }
  buffer<element> moved_by(const buffer<int>& order) const {
    auto moved = make_buffer<element>(exec_, use_.a.size());
    permute(exec_, order, use_.a.data(), moved.data());
    return moved;
  }
  buffer<atom_position> faces_moved_by(const buffer<int>& order) const {
    auto moved = make_buffer<atom_position>(exec_, use_.faces.size());
    for (std::size_t first = 0; first < moved.size(); first += order.size())
      permute(exec_, order, use_.faces.data() + first, moved.data() + first);
    return moved;
  }
  template <bool Left, class View>
  void run(const Executor& exec, const index_list<int>& list, const prepared<View>& made) const {
    const auto on = [&](const auto& body) {
      for_each_job(exec, made.plan, list, data_of(made), static_cast<const element*>(made.copy.data()), body);
    };
    if constexpr (Left)
      on(use_.template body<true>(of_, data_of(made), out_.data()));
    else if constexpr (Use == access_use::fluxes)
      on(use_.body(of_, data_of(made), made.faces, out_.data()));
    else
      on(use_.body(of_, data_of(made), out_.data()));
  }

  /// The body for A in its original order.
  auto plain_body() const {
    if constexpr (Use == access_use::fluxes)
      return use_.body(of_, use_.a.data(), buffer<atom_position>{}, out_.data());
    else
      return use_.body(of_, use_.a.data(), out_.data());
  }
  std::vector<result> results() const { return to_host(exec_, out_); }

  /// Results in the original order of threads.
  template <bool Left, class View> std::vector<result> results_of(const prepared<View>& made) const {
    std::vector<result> found = to_host(exec_, out_);
    if (made.order() != nullptr && of_.is_graph()) return by_old_numbers(std::move(found), *made.order());
    if constexpr (Left) return by_old_numbers(std::move(found), *made.plan.arrays().jobs);
    return found;
  }
  std::vector<result> by_old_numbers(std::vector<result> found, const buffer<int>& numbers) const {
    const std::vector<int> order = to_host(exec_, numbers);
    std::vector<result> by_thread(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) by_thread[static_cast<std::size_t>(order[i])] = found[i];
    return by_thread;
  }
  /// Positions, velocities and numbers of atoms, reordered in each epoch. The lists built afterwards are those of P
  /// with other numbers; building them is not timed, as for all layouts.
  template <class View> class lists_in_order {
   public:
    using layout_type = made_in_order<erased_order<Executor>, erased_layout<Executor, View>>;

    lists_in_order(const used_elements& on, const layout_type& layout)
        : layout_(layout), old_list_(index_list<int>(on.p_, 1).assume_valid()),
          made_(layouts::in_order(on.exec_, old_list_, on.of_.shape, layout.order)),
          velocities_(make_buffer<element>(on.exec_, on.use_.a.size())),
          moved_velocities_(make_buffer<element>(on.exec_, on.use_.a.size())),
          numbers_(layouts::numbers(on.exec_, on.of_.shape.elements)),
          moved_numbers_(make_buffer<int>(on.exec_, on.use_.a.size())) {
      on.exec_.fill_zero(velocities_.data(), velocities_.size() * sizeof(element));
    }

    index_list<int> list() const { return index_list<int>(made_.index, 1).assume_valid(); }
    prepared<View> prepare(const used_elements& on) const {
      const buffer<int> order = layout_.order(on.exec_, old_list_, on.of_.shape);
      buffer<element> moved = on.moved_by(order);
      permute(on.exec_, order, velocities_.data(), moved_velocities_.data());
      permute(on.exec_, order, numbers_.data(), moved_numbers_.data());
      return {layouts::make(on.exec_, list(), on.of_.shape, layout_.on), {}, std::move(moved), {}};
    }
    std::vector<result> results(const used_elements& on) const {
      return on.by_old_numbers(to_host(on.exec_, on.out_), made_.order);
    }

   private:
    layout_type layout_;
    index_list<int> old_list_;
    detail::reordered_references<int> made_;
    buffer<element> velocities_, moved_velocities_;
    buffer<int> numbers_, moved_numbers_;
  };

  /// Left: results stay in the order of positions.
  template <bool Left, class View> class gather final : public plan_interface<Executor> {
   public:
    gather(used_elements& on, const erased_layout<Executor, View>& layout) : on_(on), layout_(layout) {}
    void prepare(const index_list<int>& list) override {
      made_.reset();
      made_.emplace(on_.prepare(list, layout_));
    }
    void drop() override { made_.reset(); }
    bool has_copy() const override { return made_->plan.slots() > 0; }
    void refresh() const override { on_.refresh(*made_); }
    void run(const Executor& exec, const index_list<int>& list) const override {
      on_.template run<Left>(exec, list, *made_);
    }
    std::optional<std::string> first_error() const override {
      return on_.first_error_of(on_.template results_of<Left>(*made_));
    }
    std::optional<std::string> error_of_calls(const index_list<int>& list) const override {
      return on_.error_of_calls(list, *made_);
    }
    void note(layout_result& found) const override { on_.note_plan(*made_, found); }

   private:
    used_elements& on_;
    erased_layout<Executor, View> layout_;
    std::optional<prepared<View>> made_;
  };

  class plain final : public plan_interface<Executor> {
   public:
    plain(used_elements& on, const listed_layout<Executor>& layout) : on_(on), layout_(layout) {}
    void prepare(const index_list<int>& list) override { list_ = list; }
    void drop() override {}
    bool has_copy() const override { return false; }
    void refresh() const override {}
    void run(const Executor& exec, const index_list<int>& list) const override {
      for_each_job(exec, list, on_.of_.shape, on_.use_.a.data(), on_.plain_body());
    }
    std::optional<std::string> first_error() const override { return on_.first_error(); }
    std::optional<std::string> error_of_calls(const index_list<int>&) const override { return {}; }
    void note(layout_result& found) const override { on_.note_plan(on_.prepare(list_, layout_), found); }

   private:
    used_elements& on_;
    listed_layout<Executor> layout_;
    index_list<int> list_;
  };

  /// The lists are those of the order; the given list has no effect on them.
  template <class View> class in_order final : public plan_interface<Executor> {
    using lists_type = lists_in_order<View>;

   public:
    in_order(used_elements& on, const typename lists_type::layout_type& layout)
        : on_(on), lists_(on, layout) {}
    void prepare(const index_list<int>&) override {
      made_.reset();
      made_.emplace(lists_.prepare(on_));
    }
    void drop() override { made_.reset(); }
    bool has_copy() const override { return false; }
    void refresh() const override {}
    void run(const Executor& exec, const index_list<int>&) const override {
      on_.template run<false>(exec, lists_.list(), *made_);
    }
    std::optional<std::string> first_error() const override {
      return on_.first_error_of(lists_.results(on_));
    }
    std::optional<std::string> error_of_calls(const index_list<int>&) const override { return {}; }
    void note(layout_result& found) const override { on_.note_plan(*made_, found); }

   private:
    used_elements& on_;
    lists_type lists_;
    std::optional<prepared<View>> made_;
  };

  template <class Other> planned plan_for(const Other&) { return nullptr; }
  template <class View> planned plan_for(const erased_layout<Executor, View>& layout) {
    if constexpr (compiles<View>)
      return std::make_unique<gather<false, View>>(*this, layout);
    else
      return nullptr;
  }
  planned plan_for(const left_in_order<listed_layout<Executor>>& layout) {
    if constexpr (Use == access_use::sums)
      return std::make_unique<gather<true, indexed_view<int>>>(*this, layout.layout);
    else
      return nullptr;
  }
  template <class View>
  planned plan_for(const made_in_order<erased_order<Executor>, erased_layout<Executor, View>>& layout) {
    if constexpr (has_positions && compiles<View>)
      return std::make_unique<in_order<View>>(*this, layout);
    else
      return nullptr;
  }

  std::optional<std::string> first_error_of(std::vector<result> found) {
    if (!has_right_) {
      auto error = use::first_error(of_, found);
      right_ = std::move(found);
      has_right_ = !error;
      return error;
    }
    for (std::size_t t = 0; t < found.size(); ++t)
      if (std::memcmp(&found[t], &right_[t], sizeof(result)) != 0)
        return "the result of thread " + std::to_string(t) + " differs in bits from the layout none";
    return {};
  }

  /// The error of calls with different elements.
  template <class View>
  std::optional<std::string> error_of_calls(const index_list<int>& list, const prepared<View>& made) const {
    if constexpr (about_elements(Use)) {
      return {};
    } else {
      const auto call = [&](const element* x) {
        made.plan.refresh(exec_, x, made.copy.data());
        for_each_job(exec_, made.plan, list, x, static_cast<const element*>(made.copy.data()),
                     use_.body(of_, x, out_.data()));
      };
      if constexpr (Use == access_use::products) {
        return of_.solves ? solver_error(call) : std::nullopt;
      } else {
        return use::error_of_calls(of_, [&](const std::vector<element>& elements) {
          const auto x = to_executor(exec_, elements);
          call(x.data());
          return to_host(exec_, out_);
        });
      }
    }
  }
  template <class Call> std::optional<std::string> solver_error(const Call& call) const {
    const auto side = static_cast<int>(std::llround(std::sqrt(static_cast<double>(of_.shape.elements))));
    const int right = unpermuted_iterations(side);
    const cg_outcome found = solve_by_cg(exec_, of_, out_.data(), call);
    if (found.iterations != right)
      return "takes " + std::to_string(found.iterations) + " iterations, but " + std::to_string(right) +
             " without permutation";
    if (!(found.residual <= 10 * cg_tolerance))
      return "leaves a residual of " + std::to_string(found.residual / cg_tolerance) + " times the tolerance";
    return {};
  }

  template <class View> void note_plan(const prepared<View>& made, layout_result& found) const {
    note_sizes(made, found);
    found.estimate = forecast(exec_, made.plan, data_of(made), static_cast<const element*>(made.copy.data()));
  }
  template <class View> void note_sizes(const prepared<View>& made, layout_result& found) const {
    found.plan_bytes = made.plan.bytes();
    found.copy_bytes = made.plan.copy_bytes();
    const auto uncopied =
        static_cast<std::size_t>(std::max<std::int64_t>(of_.shape.total_references() - made.plan.slots(), 0));
    const bool reads_a = found.copy_bytes == 0 || (found.plan_bytes == 0 && uncopied > 0);
    found.footprint_bytes = (found.plan_bytes > 0 ? found.plan_bytes : uncopied * sizeof(int)) +
                            found.copy_bytes + (reads_a ? touched_ * sizeof(element) : 0);
  }

  const Executor& exec_;
  const access_workload& of_;
  const buffer<int>& p_;
  use use_;
  buffer<result> out_;
  std::size_t touched_;
  bool has_right_ = false;
  std::vector<result> right_;
};

/// For run_layouts: makes the used_elements of a workload. The executor and the workload outlive them.
template <class Executor> auto used_elements_of(const Executor& exec, const access_workload& of) {
  return [&](const buffer<int>& p) {
    return with_use(of.use, [&]<access_use Use>() -> std::unique_ptr<use_interface<Executor>> {
      return std::make_unique<used_elements<Executor, Use>>(exec, of, p);
    });
  };
}

} // namespace evenly::layouts
