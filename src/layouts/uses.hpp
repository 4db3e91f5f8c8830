// SPDX-License-Identifier: Apache-2.0
// The work of threads on their elements (access_use) on an executor, and the host references.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/layouts/graph_orders.hpp"
#include "layouts/access_workload.hpp"

namespace evenly::layouts {

/// 1 / x; for floats on a GPU within one unit in the last place, which needs fewer instructions.
template <class T> EVENLY_FN T reciprocal(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == sizeof(float)) return __fdividef(1.0f, x);
#endif
  return 1 / x;
}

/// Adds the force of one atom on another to f; zero beyond the cutoff. Fused operations are explicit instead of left to
/// the compiler, so all layouts have the same bits.
template <class T> EVENLY_FN void add_force(T dx, T dy, T dz, T (&f)[3]) {
  const T squared = std::fma(dx, dx, std::fma(dy, dy, dz * dz));
  if (!(squared < T{cutoff_squared})) return;
  const T inverse = reciprocal(squared), sixth = inverse * inverse * inverse;
  const T force = inverse * sixth * std::fma(T{lennard_jones_1}, sixth, -T{lennard_jones_2});
  f[0] = std::fma(dx, force, f[0]);
  f[1] = std::fma(dy, force, f[1]);
  f[2] = std::fma(dz, force, f[2]);
}

struct forces_of_atoms {
  const atom_position* own;
  atom_position* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    const auto positions = traced(block, own);
    const auto forces = traced(block, out);
    const atom_position me = positions[job];
    float f[3] = {};
    load.each(
        [&](const atom_position& other) { add_force(me.x - other.x, me.y - other.y, me.z - other.z, f); });
    forces[job] = atom_position{f[0], f[1], f[2], 0};
  }
};

/// ByPosition: results stay in the order of positions, which may differ from that of jobs.
template <bool ByPosition> struct sums_of_elements {
  float* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    const auto sums = traced(block, out);
    float sum = 0;
    load.each([&](float value) { sum += value * 1.5f + 0.5f; });
    sums[ByPosition ? load.position : job] = sum;
  }
};

struct products_with_nonzeros {
  const double* nonzeros;
  double* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    const auto values = traced(block, nonzeros);
    const auto products = traced(block, out);
    const double value = values[job];
    products[job] = value * load(0);
  }
};

/// A use on an executor: its element type, its arrays, its body, the additional bytes per thread (`own_bytes`), and the
/// check of the results of none by a serial reference and a conservation law.
template <class Executor, access_use> struct device_use;

/// Every action has a reaction, so the sum of all forces is minus the sum of the unanswered ones.
class momentum {
 public:
  void expect(const double (&force)[3]) {
    for (std::size_t i = 0; i < 3; ++i) left_[i] -= force[i];
  }
  void take(const atom_position& force, double bound) {
    const float f[3] = {force.x, force.y, force.z};
    for (std::size_t i = 0; i < 3; ++i) left_[i] += f[i];
    bound_ += bound;
  }
  std::optional<std::string> error(std::int64_t atoms) const {
    for (const double each : left_)
      if (!(std::abs(each) <= bound_) && std::isfinite(bound_))
        return wrong_value("the sum of all forces, on atoms up to", atoms, each, 0);
    return {};
  }

 private:
  std::array<double, 3> left_ = {};
  double bound_ = 0;
};

template <class Executor> struct device_use<Executor, access_use::forces> {
  using element = atom_position;
  using result = atom_position;
  static constexpr double own_bytes = sizeof(result) + sizeof(element);
  buffer<element> a;

  device_use(const Executor& exec, const access_workload& of) : a(to_executor(exec, of.positions)) {}
  /// own: A in the order of jobs.
  auto body(const access_workload&, const element* own, result* out) const {
    return forces_of_atoms{own, out};
  }
  /// Checks some atoms if there are many, because all run the same code. The bound of an atom has the rounding of its
  /// terms and of their sum, plus each whole term whose distance is so close to the cutoff that it may be on either
  /// side.
  static std::optional<std::string> first_error(const access_workload& of, const std::vector<result>& found) {
    const auto threads = static_cast<std::size_t>(of.shape.threads);
    constexpr std::int64_t max = std::int64_t{1} << 24; // references
    const auto step = static_cast<std::size_t>(of.shape.total_references() / max + 1);
    const bool has_law = of.shape.total_references() <= max_for_momentum;
    momentum law;
    for (std::size_t t = 0; t < threads; t += step) {
      double sum[3] = {}, rounding = 0, either_side = 0;
      for (std::int64_t r = 0; r < of.shape.references; ++r) {
        const auto other = static_cast<std::size_t>(of.p[static_cast<std::size_t>(r) * threads + t]);
        const std::array<double, 3> apart = difference(of.positions[t], of.positions[other]);
        double f[3] = {};
        add_force(apart[0], apart[1], apart[2], f);
        const double squared = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
        const double sixth = 1 / (squared * squared * squared), length = std::sqrt(squared);
        const double magnitude = length / squared * sixth * (lennard_jones_1 * sixth + lennard_jones_2);
        (std::abs(squared - cutoff_squared) < 1e-4 ? either_side : rounding) += magnitude;
        for (int i = 0; i < 3; ++i) sum[i] += f[i];
        if (has_law && !refers(of, other, t)) law.expect(f);
      }
      const double bound =
          (static_cast<double>(of.shape.references) + 64) * 0x1p-22 * (rounding + either_side) +
          2 * either_side;
      law.take(found[t], bound);
      const double error =
          std::abs(found[t].x - sum[0]) + std::abs(found[t].y - sum[1]) + std::abs(found[t].z - sum[2]);
      if (!(error <= bound) && std::isfinite(bound))
        return wrong_value("the force on atom", static_cast<std::int64_t>(t),
                           found[t].x + found[t].y + found[t].z, sum[0] + sum[1] + sum[2]);
    }
    return has_law ? law.error(of.shape.threads) : std::nullopt;
  }

 private:
  static constexpr std::int64_t max_for_momentum = std::int64_t{1} << 21; ///< in references

  /// Whether thread t refers to an element.
  static bool refers(const access_workload& of, std::size_t t, std::size_t element) {
    for (std::int64_t r = 0; r < of.shape.references; ++r)
      if (static_cast<std::size_t>(of.p[static_cast<std::size_t>(r * of.shape.threads) + t]) == element)
        return true;
    return false;
  }
  static std::array<double, 3> difference(const atom_position& a, const atom_position& b) {
    return {static_cast<double>(a.x) - b.x, static_cast<double>(a.y) - b.y, static_cast<double>(a.z) - b.z};
  }
};

/// Small and different for neighbours, so that sums are exact.
inline float small_number(std::int64_t element) { return static_cast<float>(element * 7919 % 251); }
inline std::vector<float> small_numbers(const access_workload& of) {
  std::vector<float> elements(static_cast<std::size_t>(of.shape.elements));
  for (std::size_t e = 0; e < elements.size(); ++e) elements[e] = small_number(static_cast<std::int64_t>(e));
  return elements;
}

template <class Executor> struct device_use<Executor, access_use::sums> {
  using element = float;
  using result = float;
  static constexpr double own_bytes = sizeof(result);
  buffer<element> a;

  device_use(const Executor& exec, const access_workload& of) : a(to_executor(exec, small_numbers(of))) {}
  template <bool ByPosition = false> auto body(const access_workload&, const element*, result* out) const {
    return sums_of_elements<ByPosition>{out};
  }
  static std::optional<std::string> first_error(const access_workload& of, const std::vector<result>& found) {
    const auto threads = static_cast<std::size_t>(of.shape.threads);
    for (std::size_t t = 0; t < threads; ++t) {
      float sum = 0;
      for (std::int64_t r = 0; r < of.shape.references; ++r)
        sum += small_number(of.p[static_cast<std::size_t>(r) * threads + t]) * 1.5f + 0.5f;
      if (found[t] != sum)
        return wrong_value("the sum of thread", static_cast<std::int64_t>(t), found[t], sum);
    }
    return {};
  }
};

template <class Executor> struct device_use<Executor, access_use::products> {
  using element = double;
  using result = double;
  static constexpr double own_bytes = sizeof(result) + sizeof(element);
  buffer<element> a;
  buffer<double> nonzeros;

  static double element_of(std::int64_t e) { return 1.0 / static_cast<double>(e + 1); }
  device_use(const Executor& exec, const access_workload& of) : nonzeros(to_executor(exec, of.nonzeros)) {
    std::vector<double> elements(static_cast<std::size_t>(of.shape.elements));
    for (std::size_t e = 0; e < elements.size(); ++e) elements[e] = element_of(static_cast<std::int64_t>(e));
    a = to_executor(exec, elements);
  }
  auto body(const access_workload&, const element*, result* out) const {
    return products_with_nonzeros{nonzeros.data(), out};
  }
  static std::optional<std::string> first_error(const access_workload& of, const std::vector<result>& found) {
    for (std::size_t t = 0; t < found.size(); ++t)
      if (const double right = of.nonzeros[t] * element_of(of.p[t]);
          found[t] != right && !(std::isnan(found[t]) && std::isnan(right)))
        return wrong_value("the product of nonzero", static_cast<std::int64_t>(t), found[t], right);
    return {};
  }
};

} // namespace evenly::layouts
