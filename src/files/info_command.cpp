// SPDX-License-Identifier: Apache-2.0
// evenly info: statistics of one input, for people or as a JSON object.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "cli/effects.hpp"
#include "cli/shared_options.hpp"
#include "evenly/io/read.hpp"
#include "host/errors.hpp"
#include "io/input.hpp"
#include "json/value.hpp"
#include "measure/statistics.hpp"
#include "measure/text.hpp"

namespace evenly::files {

using cli::add_any_reading, cli::add_input, cli::command, cli::help_on_generators, cli::registered,
    cli::require_files;
using measure::count_tiles, measure::describe_balance, measure::print, measure::quantile, measure::size_class,
    measure::tile_statistics, measure::trimmed, measure::wrapped;

namespace {

std::string as_json(const io::input_profile& in, const tile_statistics& s) {
  json::value quantiles = json::object();
  for (const quantile& q : s.quantiles) quantiles[fmt::format("{}", q.fraction)] = q.size;
  json::value histogram = json::array();
  for (const size_class& c : s.histogram)
    histogram.push_back({{"from", c.from}, {"to", c.to}, {"tiles", c.tiles}, {"atoms", c.atoms}});
  const json::value object{{"workload", in.name},
                           {"rows", in.rows.rows},
                           {"cols", in.rows.cols},
                           {"atoms", s.atoms},
                           {"average", s.average},
                           {"standard_deviation", s.deviation},
                           {"quantiles", quantiles},
                           {"longest", s.longest},
                           {"share_of_largest_percent", s.share_of_largest_percent},
                           {"empty", s.empty},
                           {"histogram", histogram}};
  return json::dump(object);
}

/// One line per class, with a bar for its share of the tiles and one for its share of the atoms.
std::string draw_histogram(const tile_statistics& s) {
  constexpr double width = 25;
  const auto bar = [](std::int64_t part, std::int64_t all) {
    const double share = all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
    return std::string(part > 0 ? static_cast<std::size_t>(std::max(1.0, std::round(share * width))) : 0,
                       '#');
  };
  std::string text = fmt::format("\n  {:>23}  {:>10}  {:25}  {:>10}\n", "size", "tiles", "", "atoms");
  for (const size_class& c : s.histogram) {
    const std::string range =
        c.from == c.to ? fmt::format("{}", c.from) : fmt::format("{} to {}", c.from, c.to);
    text += trimmed(fmt::format("  {:>23}  {:>10}  {:25}  {:>10}  {}", range, c.tiles, bar(c.tiles, s.tiles),
                                c.atoms, bar(c.atoms, s.atoms))) +
            '\n';
  }
  return text;
}

std::string as_text(const io::input_profile& in, const tile_statistics& s) {
  std::string text = fmt::format("{}\n\n  rows {}, columns {}, atoms {}\n", host::printable(in.name),
                                 in.rows.rows, in.rows.cols, s.atoms);
  text += fmt::format("  tile sizes: average {:.6g}, standard deviation {:.6g}, longest {}\n", s.average,
                      s.deviation, s.longest);
  text += "  quantiles:";
  for (const quantile& q : s.quantiles)
    text += fmt::format("{} {:g}% {}", q.fraction > 0 ? "," : "", 100 * q.fraction, q.size);
  const bool is_one = s.empty == 1;
  text += fmt::format("\n  the largest 1% of tiles have {:.1f}% of the atoms; {} {} ({:.1f}%) {} empty\n",
                      100 * s.share_of_largest_percent, s.empty, is_one ? "tile" : "tiles",
                      100 * s.empty_share(), is_one ? "is" : "are");
  return text + draw_histogram(s) + '\n' + wrapped(describe_balance(s), "  ");
}

std::string points_as_json(const std::string& name, const io::point_set& points) {
  const io::bounding_box box = io::box_of(points);
  return json::dump(
      json::value{{"workload", name}, {"points", points.size()}, {"least", box.min}, {"greatest", box.max}});
}

std::string points_as_text(const std::string& name, const io::point_set& points) {
  const io::bounding_box box = io::box_of(points);
  std::string text = fmt::format("{}\n\n  points {}\n", host::printable(name), points.size());
  for (std::size_t i = 0; i < 3 && points.size() > 0; ++i)
    text += fmt::format("  {}: {:.9g} to {:.9g}\n", "xyz"[i], box.min[i], box.max[i]);
  return text;
}

class info_command : public command {
 public:
  info_command() : command("info") {
    add_input(*this, "input FILE|GENERATOR", input_,
              "a file with a matrix, graph or points, - for standard input, or a generator")
        .required();
    add_any_reading(*this, reading_);
    add("--json", json_, "print one JSON object; its share_of_largest_percent is from 0 to 1");
    add_example("evenly info matrix.mtx", "show how unequal the rows of a matrix are");
    add_example("evenly info rmat:scale=10,edges=8 --json", "show the same for a generated graph, as JSON");
    add_example("gzip -c matrix.mtx | evenly info -", "read from a pipe, compressed or not");
    add_to_footer(help_on_generators());
  }

  bool run() override {
    require_files(*this, {input_});
    const io::input_profile in = io::load_profile(input_, reading_);
    if (in.points) {
      print(stdout, json_ ? points_as_json(in.name, *in.points) : points_as_text(in.name, *in.points));
      return true;
    }
    const tile_statistics s = count_tiles(in.rows);
    print(stdout, json_ ? as_json(in, s) : as_text(in, s));
    return true;
  }

 private:
  std::string input_;
  io::read_options reading_;
  bool json_ = false;
};
const registered<info_command> info;

} // namespace
} // namespace evenly::files
