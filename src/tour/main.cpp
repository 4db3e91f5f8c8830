// SPDX-License-Identifier: Apache-2.0
// evenly-tour: the first output of ./run. It compiles in seconds and compares schedules on the CPU on matrices of very
// different shapes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/exit_status.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "generate/generators.hpp"
#include "measure/comparison.hpp"
#include "measure/lane_counts.hpp"
#include "measure/reference.hpp"
#include "measure/statistics.hpp"
#include "measure/text.hpp"
#include "measure/verdict.hpp"
#include "tour/inputs.hpp"
#include "tour/tour_bench.hpp"

namespace evenly::tour {
namespace {

constexpr const char* introduction =
    "A tile is a piece of work, such as a row of a matrix; an atom is a unit of it,\n"
    "such as a nonzero. A schedule assigns tiles and atoms to threads. First, a\n"
    "simulated GPU counts how many lanes of a warp are busy: the same on every\n"
    "machine. Then each schedule's product y = A x is checked against a plain loop\n"
    "and timed on this CPU, on matrices of very different shapes:\n"
    "  median ms   over rounds in which all rows run in turn\n"
    "  plan ms     preparation, once per matrix\n"
    "  of copy     speed relative to copying the same number of bytes\n"
    "  x best      time relative to the fastest row\n"
    "  +4          four more schedules that run the same code on a CPU\n"
    "The text mentions only differences above the noise of the run.\n\n";

void show(const std::string& text) { measure::print(stdout, text); }

struct matrix {
  std::string name;
  csr_matrix<double> entries;
  measure::tile_statistics sizes;

  explicit matrix(const char* spec)
      : name(spec), entries(generate::generate(spec)), sizes(measure::count_tiles(entries.offsets)) {
    show(measure::sizes_heading(name, entries.rows, entries.cols, entries.atoms(), sizes));
  }
};

class session {
 public:
  void count(const matrix& a) {
    const auto counts =
        measure::count_lanes(a.entries, measure::operation::spmv, measure::number_type::single_precision,
                             measure::schedules_to_count(), {}, make_simt_bench);
    show(measure::table_of(counts) + '\n');
    failures_ += counts.failures();
  }

  void time(const matrix& a) {
    const measure::problem p =
        measure::make_problem(measure::operation::spmv, measure::number_type::single_precision, a.entries, 0);
    const measure::reference right(p);
    measure::bench on = make_cpu_bench(p);
    measure::comparison c{.workload = a.name,
                          .rows = a.entries.rows,
                          .cols = a.entries.cols,
                          .atoms = a.entries.atoms(),
                          .op = measure::operation_name(p),
                          .type = measure::number_name(p),
                          .executor = measure::executor_kind::cpu,
                          .place = on.time->place(),
                          .threads = on.time->threads(),
                          .bytes = measure::bytes_moved(p)};
    show(measure::place_heading(c));
    measure::compare_candidates(c, on, on.candidates(0), &right, {.time_budget_ms = 100});
    failures_ += c.failures();
    const std::string sentences = measure::meaning(c, a.sizes, a.entries.offsets);
    show(measure::table(c, measure::shows_emphasis(stdout)) + new_notes(c) +
         (sentences.empty() ? "" : '\n' + measure::wrapped(sentences, "  ")) + '\n');
  }

  int failures() const { return failures_; }

 private:
  /// The notes that no earlier table had.
  std::string new_notes(const measure::comparison& c) {
    std::string text;
    for (const std::string& note : measure::notes_on_rows(c))
      if (shown_notes_.insert(note).second) text += note;
    return text;
  }

  std::set<std::string> shown_notes_;
  int failures_ = 0;
};

/// Times the matrices in order, but skips and lists those that would not finish within a minute: each is expected to
/// take twice as long as the slowest so far.
void take_a_minute(session& all) {
  using clock = std::chrono::steady_clock;
  const clock::time_point end = clock::now() + std::chrono::seconds(55);
  clock::duration longest{};
  std::vector<std::string> left_out;
  for (const char* spec : timed_matrices) {
    const clock::time_point start = clock::now();
    if (start + 2 * longest > end) {
      left_out.emplace_back(spec);
      continue;
    }
    all.time(matrix(spec));
    longest = std::max(longest, clock::now() - start);
  }
  if (!left_out.empty())
    show(measure::wrapped(
             fmt::format("Omitted, to stay within a minute: {}. ./run compare MATRIX shows one of them.",
                         measure::joined(left_out)),
             "") +
         '\n');
}

constexpr const char* next_steps =
    "Next, with your own data (./run stands for the program evenly, whose commands\n"
    "are built when they are first used):\n"
    "  ./run compare FILE.mtx                  compare every schedule on your matrix\n"
    "  ./run info FILE.mtx                     show its row sizes and what they mean\n"
    "  ./run draw merge_path -o merge_path.svg draw which thread takes what\n"
    "  ./run build                             build everything\n"
    "  README.md has a program to start from; docs/schedules.md says how to choose.\n";

int run() {
  show(introduction);
  session all;
  all.count(matrix(counted_matrix));
  take_a_minute(all);
  show(next_steps);
  if (all.failures() == 0) return 0;
  return cli::report("some results are wrong or missing: see FAILED above", 1);
}

} // namespace
} // namespace evenly::tour

int main() { return evenly::cli::guarded(evenly::tour::run); }
