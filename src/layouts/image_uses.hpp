// SPDX-License-Identifier: Apache-2.0
// The work of threads in independent calls (pixels, records), and the host references. Each call has other elements
// under the same P.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generate/random.hpp"
#include "layouts/uses.hpp"

namespace evenly::layouts {

// ---- unwrap: polar images of Cartesian ones, by linear interpolation ----

struct polar_pixels {
  const float* between; ///< for x, then for y
  std::int64_t threads;
  float* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    const auto parts = traced(block, between);
    const auto pixels = traced(block, out);
    const float x = parts[job], y = parts[threads + job];
    float of[4];
    int r = 0;
    load.each([&](float pixel) { of[r++] = pixel; });
    const float above = std::fma(x, of[1] - of[0], of[0]), below = std::fma(x, of[3] - of[2], of[2]);
    pixels[job] = std::fma(y, below - above, above);
  }
};

/// An image whose pixels are linear in x and y, so that interpolated values are exactly known.
struct linear_image {
  double first, x, y;
  linear_image(const access_workload& of, int call) {
    generate::random_sequence random(of.seed, generate::stream::values, static_cast<std::uint64_t>(call));
    first = 1 + random.below(64);
    x = 1 + random.below(64);
    y = 1 + random.below(64);
  }
  double at(double px, double py) const { return first + x * px + y * py; }
};

template <class Executor> struct device_use<Executor, access_use::pixels> {
  using element = float;
  using result = float;
  static constexpr double own_bytes = sizeof(result) + 2 * sizeof(float);
  buffer<element> a;
  buffer<float> between;

  device_use(const Executor& exec, const access_workload& of)
      : a(to_executor(exec, elements(of, 0))), between(to_executor(exec, of.between)) {}
  auto body(const access_workload& of, const element*, result* out) const {
    return polar_pixels{between.data(), of.shape.threads, out};
  }
  static std::vector<element> elements(const access_workload& of, int call) {
    const linear_image image(of, call);
    std::vector<element> made(static_cast<std::size_t>(of.shape.elements));
    for (int y = 0; y < of.side; ++y)
      for (int x = 0; x < of.side; ++x)
        made[static_cast<std::size_t>(y) * of.side + x] = static_cast<float>(image.at(x, y));
    return made;
  }
  static std::optional<std::string> first_error(const access_workload& of, const std::vector<result>& found,
                                                int call = 0) {
    const linear_image image(of, call);
    for (std::size_t t = 0; t < found.size(); ++t) {
      const int pixel = of.p[t];
      const double right = image.at(pixel % of.side + double{of.between[t]},
                                    pixel / of.side + double{of.between[found.size() + t]});
      if (!(std::abs(found[t] - right) <= 0x1p-20 * std::abs(right)))
        return wrong_value("the polar pixel", static_cast<std::int64_t>(t), found[t], right);
    }
    return {};
  }
  /// run(elements) returns the results of a call. Checks calls with different images, in any order.
  template <class Run>
  static std::optional<std::string> error_of_calls(const access_workload& of, const Run& run) {
    for (const int call : {2, 1})
      if (auto error = first_error(of, run(elements(of, call)), call)) return error;
    return {};
  }
};

// ---- nn: the nearest of records, chunk by chunk ----

struct record_distances {
  float x, y; ///< the point
  float* out;
  template <class Block, class Load>
  EVENLY_FN void operator()(Block& block, std::int64_t job, const Load& load) const {
    const auto distances = traced(block, out);
    const float dx = load(0) - x, dy = load(1) - y;
    distances[job] = std::fma(dx, dx, dy * dy);
  }
};

template <class Executor> struct device_use<Executor, access_use::records> {
  using element = float;
  using result = float;
  static constexpr double own_bytes = sizeof(result);
  buffer<element> a;

  device_use(const Executor& exec, const access_workload& of) : a(to_executor(exec, elements(of, 0))) {}
  auto body(const access_workload& of, const element*, result* out) const {
    const auto [x, y] = target(of);
    return record_distances{x, y, out};
  }
  /// The records of chunk `call`. Coordinates are whole numbers below `max`, so squared distances are exact.
  static std::vector<element> elements(const access_workload& of, std::int64_t call) {
    generate::random_sequence random(of.seed, generate::stream::values, static_cast<std::uint64_t>(call));
    std::vector<element> made(static_cast<std::size_t>(of.shape.elements));
    for (float& each : made) each = static_cast<float>(random.below(max));
    return made;
  }
  static std::optional<std::string> first_error(const access_workload& of, const std::vector<result>& found) {
    const std::vector<element> all = elements(of, 0);
    for (std::size_t t = 0; t < found.size(); ++t)
      if (const double right = distance(of, all, t); found[t] != right)
        return wrong_value("the squared distance of record", static_cast<std::int64_t>(t), found[t], right);
    return {};
  }
  /// run(elements) returns the results of a call. The nearest records of all chunks, the first of equal ones, must be
  /// those that a loop on the host finds.
  template <class Run>
  static std::optional<std::string> error_of_calls(const access_workload& of, const Run& run) {
    nearest_records found(of.nearest), right(of.nearest);
    for (std::int64_t chunk = 0; chunk < of.chunks; ++chunk) {
      const std::vector<element> all = elements(of, chunk);
      const std::vector<result> distances = run(all);
      for (std::size_t t = 0; t < distances.size(); ++t) {
        const std::int64_t record = chunk * of.shape.threads + static_cast<std::int64_t>(t);
        found.add(distances[t], record);
        right.add(distance(of, all, t), record);
      }
    }
    for (std::size_t i = 0; i < right.all.size(); ++i)
      if (found.all[i] != right.all[i])
        return wrong_value("of the nearest records, number", static_cast<std::int64_t>(i),
                           static_cast<double>(found.all[i].second),
                           static_cast<double>(right.all[i].second));
    return {};
  }

 private:
  static constexpr std::int64_t max = 2048;

  /// Distances and numbers of the nearest records so far, in ascending order.
  struct nearest_records {
    explicit nearest_records(int count) : max(static_cast<std::size_t>(count)) {}
    void add(double distance, std::int64_t record) {
      const std::pair<double, std::int64_t> each(distance, record);
      if (all.size() == max && !(each < all.back())) return;
      if (all.size() == max) all.pop_back();
      all.insert(std::ranges::upper_bound(all, each), each);
    }
    std::size_t max;
    std::vector<std::pair<double, std::int64_t>> all;
  };
  static std::pair<float, float> target(const access_workload& of) {
    generate::random_sequence random(of.seed, generate::stream::sources);
    const auto x = static_cast<float>(random.below(max));
    return {x, static_cast<float>(random.below(max))};
  }
  static double distance(const access_workload& of, const std::vector<element>& all, std::size_t t) {
    const auto [x, y] = target(of);
    const auto first = t * static_cast<std::size_t>(of.fields);
    const double dx = static_cast<double>(all[first]) - x, dy = static_cast<double>(all[first + 1]) - y;
    return dx * dx + dy * dy;
  }
};

} // namespace evenly::layouts
