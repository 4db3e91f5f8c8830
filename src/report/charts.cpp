// SPDX-License-Identifier: Apache-2.0
#include "report/charts.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <fmt/format.h>

#include "measure/text.hpp"
#include "report/svg.hpp"

extern char** environ; // NOLINT: POSIX requires this declaration

namespace evenly::report {

using measure::one_line, measure::xml_escaped;

namespace {

constexpr char chart_begins = '\x01';
constexpr char chart_ends = '\x02';

std::string as_chart(std::string script) { return chart_begins + std::move(script) + chart_ends; }

/// In single quotes of gnuplot, which only escape the quote. The text is printable, so it cannot end the line or the
/// chart.
std::string quoted(std::string_view text) {
  std::string all = "'";
  for (const char c : one_line(std::string(text))) {
    if (c == '\'') all += '\'';
    all += c;
  }
  return all + "'";
}

std::string head(double width, double height) {
  return fmt::format(
      "reset\nset terminal svg size {:.0f},{:.0f} noenhanced font 'Helvetica,13'\nset output\n"
      "set encoding utf8\nset border 0\nunset key\nunset colorbox\nset style fill solid 1 noborder\n",
      width, height);
}

std::string ticks(const char* axis, const std::vector<std::string>& labels) {
  std::string text = fmt::format("set {} scale 0 nomirror (", axis);
  for (std::size_t i = 0; i < labels.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(labels[i]), i);
  return text + ")\n";
}

// --- the child process

using file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail_to(const char* what, int number) {
  throw plotter_error(
      fmt::format("gnuplot, which draws the charts: cannot {}: {}", what, std::strerror(number)));
}

file scratch() {
  file made(std::tmpfile(), std::fclose);
  if (!made) fail_to("make a file for it", errno);
  return made;
}

std::string text_of(std::FILE* from) {
  std::string text;
  std::array<char, 65536> part;
  std::rewind(from);
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), from)) text.append(part.data(), n);
  if (std::ferror(from) != 0) fail_to("read its output", errno);
  return text;
}

struct spawn_settings {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  spawn_settings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~spawn_settings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  spawn_settings(const spawn_settings&) = delete;
  spawn_settings& operator=(const spawn_settings&) = delete;
};

/// The standard output of gnuplot for `script`. gnuplot runs in its own process group, so that Ctrl-C reaches the
/// program only, which may still want to draw a page.
std::string run_gnuplot(const std::string& script) {
  const file in = scratch(), out = scratch(), errors = scratch();
  if (std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() || std::fflush(in.get()) != 0)
    fail_to("write its script", errno);
  std::rewind(in.get());
  spawn_settings how;
  posix_spawn_file_actions_adddup2(&how.files, fileno(in.get()), 0);
  posix_spawn_file_actions_adddup2(&how.files, fileno(out.get()), 1);
  posix_spawn_file_actions_adddup2(&how.files, fileno(errors.get()), 2);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setpgroup(&how.attributes, 0);
  posix_spawnattr_setsigmask(&how.attributes, &none);
  posix_spawnattr_setflags(&how.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  std::string name = "gnuplot", plain = "-d"; // ignore the settings in the user's home
  char* words[] = {name.data(), plain.data(), nullptr};
  pid_t child = 0;
  if (const int why = posix_spawnp(&child, "gnuplot", &how.files, &how.attributes, words, environ); why != 0)
    throw plotter_error(fmt::format("--report: charts are drawn by gnuplot, which cannot be started ({}): "
                                    "install the package gnuplot-nox",
                                    std::strerror(why)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail_to("wait for it", errno);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string why = text_of(errors.get());
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && why.empty())
      throw plotter_error(
          "--report: charts are drawn by gnuplot, which cannot be started: install the package "
          "gnuplot-nox");
    throw plotter_error(fmt::format("gnuplot, which draws charts, failed: {}",
                                    why.substr(0, std::min<std::size_t>(why.size(), 500))));
  }
  return text_of(out.get());
}

/// The picture without attributes of a separate file and without unused marker shapes.
std::string for_page(std::string_view svg) {
  std::string text(svg);
  const auto cut = [&](std::string_view from, std::string_view to) {
    for (std::size_t begin = 0; (begin = text.find(from, begin)) != std::string::npos;) {
      const std::size_t end = text.find(to, begin + from.size());
      if (end == std::string::npos) return;
      text.erase(begin, end + to.size() - begin);
    }
  };
  cut("<?xml", "?>");
  cut("<title>", "</title>");
  cut("<desc>", "</desc>");
  cut("<defs>", "</defs>");
  cut(" id=\"gnuplot", "\"");
  cut(" xmlns:xlink=\"", "\"");
  std::ranges::replace(text, '\t', ' ');
  return text;
}

/// Dash patterns of lines with the same colour: lengths of strokes and gaps; the first is solid.
constexpr std::array dashes{"", "8,4", "2,3", "8,3,2,3"};

/// The maximum length of a bar: `longest` times the median bar.
double longest_shown(const std::vector<bar>& bars, double longest) {
  std::vector<double> values;
  for (const bar& each : bars) values.push_back(each.value);
  std::ranges::sort(values);
  const double max = values.back(), median = values[values.size() / 2];
  if (max <= 0) return 1;
  return median > 0 ? std::min(max, longest * median) : max;
}

} // namespace

std::uint32_t colours::of_series(std::size_t i) {
  constexpr std::array all{blue, orange, green, violet, red, grey, 0x8c6d31u, 0x3182bdu};
  return all[i % all.size()];
}

void require_plotter() { run_gnuplot(""); }

std::string bar_chart(const std::vector<bar>& bars, double longest) {
  if (bars.empty()) return "";
  const double full = longest_shown(bars, longest);
  double end = full; // of the scale: a spread may extend beyond the bar
  for (const bar& each : bars) end = std::max(end, std::min(each.max, 1.15 * full));
  const auto percent = [&](double value) { return 100 * std::min(value, end) / end; };
  std::string text = "<div class=\"bars\">\n";
  for (const bar& each : bars) {
    text += fmt::format("<span class=\"label\">{}</span><span class=\"bar\"><i style=\"width:{:.2f}%;"
                        "background:#{:06x}\">{}</i>",
                        xml_escaped(each.label), percent(std::min(each.value, full)), each.colour,
                        each.value > full ? "//" : "");
    if (each.max > 0)
      text += fmt::format("<b style=\"left:{:.2f}%;width:{:.2f}%\"></b>", percent(each.min),
                          percent(each.max) - percent(each.min));
    text += fmt::format("</span><span class=\"value\">{}</span>\n", xml_escaped(each.text));
  }
  return text + "</div>";
}

std::string line_chart(const std::vector<series>& all, const std::string& x_title,
                       const std::string& y_title) {
  std::set<double> places;
  double min = 0, max = 0;
  for (const series& each : all)
    for (const auto& [x, y] : each.points) {
      places.insert(x);
      max = std::max(max, y);
      if (y > 0) min = min == 0 ? y : std::min(min, y);
    }
  if (places.empty()) return "";
  std::vector<std::string> labels;
  for (const double x : places) labels.push_back(fmt::format("{:g}", x));
  std::string text = head(460, 240) + ticks("xtics", labels) + "set border 3\nset ytics nomirror\n";
  if (labels.size() > 6) text += "set xtics rotate by -45\n";
  text += fmt::format("set xrange [-0.3:{}]\nset yrange [0:{}]\nset xlabel {}\nset ylabel {}\n"
                      "set style circle radius graph 0.01 noclip\n",
                      static_cast<double>(labels.size()) - 0.7, max > 0 ? max * 1.05 : 1, quoted(x_title),
                      quoted(y_title));
  if (min > 0 && max > 50 * min) // otherwise all but the slowest would lie on the axis
    text += fmt::format("set logscale y\nset yrange [{}:{}]\n", min / 1.3, max * 1.3);
  std::string plots, legend;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const series& line = all[i];
    if (line.points.empty()) continue;
    text += fmt::format("$d{} << END_OF_DATA\n", i);
    for (const auto& [x, y] : line.points)
      text += fmt::format("{} {}\n", std::distance(places.begin(), places.find(x)), y);
    text += "END_OF_DATA\n";
    const auto same_colour = std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                                           [&](const series& other) { return other.colour == line.colour; });
    const char* const dash = dashes[static_cast<std::size_t>(same_colour) % dashes.size()];
    plots += fmt::format("{0}$d{1} with lines lw 2 dt {3} lc rgb {2} notitle, $d{1} with circles lc rgb {2} "
                         "notitle",
                         plots.empty() ? "plot " : ", ", i, line.colour,
                         *dash == '\0' ? "solid" : fmt::format("({})", dash));
    legend += fmt::format("<span><svg width=\"26\" height=\"8\" xmlns=\"http://www.w3.org/2000/svg\"><line "
                          "x1=\"0\" y1=\"4\" x2=\"26\" y2=\"4\" stroke=\"#{:06x}\" stroke-width=\"2\" "
                          "stroke-dasharray=\"{}\"/></svg> {}</span>\n",
                          line.colour, *dash == '\0' ? "none" : dash, xml_escaped(line.label));
  }
  const bool is_named = all.size() > 1;
  return as_chart(text + plots + "\n") +
         (is_named ? "<div class=\"legend\">" + legend + "</div>" : std::string());
}

std::string column_chart(const std::vector<std::pair<std::string, double>>& columns,
                         const std::string& x_title, const std::string& y_title) {
  if (columns.empty()) return "";
  std::vector<std::string> labels;
  std::string data;
  for (const auto& [label, value] : columns) {
    data += fmt::format("{} {}\n", labels.size(), value);
    labels.push_back(label);
  }
  std::string text = head(std::clamp(90 + 24 * static_cast<double>(columns.size()), 320., 760.), 220);
  text += ticks("xtics", labels) + "set border 3\nset ytics nomirror\nset boxwidth 0.75\n";
  if (columns.size() > 5) text += "set xtics rotate by -40\n";
  text += fmt::format("set yrange [0:*]\nset xrange [-0.6:{}]\nset xlabel {}\nset ylabel {}\n",
                      static_cast<double>(columns.size()) - 0.4, quoted(x_title), quoted(y_title));
  return as_chart(fmt::format("{}$d << END_OF_DATA\n{}END_OF_DATA\nplot $d with boxes lc rgb {}\n", text,
                              data, colours::blue));
}

std::string heat_chart(const std::vector<double>& parts, int columns) {
  if (parts.empty()) return "";
  constexpr double size = 7;
  const auto rows = static_cast<int>((parts.size() + static_cast<std::size_t>(columns) - 1) /
                                     static_cast<std::size_t>(columns));
  std::string text = head(size * columns + 4, size * rows + 4) + "unset xtics\nunset ytics\n";
  text += fmt::format(
      "set lmargin 0\nset rmargin 0\nset tmargin 0\nset bmargin 0\nset xrange [0:{}]\nset yrange [{}:0]\n",
      columns, rows);
  text += "$d << END_OF_DATA\n";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double part = std::clamp(parts[i], 0., 1.);
    const auto channel = [&](double cold, double hot) {
      return static_cast<std::uint32_t>(std::lround(cold + (hot - cold) * part));
    };
    const std::uint32_t colour = channel(255, 165) << 16 | channel(247, 15) << 8 | channel(236, 21);
    text += fmt::format("{} {} {}\n", i % static_cast<std::size_t>(columns),
                        i / static_cast<std::size_t>(columns), colour);
  }
  return as_chart(text +
                  "END_OF_DATA\nplot $d using 1:2:1:($1+.88):2:($2+.88):3 with boxxyerror lc rgb variable\n");
}

std::string timeline_chart(const std::vector<std::vector<int>>& rows, double ms_of_cell) {
  if (rows.empty() || rows.front().empty()) return "";
  constexpr double margin = 4, width = 480, height = 10, gap = 2, font = 11;
  const double below = margin + (height + gap) * static_cast<double>(rows.size());
  svg picture(width + 2 * margin, below + 2 * font);
  double y = margin;
  for (const std::vector<int>& row : rows) {
    const double cell = width / static_cast<double>(rows.front().size());
    double x = margin;
    for (auto at = row.begin(); at != row.end();) { // equal neighbours are one shape
      const auto end = std::find_if(at, row.end(), [&](int percent) { return percent != *at; });
      const double length = cell * static_cast<double>(end - at);
      const int shade = 240 - 2 * std::clamp(*at, 0, 100);
      picture.rect(x, y, length, height, fmt::format("#{0:02x}{1:02x}f0", shade, (240 + shade) / 2));
      x += length;
      at = end;
    }
    y += height + gap;
  }
  picture.text(margin, below + font, "0", font);
  picture.text(margin + width, below + font,
               measure::milliseconds(ms_of_cell * static_cast<double>(rows.front().size())) + " ms", font,
               "end");
  return picture.str();
}

std::string with_charts(const std::string& page) {
  std::string scripts;
  std::vector<std::string> between{""};
  std::size_t at = 0;
  for (std::size_t begin; (begin = page.find(chart_begins, at)) != std::string::npos;) {
    const std::size_t end = page.find(chart_ends, begin);
    between.back() = page.substr(at, begin - at);
    scripts += page.substr(begin + 1, end - begin - 1);
    between.emplace_back();
    at = end + 1;
  }
  between.back() = page.substr(at);
  if (between.size() == 1) return page;
  const std::string drawn = run_gnuplot(scripts + "unset output\n");
  constexpr std::string_view last = "</svg>";
  std::string text = between.front();
  std::size_t from = 0;
  for (std::size_t i = 1; i < between.size(); ++i) {
    const std::size_t end = drawn.find(last, from);
    if (end == std::string::npos)
      throw plotter_error(fmt::format("gnuplot drew {} of {} charts", i - 1, between.size() - 1));
    text += for_page(std::string_view(drawn).substr(from, end + last.size() - from)) + between[i];
    from = end + last.size();
  }
  return text;
}

} // namespace evenly::report
