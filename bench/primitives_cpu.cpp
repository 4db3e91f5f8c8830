// SPDX-License-Identifier: Apache-2.0
// The primitives on the CPU against oneTBB, the standard library's algorithms, parallel (libstdc++ runs them on oneTBB)
// and serial, and a copy of as many bytes by as many threads.
//
//   bench_primitives_cpu [--threads N] [--json FILE]
//
// Sizes are 2^20 and 2^26 elements. All candidates work on the same arrays, are checked first, exactly
// for int and within a bound for float, and then take turns; the median is shown. Arrays are touched
// before, and ours has a workspace.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include "arguments.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/select.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "primitive_lines.hpp"

namespace {

using evenly::bench::primitive;
using evenly::measure::candidate;
using evenly::measure::plain_candidate;
using evenly::measure::report;
using range = tbb::blocked_range<std::int64_t>;

std::uint32_t scattered(std::int64_t i) {
  auto bits = static_cast<std::uint32_t>(i) * 2654435761u;
  bits ^= bits >> 15;
  return bits * 2246822519u >> 16;
}

struct is_selected { // about one in two
  bool operator()(int i) const { return (scattered(i) & 1) != 0; }
};

/// Copies so many bytes by all threads.
void copy(const void* from, void* to, std::size_t bytes) {
  constexpr std::size_t chunk = 1 << 18;
  tbb::parallel_for(std::size_t{0}, (bytes + chunk - 1) / chunk, [&](std::size_t i) {
    std::memcpy(static_cast<char*>(to) + i * chunk, static_cast<const char*>(from) + i * chunk,
                std::min(chunk, bytes - i * chunk));
  });
}

void measure(const primitive& p, const std::vector<candidate>& candidates, const std::function<void()>& spoil,
             report& lines) {
  evenly::measure::bench on{std::make_unique<evenly::measure::host_timer>(1),
                            std::make_shared<evenly::measure::unchecked_output>(spoil),
                            {}};
  const auto all = measure_in_turns(on, candidates, {.exactly = p.n > 1 << 22 ? 15 : 101});
  evenly::bench::add_lines(lines, p, "warm", all);
}

template <class T> struct arrays {
  std::vector<T> in, out;

  explicit arrays(std::int64_t n) : in(static_cast<std::size_t>(n)), out(in.size()) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto whole = static_cast<int>(scattered(static_cast<std::int64_t>(i)) % 1024) - 512;
      in[i] = std::is_integral_v<T> ? static_cast<T>(whole) : static_cast<T>(whole) / 1024;
    }
  }
  /// Whether right(i, what the first i + 1 elements add up to, bound) holds for every i. Doubles hold the sums exactly.
  template <class Right> bool all(Right right) const {
    double sum = 0, sizes = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      sum += in[i];
      sizes += std::abs(static_cast<double>(in[i]));
      const double bound = 2 * std::sqrt(static_cast<double>(i) + 256) * 0x1p-24 * sizes;
      if (!right(i, sum, std::is_integral_v<T> ? 0 : bound)) return false;
    }
    return true;
  }
  bool scanned() const {
    return all([&](std::size_t i, double sum, double bound) { return std::abs(out[i] - sum) <= bound; });
  }
  bool reduced() const {
    return all([&](std::size_t i, double sum, double bound) {
      return i + 1 < in.size() || std::abs(out[0] - sum) <= bound;
    });
  }
};

template <class T>
void sums(const std::string& type, std::int64_t n, const evenly::cpu& exec, report& lines) {
  arrays<T> a(n);
  evenly::workspace memory;
  const T* const in = a.in.data();
  T* const out = a.out.data();
  const auto bytes = n * static_cast<std::int64_t>(sizeof(T));
  const auto spoil = [&] { std::fill(a.out.begin(), a.out.end(), T{-1}); };
  const auto always = [] { return true; };
  const auto reduced = [&] { return a.reduced(); };
  const auto scanned = [&] { return a.scanned(); };
  const auto fold = [&](const range& r, T sum) {
    for (std::int64_t i = r.begin(); i < r.end(); ++i) sum += in[i];
    return sum;
  };
  measure(
      {"reduce", type, n, bytes},
      {plain_candidate(
           "evenly", [&] { evenly::reduce(exec, in, n, evenly::plus<T>{}, out, memory); }, reduced),
       plain_candidate(
           "tbb::parallel_reduce",
           [&] { out[0] = tbb::parallel_reduce(range(0, n), T{}, fold, std::plus<>{}); }, reduced),
       plain_candidate(
           "std::reduce par", [&] { out[0] = std::reduce(std::execution::par, in, in + n, T{}); }, reduced),
       plain_candidate(
           "std::reduce", [&] { out[0] = std::reduce(in, in + n, T{}); }, reduced),
       plain_candidate(
           "copy", [&] { copy(in, out, static_cast<std::size_t>(bytes / 2)); }, always)},
      spoil, lines);
  const auto step = [&](const range& r, T sum, bool final) {
    for (std::int64_t i = r.begin(); i < r.end(); ++i) {
      sum += in[i];
      if (final) out[i] = sum;
    }
    return sum;
  };
  measure(
      {"inclusive_scan", type, n, 2 * bytes},
      {plain_candidate(
           "evenly", [&] { evenly::inclusive_scan(exec, in, n, evenly::plus<T>{}, out, memory); }, scanned),
       plain_candidate(
           "tbb::parallel_scan", [&] { tbb::parallel_scan(range(0, n), T{}, step, std::plus<>{}); }, scanned),
       plain_candidate(
           "std::inclusive_scan par", [&] { std::inclusive_scan(std::execution::par, in, in + n, out); },
           scanned),
       plain_candidate(
           "std::inclusive_scan", [&] { std::inclusive_scan(in, in + n, out); }, scanned),
       plain_candidate(
           "copy", [&] { copy(in, out, static_cast<std::size_t>(bytes)); }, always)},
      spoil, lines);
}

void select(std::int64_t n, const evenly::cpu& exec, report& lines) {
  std::vector<int> in(static_cast<std::size_t>(n)), out(in.size()), expected;
  std::iota(in.begin(), in.end(), 0);
  for (const int i : in)
    if (is_selected{}(i)) expected.push_back(i);
  evenly::workspace memory;
  std::int64_t found = 0;
  const auto right = [&] {
    return found == static_cast<std::int64_t>(expected.size()) &&
           std::equal(expected.begin(), expected.end(), out.begin());
  };
  const auto bytes = 4 * (n + static_cast<std::int64_t>(expected.size()));
  measure(
      {"select", "int", n, bytes},
      {plain_candidate(
           "evenly", [&] { evenly::select(exec, in.data(), n, is_selected{}, out.data(), &found, memory); },
           right),
       plain_candidate(
           "std::copy_if par",
           [&] {
             found = std::copy_if(std::execution::par, in.begin(), in.end(), out.begin(), is_selected{}) -
                     out.begin();
           },
           right),
       plain_candidate(
           "std::copy_if",
           [&] { found = std::copy_if(in.begin(), in.end(), out.begin(), is_selected{}) - out.begin(); },
           right),
       plain_candidate(
           "copy", [&] { copy(in.data(), out.data(), static_cast<std::size_t>(bytes / 2)); },
           [] { return true; })},
      [&] { std::fill(out.begin(), out.end(), -1); }, lines);
}

void measure_all(const evenly::bench::arguments& args, report& lines) {
  const evenly::cpu exec(args.number("--threads"));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(exec.threads()));
  evenly::bench::print_heading();
  for (const std::int64_t n : {std::int64_t{1} << 20, std::int64_t{1} << 26}) {
    sums<int>("int", n, exec, lines);
    sums<float>("float", n, exec, lines);
    select(n, exec, lines);
  }
}

evenly::json::value place(const evenly::bench::arguments& args) {
  return {{"executor", "cpu"}, {"threads", evenly::cpu(args.number("--threads")).threads()}};
}

} // namespace

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_primitives_cpu",
                                  .measure = measure_all,
                                  .options = {{"--threads", "0"}},
                                  .head = place});
}
