// SPDX-License-Identifier: Apache-2.0
// The work of threads that correspond to nodes or cells (differences, charges, fluxes), and the host references. As in
// uses.hpp, fused operations are explicit.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layouts/uses.hpp"

namespace evenly::layouts {

// ---- irreg: a solver on a mesh, one step: half the differences to all neighbours ----

struct differences_to_neighbours {
  const float* own;
  float* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    const auto values = traced(block, own);
    const auto sums = traced(block, out);
    const float mine = values[job];
    float sum = 0;
    load.each([&](float other) { sum += (mine - other) * 0.5f; });
    sums[job] = sum;
  }
};

template <class Executor> struct device_use<Executor, access_use::differences> {
  using element = float;
  using result = float;
  static constexpr double own_bytes = sizeof(result) + sizeof(element);
  buffer<element> a;

  device_use(const Executor& exec, const access_workload& of) : a(to_executor(exec, small_numbers(of))) {}
  auto body(const access_workload&, const element* own, result* out) const {
    return differences_to_neighbours{own, out};
  }
  /// All values are small multiples of a half, so sums are exact. The gain of one node is the loss of another: the
  /// total is zero.
  static std::optional<std::string> first_error(const access_workload& of, const std::vector<result>& found) {
    const auto threads = static_cast<std::size_t>(of.shape.threads);
    double all = 0;
    for (std::size_t t = 0; t < threads; ++t) {
      double sum = 0;
      for (std::int64_t r = 0; r < of.shape.references; ++r)
        sum += (small_number(static_cast<std::int64_t>(t)) -
                double{small_number(of.p[static_cast<std::size_t>(r) * threads + t])}) /
               2;
      if (found[t] != sum) return wrong_value("the sum at node", static_cast<std::int64_t>(t), found[t], sum);
      all += found[t];
    }
    if (all != 0) return wrong_value("the total gain of the nodes, up to", of.shape.threads, all, 0);
    return {};
  }
};

// ---- nbf: forces of charges and of Lennard-Jones on partners, in a box that is repeated on all sides ----

/// The difference to the nearest periodic image.
template <class T> EVENLY_FN T to_nearest(T difference, T box, T inverse_box) {
  return std::fma(-box, std::rint(difference * inverse_box), difference);
}
template <class T> EVENLY_FN void add_charge_force(T dx, T dy, T dz, T charges, T (&f)[3]) {
  const T squared = std::fma(dx, dx, std::fma(dy, dy, dz * dz));
  const T inverse = reciprocal(squared), sixth = inverse * inverse * inverse;
  const T apart = sixth * std::fma(T{lennard_jones_1}, sixth, -T{lennard_jones_2});
  const T force = inverse * std::fma(charges, std::sqrt(inverse), apart);
  f[0] = std::fma(dx, force, f[0]);
  f[1] = std::fma(dy, force, f[1]);
  f[2] = std::fma(dz, force, f[2]);
}

struct forces_of_charges {
  const atom_position* own;
  atom_position* out;
  float box, inverse_box;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    const auto positions = traced(block, own);
    const auto forces = traced(block, out);
    const atom_position me = positions[job];
    float f[3] = {};
    load.each([&](const atom_position& other) {
      add_charge_force(to_nearest(me.x - other.x, box, inverse_box),
                       to_nearest(me.y - other.y, box, inverse_box),
                       to_nearest(me.z - other.z, box, inverse_box), me.w * other.w, f);
    });
    forces[job] = atom_position{f[0], f[1], f[2], 0};
  }
};

template <class Executor> struct device_use<Executor, access_use::charges> {
  using element = atom_position;
  using result = atom_position;
  static constexpr double own_bytes = sizeof(result) + sizeof(element);
  buffer<element> a;

  device_use(const Executor& exec, const access_workload& of) : a(to_executor(exec, of.positions)) {}
  auto body(const access_workload& of, const element* own, result* out) const {
    return forces_of_charges{own, out, of.box, 1 / of.box};
  }
  /// An error bound per atom: rounding, relative to the length of the box for differences across its boundary, plus the
  /// whole term if the nearest periodic image is ambiguous. Lists are mutual, so momentum is conserved: the sum of all
  /// forces is zero.
  static std::optional<std::string> first_error(const access_workload& of, const std::vector<result>& found) {
    const auto threads = static_cast<std::size_t>(of.shape.threads);
    const double box = of.box;
    momentum law;
    for (std::size_t t = 0; t < threads; ++t) {
      double sum[3] = {}, rounding = 0, wrapping = 0, either_side = 0;
      for (std::int64_t r = 0; r < of.shape.references; ++r) {
        const atom_position
            &me = of.positions[t],
            &other = of.positions[static_cast<std::size_t>(of.p[static_cast<std::size_t>(r) * threads + t])];
        const double plain[3] = {static_cast<double>(me.x) - other.x, static_cast<double>(me.y) - other.y,
                                 static_cast<double>(me.z) - other.z};
        double apart[3];
        bool is_open = false;
        for (int i = 0; i < 3; ++i) {
          apart[i] = to_nearest(plain[i], box, 1 / box);
          is_open |= std::abs(std::abs(apart[i]) / box - 0.5) < 1e-5;
        }
        const double charges = static_cast<double>(me.w) * other.w;
        double f[3] = {};
        add_charge_force(apart[0], apart[1], apart[2], charges, f);
        const double squared = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
        const double sixth = 1 / (squared * squared * squared), length = std::sqrt(squared);
        const double max =
            (std::abs(charges) / length + sixth * (lennard_jones_1 * sixth + lennard_jones_2)) / length;
        (is_open ? either_side : rounding) += max;
        wrapping += max * box / length;
        for (int i = 0; i < 3; ++i) sum[i] += f[i];
      }
      const double bound = (static_cast<double>(of.shape.references) + 64) * 0x1p-22 * rounding +
                           0x1p-19 * wrapping + 3 * either_side;
      const double error =
          std::abs(found[t].x - sum[0]) + std::abs(found[t].y - sum[1]) + std::abs(found[t].z - sum[2]);
      if (!(error <= bound))
        return wrong_value("the force on atom", static_cast<std::int64_t>(t),
                           found[t].x + found[t].y + found[t].z, sum[0] + sum[1] + sum[2]);
      law.take(found[t], bound);
    }
    return law.error(of.shape.threads);
  }
};

// ---- cfd: Euler's equations, fluxes through the faces of cells (Rusanov 1961) ----

/// Derived values of a cell. The ratio of specific heats is 1.4, so the pressure is 0.4 of the inner energy.
template <class T> struct gas_cell {
  T density, momentum[3], energy;
  T inverse_density, inner_energy, enthalpy, speed; ///< speed: the maximum signal speed
};
template <class T> EVENLY_FN gas_cell<T> gas_cell_of(const gas_state& state) {
  gas_cell<T> made{
      state.density, {state.momentum[0], state.momentum[1], state.momentum[2]}, state.energy, 0, 0, 0, 0};
  const T(&m)[3] = made.momentum;
  const T squared = std::fma(m[0], m[0], std::fma(m[1], m[1], m[2] * m[2]));
  made.inverse_density = reciprocal(made.density);
  made.inner_energy = std::fma(T{-0.5} * made.inverse_density, squared, made.energy);
  made.enthalpy = std::fma(T(0.4), made.inner_energy, made.energy);
  const T sound = std::sqrt(T(0.56) * made.inner_energy * made.inverse_density);
  made.speed = std::fma(std::sqrt(squared), made.inverse_density, sound);
  return made;
}

/// Adds the flux out of cell `a` through a face with normal n to `out`. The neighbour is cell `b`, or a wall, which
/// only takes momentum.
template <class T>
EVENLY_FN void add_flux(const gas_cell<T>& a, const gas_cell<T>& b, const atom_position& face, T (&out)[5]) {
  const T n[3] = {face.x, face.y, face.z};
  if (face.w != 0) {
    const T pressure = T(0.4) * a.inner_energy;
    for (int i = 0; i < 3; ++i) out[1 + i] = std::fma(pressure, n[i], out[1 + i]);
    return;
  }
  const auto through = [&](const gas_cell<T>& of) {
    return std::fma(of.momentum[0], n[0], std::fma(of.momentum[1], n[1], of.momentum[2] * n[2]));
  };
  const T mass_a = through(a), mass_b = through(b);
  const T area = std::sqrt(std::fma(n[0], n[0], std::fma(n[1], n[1], n[2] * n[2])));
  const T fast = T{0.25} * area * (a.speed + b.speed);
  const T volume_a = mass_a * a.inverse_density, volume_b = mass_b * b.inverse_density;
  const T pressures = T(0.4) * (a.inner_energy + b.inner_energy);
  out[0] += std::fma(fast, a.density - b.density, T{0.5} * (mass_a + mass_b));
  for (int i = 0; i < 3; ++i) {
    const T both = std::fma(volume_a, a.momentum[i], std::fma(volume_b, b.momentum[i], pressures * n[i]));
    out[1 + i] += std::fma(fast, a.momentum[i] - b.momentum[i], T{0.5} * both);
  }
  const T energies = std::fma(volume_a, a.enthalpy, volume_b * b.enthalpy);
  out[4] += std::fma(fast, a.energy - b.energy, T{0.5} * energies);
}

struct fluxes_of_cells {
  const gas_state* own;
  const atom_position* faces; ///< [r * threads + job]
  std::int64_t threads;
  gas_state* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    const auto states = traced(block, own);
    const auto normals = traced(block, faces);
    const auto fluxes = traced(block, out);
    const gas_state state = states[job];
    const gas_cell<float> me = gas_cell_of<float>(state);
    float sum[5] = {};
    std::int64_t at = job;
    load.each([&](const gas_state& other) {
      const atom_position face = normals[at];
      add_flux(me, gas_cell_of<float>(other), face, sum);
      at += threads;
    });
    fluxes[job] = gas_state{sum[0], {sum[1], sum[2], sum[3]}, sum[4], {}};
  }
};

template <class Executor> struct device_use<Executor, access_use::fluxes> {
  using element = gas_state;
  using result = gas_state;
  static constexpr double own_bytes = sizeof(result) + sizeof(element) + 4 * sizeof(atom_position);
  buffer<element> a;
  buffer<atom_position> faces;

  device_use(const Executor& exec, const access_workload& of)
      : a(to_executor(exec, of.gas)), faces(to_executor(exec, of.faces)) {}
  /// `moved`: the faces of renumbered jobs; empty if jobs have their original numbers.
  auto body(const access_workload& of, const element* own, const buffer<atom_position>& moved,
            result* out) const {
    return fluxes_of_cells{own, moved.size() > 0 ? moved.data() : faces.data(), of.shape.threads, out};
  }
  /// The flux out of one cell goes into another, and none goes through walls: mass and energy are conserved.
  static std::optional<std::string> first_error(const access_workload& of, const std::vector<result>& found) {
    const auto threads = static_cast<std::size_t>(of.shape.threads);
    double mass = 0, energy = 0, bound_of_all = 0;
    for (std::size_t t = 0; t < threads; ++t) {
      const gas_cell<double> me = gas_cell_of<double>(of.gas[t]);
      double sum[5] = {}, max = 0;
      for (std::size_t r = 0; r < 4; ++r) {
        const std::size_t at = r * threads + t;
        const gas_cell<double> other = gas_cell_of<double>(of.gas[static_cast<std::size_t>(of.p[at])]);
        add_flux(me, other, of.faces[at], sum);
        const atom_position& n = of.faces[at];
        max += (std::abs(n.x) + std::abs(n.y) + std::abs(n.z)) * (max_through(me) + max_through(other));
      }
      const double bound = 0x1p-18 * max;
      const float all[5] = {found[t].density, found[t].momentum[0], found[t].momentum[1],
                            found[t].momentum[2], found[t].energy};
      for (int i = 0; i < 5; ++i)
        if (!(std::abs(all[i] - sum[i]) <= bound))
          return wrong_value("the flux out of cell", static_cast<std::int64_t>(t), all[i], sum[i]);
      mass += found[t].density;
      energy += found[t].energy;
      bound_of_all += bound;
    }
    if (!(std::abs(mass) <= bound_of_all))
      return wrong_value("the total mass lost by cells, up to", of.shape.threads, mass, 0);
    if (!(std::abs(energy) <= bound_of_all))
      return wrong_value("the total energy lost by cells, up to", of.shape.threads, energy, 0);
    return {};
  }

 private:
  /// Upper bound of the terms of a flux through an area of 1.
  static double max_through(const gas_cell<double>& of) {
    const double momentum = std::abs(of.momentum[0]) + std::abs(of.momentum[1]) + std::abs(of.momentum[2]);
    return (1 + of.speed) * (of.density + momentum + of.energy + of.enthalpy);
  }
};

} // namespace evenly::layouts
