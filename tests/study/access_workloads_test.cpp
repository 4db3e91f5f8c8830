// SPDX-License-Identifier: Apache-2.0
// The inputs of evenly reorganize, by laws: mutual lists, meshes that are closed; and that wrong results are found.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/layouts/none.hpp"
#include "evenly/layouts/plan.hpp"
#include "layouts/access_workload.hpp"
#include "layouts/image_uses.hpp"
#include "layouts/mesh_uses.hpp"
#include "layouts/uses.hpp"

namespace evenly::cli {

using layouts::access_use, layouts::access_workload, layouts::atom_position, layouts::device_use,
    layouts::make_workload, layouts::momentum, layouts::to_nearest;

namespace {

int partner(const access_workload& of, std::int64_t r, std::int64_t t) {
  return of.p[static_cast<std::size_t>(r * of.shape.threads + t)];
}

TEST(Workloads, ListsAreMutual) {
  for (const char* text :
       {"irreg:n=216", "irreg:n=27,k=4,lists=random", "nbf:n=125,k=12,seed=7", "nbf:n=64,k=6,lists=random"}) {
    const access_workload made = make_workload(text, 64);
    std::map<std::pair<int, int>, int> pairs;
    for (std::int64_t t = 0; t < made.shape.threads; ++t)
      for (std::int64_t r = 0; r < made.shape.references; ++r) {
        const int other = partner(made, r, t);
        ASSERT_NE(other, t) << text;
        ++pairs[{static_cast<int>(t), other}];
      }
    for (const auto& [pair, count] : pairs) ASSERT_EQ(count, (pairs[{pair.second, pair.first}])) << text;
  }
}

TEST(Workloads, GeometricListsAreOfTheNearest) {
  const access_workload made = make_workload("nbf:n=216,k=6", 64);
  for (std::int64_t t = 0; t < made.shape.threads; ++t)
    for (std::int64_t r = 0; r < made.shape.references; ++r) {
      const atom_position &a = made.positions[static_cast<std::size_t>(t)],
                          &b = made.positions[static_cast<std::size_t>(partner(made, r, t))];
      const float apart = std::abs(to_nearest(a.x - b.x, made.box, 1 / made.box)) +
                          std::abs(to_nearest(a.y - b.y, made.box, 1 / made.box)) +
                          std::abs(to_nearest(a.z - b.z, made.box, 1 / made.box));
      ASSERT_LT(apart, 1 + 6 * 0.3);
      ASSERT_EQ(a.w * b.w, -1); // of the other charge
    }
}

TEST(Workloads, CellsAreClosedAndFacesFit) {
  for (const char* text : {"cfd:n=6", "cfd:n=162,seed=3"}) {
    const access_workload made = make_workload(text, 64);
    double walls = 0;
    for (std::int64_t t = 0; t < made.shape.threads; ++t) {
      std::array<double, 3> sum{};
      for (std::int64_t r = 0; r < 4; ++r) {
        const atom_position& face = made.faces[static_cast<std::size_t>(r * made.shape.threads + t)];
        sum[0] += face.x;
        sum[1] += face.y;
        sum[2] += face.z;
        const int other = partner(made, r, t);
        ASSERT_EQ(face.w, other == t ? 1 : 0);
        if (other == t) {
          walls += std::abs(face.x) + std::abs(face.y) + std::abs(face.z);
          continue;
        }
        int back = 0;
        for (std::int64_t q = 0; q < 4; ++q) {
          const atom_position& theirs = made.faces[static_cast<std::size_t>(q * made.shape.threads + other)];
          if (partner(made, q, other) == t && theirs.x == -face.x && theirs.y == -face.y &&
              theirs.z == -face.z)
            ++back;
        }
        ASSERT_EQ(back, 1) << text;
      }
      ASSERT_EQ(sum, (std::array<double, 3>{})) << text;
    }
    const double side = made.shape.threads == 6 ? 1 : 3;
    ASSERT_EQ(walls, 6 * side * side) << text; // the surface of the cube
  }
}

/// The results of the layout none, worked out by the body on one thread.
template <access_use Use> auto results_of(const access_workload& of) {
  const cpu exec(1);
  const device_use<cpu, Use> use(exec, of);
  const layouts::index_list<int> list(of.p);
  const auto plan =
      layouts::make_access_plan(exec, list, of.shape, layouts::access_objective{}, layouts::none{});
  const auto out =
      make_buffer<typename device_use<cpu, Use>::result>(exec, static_cast<std::size_t>(of.shape.threads));
  const typename device_use<cpu, Use>::element* const copy = nullptr;
  const auto run = [&](const auto& body) {
    layouts::for_each_job(exec, plan, list, use.a.data(), copy, body);
  };
  if constexpr (Use == access_use::fluxes)
    run(use.body(of, use.a.data(), {}, out.data()));
  else
    run(use.body(of, use.a.data(), out.data()));
  return to_host(exec, out);
}

/// Results are right, and are not if `spoil` has changed them.
template <access_use Use, class Spoil> std::string found_wrong(const char* text, const Spoil& spoil) {
  const access_workload of = make_workload(text, 64);
  auto results = results_of<Use>(of);
  EXPECT_EQ((device_use<cpu, Use>::first_error(of, results)), std::nullopt) << text;
  spoil(results);
  return device_use<cpu, Use>::first_error(of, results).value_or("nothing");
}

TEST(Workloads, WrongResultsAreFound) {
  EXPECT_EQ(
      found_wrong<access_use::differences>("irreg:n=27,k=4", [](auto& all) { all[5] += 0.5f; }).substr(0, 17),
      "the sum at node 5");
  EXPECT_EQ(
      found_wrong<access_use::charges>("nbf:n=64,k=6", [](auto& all) { all[9].y += 1e-2f; }).substr(0, 19),
      "the force on atom 9");
  EXPECT_EQ(
      found_wrong<access_use::fluxes>("cfd:n=48", [](auto& all) { all[7].energy += 1e-2f; }).substr(0, 22),
      "the flux out of cell 7");
  EXPECT_EQ(found_wrong<access_use::pixels>("unwrap:size=8", [](auto& all) { std::swap(all[20], all[40]); })
                .substr(0, 18),
            "the polar pixel 20");
  EXPECT_EQ(found_wrong<access_use::records>("nn:n=20", [](auto& all) { all[3] += 1; }).substr(0, 35),
            "the squared distance of record 3 is");
  EXPECT_EQ(
      found_wrong<access_use::forces>("md:n=4000,k=16", [](auto& all) { all[2].x += 1e6f; }).substr(0, 19),
      "the force on atom 2");
}

TEST(Workloads, MomentumThatIsLostIsFound) {
  momentum law;
  law.expect({1, 2, 3});
  law.take({0.5f, 1, 1.5f, 0}, 1e-6);
  law.take({0.5f, 1, 1.5f, 0}, 1e-6);
  EXPECT_EQ(law.error(2), std::nullopt);
  law.take({0, 1e-5f, 0, 0}, 1e-6);
  EXPECT_NE(law.error(3), std::nullopt);
}

TEST(Workloads, TheNearestOfAllChunksAreHeldAgainstTheHost) {
  const access_workload of = make_workload("nn:n=60,chunk=20,k=5", 64);
  using use = device_use<cpu, access_use::records>;
  const auto calls = [&](float of_the_last) {
    int chunk = 0;
    return use::error_of_calls(of, [&](const std::vector<float>& elements) {
      access_workload one = of;
      std::vector<float> found(20);
      const cpu exec(1);
      const device_use<cpu, access_use::records> placed(exec, of);
      const auto body = placed.body(of, nullptr, found.data());
      for (std::size_t t = 0; t < found.size(); ++t) {
        const float dx = elements[8 * t] - body.x, dy = elements[8 * t + 1] - body.y;
        found[t] = ++chunk == 60 ? of_the_last : dx * dx + dy * dy;
      }
      return found;
    });
  };
  EXPECT_EQ(calls(1e9f), std::nullopt); // is not among the nearest in any case
  EXPECT_NE(calls(-1), std::nullopt);
}

TEST(Workloads, ThreadsAreAboutElementsWhereTheUseSaysSo) {
  EXPECT_TRUE(make_workload("cfd:n=48", 64).is_graph());
  EXPECT_TRUE(make_workload("random:threads=8,elements=8", 64).is_graph());
  const access_workload square = make_workload("unwrap:size=16,radii=8,angles=32", 64);
  EXPECT_EQ(square.shape.threads, square.shape.elements);
  EXPECT_FALSE(square.is_graph());
  EXPECT_FALSE(make_workload("cg:n=1", 64).is_graph());
}

} // namespace
} // namespace evenly::cli
