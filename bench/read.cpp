// SPDX-License-Identifier: Apache-2.0
// The speed of reading a graph in each text format: the bytes of the file divided by the time of io::read_graph.
//
//   bench_read [--repeat N] [--json FILE] [INPUT ...]
//
// INPUT: as for `evenly info`, and square. If it is not symmetric, METIS's format is left out, with a message.
// Edges are in the order of rows, as most files have them; matrices and plain lists are read in no order too.
// Files are written into a folder of their own under $TMPDIR, read right after, when they are in the system's cache,
// and taken away. What is read is compared with what was written. All cores that the system grants are used: taskset
// gives fewer. Shown is the median of N runs, and of each how many bytes a core reads in a second.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "arguments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/io/read.hpp"
#include "io/edge_list.hpp"
#include "io/input.hpp"
#include "measure/host_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"
#include "scratch_folder.hpp"

namespace evenly::bench {
namespace {

using namespace measure;
namespace fs = std::filesystem;

/// What an edge weighs in files that have weights.
int weight_of(int from, int to) {
  return 1 + static_cast<int>((std::int64_t{7} * from + std::int64_t{13} * to) % 255);
}

struct text_format {
  std::string name; ///< as the file's ending
  bool has_weights;
  std::string head;                                        ///< before the first line of an edge
  std::function<void(fmt::memory_buffer&, int, int)> edge; ///< one edge
  std::string end_of_row = {};
  bool shuffled = false; ///< edges come in no order
};

std::vector<text_format> text_formats(const csr_matrix<double>& a, bool symmetric) {
  const auto into = [](fmt::memory_buffer& text) { return fmt::appender(text); };
  std::vector<text_format> all{
      {"mtx", false,
       fmt::format("%%MatrixMarket matrix coordinate pattern general\n{} {} {}\n", a.rows, a.cols, a.atoms()),
       [=](auto& text, int from, int to) { fmt::format_to(into(text), "{} {}\n", from + 1, to + 1); }},
      {"txt", false, "# Directed graph, as SNAP has it\n# FromNodeId\tToNodeId\n",
       [=](auto& text, int from, int to) { fmt::format_to(into(text), "{}\t{}\n", from, to); }},
      {"el", false, "",
       [=](auto& text, int from, int to) { fmt::format_to(into(text), "{} {}\n", from, to); }},
      {"wel", true, "",
       [=](auto& text, int from, int to) {
         fmt::format_to(into(text), "{} {} {}\n", from, to, weight_of(from, to));
       }},
      {"gr", true, fmt::format("c arcs\np sp {} {}\n", a.rows, a.atoms()), [=](auto& text, int from, int to) {
         fmt::format_to(into(text), "a {} {} {}\n", from + 1, to + 1, weight_of(from, to));
       }}};
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    all.push_back(all[i]);
    all.back().shuffled = true;
  }
  if (symmetric)
    all.push_back({"graph", false, fmt::format("{} {}\n", a.rows, a.atoms() / 2),
                   [=](auto& text, int, int to) { fmt::format_to(into(text), "{} ", to + 1); }, "\n"});
  return all;
}

void write_text(const fs::path& path, const text_format& format, const csr_matrix<double>& a) {
  fmt::memory_buffer text;
  text.append(format.head.data(), format.head.data() + format.head.size());
  std::FILE* const out = std::fopen(path.c_str(), "wb");
  if (out == nullptr) throw std::runtime_error(path.string() + " cannot be written");
  bool whole = true;
  const auto flush = [&] {
    whole = std::fwrite(text.data(), 1, text.size(), out) == text.size() && whole;
    text.clear();
  };
  if (format.shuffled) {
    for (std::int64_t i = 0; i < a.atoms(); ++i) {
      const auto k =
          static_cast<int>(i * 999'999'937 % a.atoms()); // a prime, greater than there are edges here
      const auto behind = std::upper_bound(a.offsets.begin(), a.offsets.end(), k);
      format.edge(text, static_cast<int>(behind - a.offsets.begin()) - 1,
                  a.columns[static_cast<std::size_t>(k)]);
      if (text.size() > (1 << 20)) flush();
    }
  } else {
    for (int row = 0; row < a.rows; ++row) {
      for (int k = a.offsets[static_cast<std::size_t>(row)]; k < a.offsets[static_cast<std::size_t>(row) + 1];
           ++k)
        format.edge(text, row, a.columns[static_cast<std::size_t>(k)]);
      text.append(format.end_of_row.data(), format.end_of_row.data() + format.end_of_row.size());
      if (text.size() > (1 << 20)) flush();
    }
  }
  flush();
  if (std::fclose(out) != 0 || !whole) throw std::runtime_error(path.string() + " cannot be written");
}

/// What is wrong with a graph that was read. Lists without a header do not name vertices beyond the last edge.
std::optional<std::string> difference(const io::edge_rows& read, const csr_matrix<double>& a,
                                      bool has_weights) {
  if (read.rows.columns != a.columns) return "it has other edges";
  for (int row = 0; row <= a.rows; ++row) {
    const int at = std::min(row, read.rows.rows);
    if (read.rows.offsets[static_cast<std::size_t>(at)] != a.offsets[static_cast<std::size_t>(row)])
      return fmt::format("row {} begins elsewhere", row);
  }
  for (int row = 0; has_weights && row < a.rows; ++row)
    for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row) + 1]); ++k)
      if (read.rows.values[k] != weight_of(row, a.columns[k]))
        return fmt::format("edge {} has another weight", k);
  return std::nullopt;
}

void measure_input(const std::string& name, int repeat, report& lines) {
  const io::input in = io::load_input(name);
  const csr_matrix<double>& a = in.matrix;
  if (a.rows != a.cols) throw std::runtime_error(name + ": a graph has as many rows as columns");
  const bool symmetric = io::is_symmetric(a);
  const int threads = cpu().threads();
  std::printf("%s: %d vertices, %d edges, %d thread(s)\n", in.name.c_str(), a.rows, a.atoms(), threads);
  if (!symmetric) std::printf("  without .graph: it is not symmetric\n");
  const scratch_folder folder("evenly-bench-read");
  for (const text_format& format : text_formats(a, symmetric)) {
    const fs::path path = folder.path() / ("edges." + format.name);
    write_text(path, format, a);
    const auto bytes = static_cast<double>(fs::file_size(path));
    measurement found;
    std::vector<double> ms;
    for (int round = 0; round <= repeat && !found.error; ++round) { // the first is not timed
      io::edge_rows read;
      const double took = time_on_host([&] { read = io::read_graph(path); });
      if (round == 0)
        found.error = difference(read, a, format.has_weights);
      else
        ms.push_back(took);
    }
    fs::remove(path);
    double rate = 0;
    const char* const order = format.shuffled ? " in no order" : "";
    if (found.error) {
      std::printf("  .%-6s%-12s FAILED: %s\n", format.name.c_str(), order, found.error->c_str());
    } else {
      found.time = timing_of(ms);
      rate = bytes * 1e-3 / found.time.median / threads;
      std::printf("  .%-6s%-12s %7.1f MB %9.1f ms %7.1f MB/s a core\n", format.name.c_str(), order,
                  bytes * 1e-6, found.time.median, rate);
    }
    lines.add({{"workload", in.name},
               {"vertices", a.rows},
               {"edges", a.atoms()},
               {"format", format.name},
               {"order", format.shuffled ? "none" : "of rows"},
               {"bytes", bytes},
               {"executor", "cpu"},
               {"threads", threads},
               {"mb_per_s_a_core", rate}},
              found);
  }
  std::fflush(stdout);
}

void measure_all(const arguments& args, report& lines) {
  std::vector<std::string> inputs = args.words;
  if (inputs.empty()) inputs = {"rmat:scale=18,edges=16", "grid:x=1500,y=1500"};
  const int repeat = args.number("--repeat");
  if (repeat < 1) throw std::runtime_error("--repeat is at least 1");
  for (const std::string& each : inputs) measure_input(each, repeat, lines);
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main(
      argc, argv,
      {.program = "bench_read", .measure = evenly::bench::measure_all, .options = {{"--repeat", "5"}}});
}
