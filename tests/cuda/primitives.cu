// SPDX-License-Identifier: Apache-2.0
// reduce, the scans, tabulate and order_by_key on a GPU: the laws, on a stream of one's own, in a graph, and for more
// elements than 32 bits can count. Tests whose name begins with Reduced are few and small enough for compute-sanitizer.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "measure/own_stream.hpp"
#include "primitives/promises.hpp"
#include "primitives/scan_laws.hpp"

namespace evenly::primitives {
namespace {

TEST(PrimitivesOnCuda, KeepTheLaws) {
  const cuda exec;
  workspace memory;
  expect_scan_laws<stretches>(exec, lengths_to(2100), memory);
  expect_scan_laws<float_sum>(exec, lengths_to(2100), memory);
  expect_scan_laws<stretches>(exec, lengths_around_powers(12, 21), memory);
  expect_scan_laws<float_sum>(exec, lengths_around_powers(12, 22), memory);
}

TEST(PrimitivesOnCuda, ScanBytesSixteenAtATime) {
  const cuda exec;
  workspace memory;
  const prefixes_of<latest_byte> all(200'000);
  const auto in = to_executor(exec, all.values);
  guarded<std::uint8_t, cuda> out(exec, 200'000);
  for (const std::int64_t n : {0, 1, 15, 16, 17, 1000, 32'767, 32'768, 32'769, 200'000}) {
    inclusive_scan(exec, in.data(), n, latest_byte{}, out.poisoned(0, n), memory);
    const auto found = out.taken(std::to_string(n));
    EXPECT_TRUE(same_bits(found, {all.prefixes.begin() + 1, all.prefixes.begin() + 1 + n})) << n;
  }
}

TEST(PrimitivesOnCuda, TabulateAndSort) { expect_tables_and_sorts(cuda()); }

TEST(ReducedPrimitivesOnCuda, KeepTheLaws) {
  const own_stream stream;
  const cuda exec(stream.get());
  workspace memory;
  const std::vector<std::int64_t> lengths{0, 1, 1000, 8193, 100'001};
  expect_scan_laws<stretches>(exec, lengths, memory);
  expect_scan_laws<float_sum>(exec, lengths, memory);
  expect_sorts<65, int>(exec);
}

TEST(PrimitivesOnCuda, HaveTheSameBitsOnEveryRun) {
  const cuda exec;
  constexpr std::int64_t n = 20'000'003;
  const auto first = float_results(exec, n);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(same_bits(float_results(exec, n), first)) << i;
}

TEST(PrimitivesOnCuda, PutWhatIsNotFiniteWhereALoopPutsIt) {
  for (const std::int64_t n : {5, 100, 33'000, 1'000'000}) expect_values_that_are_not_finite(cuda(), n);
}

TEST(PrimitivesOnCuda, TakeFormulasOfMoreElementsThan32BitsCount) {
  expect_scans_of_formulas(cuda(), (std::int64_t{1} << 32) + 5);
}

/// With a workspace that has been used nothing is allocated and nothing waits: both would end the capture.
TEST(PrimitivesOnCuda, AreCapturedInAGraphThatRunsAgain) {
  const own_stream stream;
  const cuda exec(stream.get());
  constexpr std::int64_t n = 300'000;
  const prefixes_of<float_sum> all(n);
  const auto in = to_executor(exec, all.values);
  const auto out = make_buffer<float>(exec, static_cast<std::size_t>(n) + 1);
  workspace memory;
  const auto run = [&] {
    inclusive_scan(exec, in.data(), n, float_sum{}, out.data(), memory);
    reduce(exec, in.data(), n, float_sum{}, out.data() + n, memory);
  };
  run();
  const auto expected = to_host(exec, out);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  EVENLY_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  run();
  EVENLY_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
  EVENLY_CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < 3; ++i) {
    exec.fill_zero(out.data(), out.size() * sizeof(float));
    EVENLY_CUDA_CHECK(cudaGraphLaunch(ready, stream.get()));
    EXPECT_TRUE(same_bits(to_host(exec, out), expected)) << i;
  }
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

} // namespace
} // namespace evenly::primitives
