// SPDX-License-Identifier: Apache-2.0
// Findings about small kernels, each of which does one thing wrong; and about one that does nothing wrong.
#include "evenly/trace/explain.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"

namespace evenly {
namespace {

constexpr int threads = 64, blocks = 4;

/// A kernel made of a generic lambda.
template <class Body> struct kernel_with_floats {
  const Body* body;
  int floats;

  slot<float> lay_out(storage_layout& layout, block_shape) const { return layout.take<float>(floats); }
  template <class Block> void operator()(Block& block) const {
    storage_layout layout;
    (*body)(block, block.storage(lay_out(layout, block.shape())));
  }
};

/// Of a launch with 64 Ki floats of memory.
template <class Body> std::vector<finding> findings_about(const Body& body, int floats = 1) {
  trace counts(keep_profiles{});
  const simt exec({.trace = &counts});
  const auto memory = make_buffer<float>(exec, 1 << 16);
  std::fill(memory.data(), memory.data() + memory.size(), 1.F);
  const auto with_memory = [&](auto& block, auto storage) { body(block, memory.data(), storage); };
  const explanation found = explain("a kernel", counts, [&] {
    launch(exec, {blocks, threads}, kernel_with_floats<decltype(with_memory)>{&with_memory, floats});
  });
  return findings_of(found);
}

template <class Block> int thread_of(const Block& block) { return block.index() * threads + block.rank(); }

void expect_one(const std::vector<finding>& found, finding_kind kind, unsigned line,
                const std::string& observation) {
  ASSERT_EQ(found.size(), 1u) << (found.empty() ? "" : to_text(found[0]) + to_text(found.back()));
  const finding& each = found[0];
  EXPECT_EQ(each.kind, kind);
  EXPECT_EQ(each.observation.substr(0, observation.size()), observation);
  EXPECT_TRUE(each.advice.ends_with('.')) << each.advice;
  EXPECT_GT(each.cost, 0);
  EXPECT_LE(each.cost, 1);
  if (line > 0) {
    EXPECT_TRUE(each.file.ends_with("explain_test.cpp")) << each.file;
    EXPECT_EQ(each.line, line);
    const std::string text = to_text(each);
    EXPECT_EQ(text.substr(0, text.find(':')), "explain_test.cpp");
    EXPECT_EQ(text.find("    | " + each.source.substr(0, 20)) != std::string::npos, !each.source.empty());
  }
}

TEST(Findings, NoneAboutAKernelThatDoesAllRight) {
  const auto found = findings_about([](auto& block, float* at, auto) {
    const auto all = traced(block, at);
    const float value = all[thread_of(block)];
    all[thread_of(block)] = value + 1;
  });
  EXPECT_TRUE(found.empty()) << to_text(found[0]);
}

TEST(Findings, TransposedAccessHasItsDistanceAndLine) {
  const unsigned line = __LINE__ + 3;
  const auto found = findings_about([&](auto& block, float* at, auto) {
    const auto all = traced(block, at);
    const float value = all[thread_of(block) % 100 * 600];
    all[60000 + thread_of(block)] = value;
  });
  expect_one(
      found, finding_kind::strided_access, line,
      "load: lane i reads 2,400 bytes from lane i + 1: transposed access; a request takes 32.00 sectors");
  ASSERT_FALSE(found.empty());
  // The compiler may have received a path relative to its working directory.
  EXPECT_EQ(found[0].source,
            !std::ifstream(found[0].file) ? "" : "const float value = all[thread_of(block) % 100 * 600];");
}

TEST(Findings, MembersOfStructuresAreStrided) {
  const unsigned line = __LINE__ + 2;
  expect_one(
      findings_about([&](auto& block, float* at, auto) { traced(block, at)[3 * thread_of(block)] = 1.F; }),
      finding_kind::strided_access, line, "store: lane i writes 12 bytes from lane i + 1: strided access");
}

TEST(Findings, ScatteredAccess) {
  expect_one(findings_about([&](auto& block, float* at, auto) {
               const int t = thread_of(block);
               const float value = traced(block, at)[t * t * 13 % 60000];
               traced(block, at + 64000)[t] = value;
             }),
             finding_kind::scattered_access, 0, "load: lanes have no common stride");
}

TEST(Findings, MisalignedAccess) {
  expect_one(findings_about([&](auto& block, float* at, auto) {
               const float value = traced(block, at + 1)[thread_of(block)];
               traced(block, at + 4096)[thread_of(block)] = value;
             }),
             finding_kind::misaligned_access, 0, "load: neighboring lanes access neighboring elements");
}

TEST(Findings, RepeatedLoads) {
  expect_one(findings_about([&](auto& block, float* at, auto) {
               for (int i = 0; i < 8; ++i) {
                 const float value = traced(block, at)[thread_of(block)];
                 traced(block, at + 4096 * (i + 1))[thread_of(block)] = value;
               }
             }),
             finding_kind::repeated_load, 0, "load: a block loads each sector 8.0 times");
}

TEST(Findings, BankConflicts) {
  const unsigned line = __LINE__ + 1;
  expect_one(findings_about([&](auto& block, float*, auto storage) { storage[32 * block.rank()] = 1.F; },
                            32 * threads),
             finding_kind::bank_conflict, line,
             "storage store: lane i writes 128 bytes from lane i + 1 in shared memory: bank conflicts; a "
             "request takes 32.00 wavefronts, where 1.00 are enough");
}

TEST(Findings, AtomicConflicts) {
  trace counts(keep_profiles{});
  const simt exec({.trace = &counts});
  const auto sum = make_buffer<int>(exec, 1);
  *sum.data() = 0;
  const auto body = [&](auto&, auto) { atomic_ref(*sum.data()).fetch_add(1); };
  const auto found = findings_of(explain(
      "sum", counts, [&] { launch(exec, {blocks, threads}, kernel_with_floats<decltype(body)>{&body, 1}); }));
  expect_one(found, finding_kind::atomic_conflict, 0, "atomic: 31.0 of 32.0 lanes wait");
}

TEST(Findings, IdleLanesWarpsAndSlots) {
  const auto found = findings_about([&](auto& block, float* at, auto) {
    if (block.rank() >= 2 || block.index() > 0) return;
    for (int i = 0; i < 64; ++i) traced(block, at)[1024 * i + block.rank()] = 1.F;
  });
  std::vector<finding_kind> kinds;
  for (const finding& each : found) {
    kinds.push_back(each.kind);
    EXPECT_EQ(each.file.empty(), each.kind != finding_kind::idle_lanes);
  }
  EXPECT_EQ(kinds,
            (std::vector{finding_kind::idle_lanes, finding_kind::idle_slots, finding_kind::idle_warps}));
}

TEST(Explain, TextHasTheFindingsAndNoLongLines) {
  trace counts(keep_profiles{});
  const simt exec({.trace = &counts});
  const auto memory = make_buffer<float>(exec, 1 << 16);
  const auto body = [&](auto& block, auto) { traced(block, memory.data())[8 * thread_of(block)] = 1.F; };
  const explanation found = explain("stores", counts, [&] {
    launch(exec, {blocks, threads}, kernel_with_floats<decltype(body)>{&body, 1});
  });
  EXPECT_EQ(found.totals().global_store_requests, 8);
  const std::string text = to_text(found);
  EXPECT_NE(text.find("stores, counted on simt"), std::string::npos);
  EXPECT_NE(text.find("lane i writes 32 bytes from lane i + 1"), std::string::npos) << text;
  for (std::size_t from = 0, end; (end = text.find('\n', from)) != std::string::npos; from = end + 1)
    EXPECT_LE(end - from, 100u) << text.substr(from, end - from);
}

TEST(Explain, RefusesATraceWithoutProfiles) {
  trace counts;
  EXPECT_THROW(explain("nothing", counts, [] {}), invalid_argument);
}

} // namespace
} // namespace evenly
