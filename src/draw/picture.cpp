// SPDX-License-Identifier: Apache-2.0
#include "draw/picture.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "evenly/core/index.hpp"
#include "measure/text.hpp"
#include "report/svg.hpp"

namespace evenly::draw {

using evenly::report::svg, evenly::report::text_width;
using measure::with_noun;

namespace {

// In pixels.
constexpr double margin = 16;
constexpr double cell = 25;
constexpr double warp_gap = 7;
constexpr double panel_gap = 28;
constexpr double step_width = 20; ///< width of the step number, left of its row
constexpr double min_panel = 190;
constexpr double page = 980; ///< width of the page: further panels go to the next line

constexpr std::string_view ink = "#222";
constexpr std::string_view faint = "#666";
constexpr std::string_view outline = "#8a8a8a";
constexpr std::string_view idle_fill = "#fff";
constexpr std::string_view idle_outline = "#d4d4d4";
constexpr std::string_view band = "#f1f1f4";
constexpr std::array<std::string_view, 11> tile_fills{"#a9cfe8", "#ffd08a", "#b5e0a0", "#f9aaa5",
                                                      "#cdbbe3", "#fff09a", "#93dcd0", "#f6bfdc",
                                                      "#dccbaa", "#c5ccd8", "#d7e68c"};

/// A to Z, then AA to ZZ and so on.
std::string tile_name(int tile) {
  std::string name(1, static_cast<char>('A' + tile % 26));
  return tile < 26 ? name : tile_name(tile / 26 - 1) + name;
}

std::string_view tile_fill(int tile) {
  return tile_fills[static_cast<std::size_t>(tile) % tile_fills.size()];
}

/// An atom with the letter of its tile and its index in the tile, from 1.
void draw_atom(svg& out, double x, double y, int tile, int number) {
  const std::string name = tile_name(tile) + std::to_string(number);
  out.rect(x, y, cell, cell, tile_fill(tile), outline);
  out.text(x + cell / 2, y + cell / 2 + 2, name, name.size() > 4 ? 8 : name.size() > 3 ? 9 : 10.5, "middle");
}

/// The mark of a coalesced access on the atom at this position.
void draw_dot(svg& out, double x, double y) { out.circle(x + cell / 2, y + cell - 4.5, 2, ink); }

// --- the tiles
// ------------------------------------------------------------------------------------------------------------

/// All atoms in one row, or in as many rows as necessary, with their numbers at the start of each tile.
class tile_strip {
 public:
  tile_strip(std::span<const int> offsets, double width)
      : offsets_(offsets), per_row_(std::max(1, static_cast<int>(width / cell))) {}

  int atoms() const { return offsets_.back(); }
  double width() const { return std::min(atoms(), per_row_) * cell; }
  double height() const { return ceil_div(atoms(), per_row_) * row_height + 8; }

  void draw(svg& out, double x, double y) const {
    const auto left_of = [&](int a) { return x + a % per_row_ * cell; };
    const auto top_of = [&](int a) { return y + a / per_row_ * row_height; };
    for (std::size_t t = 0; t + 1 < offsets_.size(); ++t)
      for (int a = offsets_[t]; a < offsets_[t + 1]; ++a) {
        out.begin_group("", {{"data-input-atom", std::to_string(a)}});
        draw_atom(out, left_of(a), top_of(a), static_cast<int>(t), a - offsets_[t] + 1);
        if (a == offsets_[t])
          out.text(left_of(a), top_of(a) + cell + 11, std::to_string(a), 9, "start", faint);
        out.end_group();
      }
    if (atoms() > 0)
      out.text(left_of(atoms() - 1) + cell, top_of(atoms() - 1) + cell + 11, std::to_string(atoms()), 9,
               "middle", faint);
  }

 private:
  static constexpr double row_height = cell + 17;

  std::span<const int> offsets_;
  int per_row_;
};

// --- steps
// ----------------------------------------------------------------------------------------------------------------

using warp_step = std::span<const recorded_visit>; ///< visits of the threads of one warp in one step

bool is_idle(const recorded_visit& visit) { return visit.atom < 0; }

/// Whether an adjacent lane takes the adjacent atom.
bool is_coalesced(warp_step warp, std::size_t lane) {
  const auto takes = [&](std::size_t other, int atom) {
    return other < warp.size() && warp[other].atom == atom;
  };
  const int atom = warp[lane].atom;
  return atom >= 0 && (takes(lane + 1, atom + 1) || (atom > 0 && lane > 0 && takes(lane - 1, atom - 1)));
}

/// Calls visit(first thread, warp) for each warp with an atom in a step.
template <class Visit>
void for_each_busy_warp(std::span<const recorded_visit> step, int warp_size, const Visit& visit) {
  for (std::size_t first = 0; first < step.size(); first += static_cast<std::size_t>(warp_size)) {
    const warp_step warp =
        step.subspan(first, std::min(step.size() - first, static_cast<std::size_t>(warp_size)));
    if (!std::ranges::all_of(warp, is_idle)) visit(static_cast<int>(first), warp);
  }
}

/// Totals of a run.
struct totals {
  int atoms = 0;
  int coalesced = 0;
  int warp_steps = 0; ///< steps of warps with at least one atom
  int places = 0;     ///< threads in these steps

  totals(const recorded_run& run, int warp_size) {
    for (const recorded_launch& launch : run.launches)
      for (const recorded_block& block : launch.blocks)
        for (const recorded_phase& phase : block.phases)
          for (const auto& step : phase.steps)
            for_each_busy_warp(step, warp_size, [&](int, warp_step warp) { add(warp); });
  }

 private:
  void add(warp_step warp) {
    ++warp_steps;
    places += static_cast<int>(warp.size());
    for (std::size_t lane = 0; lane < warp.size(); ++lane) {
      atoms += is_idle(warp[lane]) ? 0 : 1;
      coalesced += is_coalesced(warp, lane) ? 1 : 0;
    }
  }
};

// --- a block
// --------------------------------------------------------------------------------------------------------------

/// A block with a column per thread and a row per step.
class panel {
 public:
  panel(const recorded_block& block, int launch, int block_size, int warp_size, std::span<const int> offsets)
      : block_(block), launch_(launch), block_size_(block_size), warp_size_(warp_size), offsets_(offsets) {}

  double width() const { return std::max(min_panel, column(block_size_ - 1) + cell); }
  double height() const {
    double rows = 0;
    for (const recorded_phase& phase : block_.phases)
      rows += phase_head + static_cast<double>(phase.steps.size()) * cell;
    return head + rows;
  }

  void draw(svg& out, double x, double y) const {
    out.text(x, y + 11, fmt::format("block {}", block_.index), 12, "start", ink, "bold");
    for (int first = 0; first < block_size_; first += warp_size_) {
      const int last = std::min(first + warp_size_, block_size_) - 1;
      const double left = x + column(first);
      const double width = x + column(last) + cell - left;
      out.rect(left - 2, y + 17, width + 4, height() - 17 + 2, band, "", 3);
      out.text(left + width / 2, y + 28, warp_name(first), 9, "middle", faint);
    }
    for (int thread = 0; thread < block_size_; ++thread)
      out.text(x + column(thread) + cell / 2, y + 39, fmt::format("t{}", thread), 9, "middle", faint);
    int number = 0;
    double top = y + head;
    for (const recorded_phase& phase : block_.phases) {
      out.begin_group("", {{"data-sharing", phase.sharing}});
      // The text continues over the gaps between warps.
      out.rect(x + column(0) - 2, top + 1, column(block_size_ - 1) + cell - column(0) + 4, phase_head - 2,
               band);
      out.text(x + column(0), top + 11, phase.sharing, 10, "start", ink);
      top += phase_head;
      for (const std::vector<recorded_visit>& step : phase.steps) {
        draw_step(out, x, top, step, ++number);
        top += cell;
      }
      out.end_group();
    }
  }

 private:
  static constexpr double head = 43;
  static constexpr double phase_head = 16;

  /// Distance of a thread's cells from the left edge of the panel.
  double column(int thread) const { return step_width + thread * cell + thread / warp_size_ * warp_gap; }

  /// Abbreviated if there is little space.
  std::string warp_name(int first) const {
    return warp_size_ == 1 ? fmt::format("w{}", first) : fmt::format("warp {}", first / warp_size_);
  }

  /// Warps without an atom in the step get no cells.
  void draw_step(svg& out, double x, double y, std::span<const recorded_visit> step, int number) const {
    out.text(x + step_width - 6, y + cell / 2 + 3.5, std::to_string(number), 9, "end", faint);
    for_each_busy_warp(step, warp_size_, [&](int first, warp_step warp) {
      const auto left_of = [&](std::size_t lane) { return x + column(first + static_cast<int>(lane)); };
      for (std::size_t lane = 0; lane < warp.size(); ++lane)
        if (is_idle(warp[lane])) out.rect(left_of(lane), y, cell, cell, idle_fill, idle_outline);
      for (std::size_t lane = 0; lane < warp.size(); ++lane)
        if (!is_idle(warp[lane]))
          draw_visit(out, left_of(lane), y, first + static_cast<int>(lane), number, warp[lane],
                     is_coalesced(warp, lane));
    });
  }

  void draw_visit(svg& out, double x, double y, int thread, int step, const recorded_visit& visit,
                  bool dot) const {
    const int number = visit.atom - offsets_[static_cast<std::size_t>(visit.tile)] + 1;
    out.begin_group(fmt::format("block {}, thread {}, step {}: atom {} of tile {}", block_.index, thread,
                                step, visit.atom, visit.tile),
                    {{"data-launch", std::to_string(launch_)},
                     {"data-block", std::to_string(block_.index)},
                     {"data-thread", std::to_string(thread)},
                     {"data-step", std::to_string(step)},
                     {"data-tile", std::to_string(visit.tile)},
                     {"data-atom", std::to_string(visit.atom)},
                     {"data-coalesced", dot ? "yes" : "no"}});
    draw_atom(out, x, y, visit.tile, number);
    if (dot) draw_dot(out, x, y);
    out.end_group();
  }

  const recorded_block& block_;
  int launch_;
  int block_size_;
  int warp_size_;
  std::span<const int> offsets_;
};

// --- the page
// -------------------------------------------------------------------------------------------------------------

/// The panels of one launch, in as many lines as necessary. Blocks without atoms have no panel.
class launch_part {
 public:
  launch_part(const recorded_launch& launch, int number, int warp_size, std::span<const int> offsets)
      : launch_(launch), number_(number) {
    double x = 0;
    double y = head;
    double line = 0;
    for (const recorded_block& block : launch.blocks) {
      if (block.phases.empty()) continue;
      const panel next(block, number, launch.block_size, warp_size, offsets);
      if (x > 0 && x + next.width() > page) {
        x = 0;
        y += line + panel_gap;
        line = 0;
      }
      panels_.push_back({next, x, y});
      line = std::max(line, next.height());
      width_ = std::max(width_, x + next.width());
      x += next.width() + panel_gap;
    }
    height_ = y + line;
  }

  double width() const { return width_; }
  double height() const { return height_; }

  void draw(svg& out, double x, double y) const {
    std::string title =
        fmt::format("launch {}, {} of {}", number_ + 1, with_noun(std::ssize(launch_.blocks), "block"),
                    with_noun(launch_.block_size, "thread"));
    if (const std::size_t idle = launch_.blocks.size() - panels_.size(); idle > 0)
      title += fmt::format(", {} of them without atoms", idle);
    title += ": a row is a step";
    out.text(x, y + 12, title, 12, "start", faint);
    for (const placed_panel& each : panels_) each.what.draw(out, x + each.x, y + each.y);
  }

 private:
  static constexpr double head = 24;
  struct placed_panel {
    panel what;
    double x;
    double y;
  };

  const recorded_launch& launch_;
  int number_;
  std::vector<placed_panel> panels_;
  double width_ = 0;
  double height_ = 0;
};

/// The legend of the marks.
class legend {
 public:
  static constexpr double width = 730;
  static constexpr double height = cell + 4;

  static void draw(svg& out, double x, double y) {
    draw_atom(out, x, y, 0, 2);
    out.text(x + cell + 6, y + 16, "a thread takes this atom", 11, "start", faint);
    x += 186;
    draw_atom(out, x, y, 0, 2);
    draw_dot(out, x, y);
    out.text(x + cell + 6, y + 16, "coalesced: adjacent to the neighbouring thread's atom", 11, "start",
             faint);
    x += 278;
    out.rect(x, y, cell, cell, idle_fill, idle_outline);
    out.text(x + cell + 6, y + 16, "idle while other threads of its warp work", 11, "start", faint);
  }
};

/// One line with the amount of work and the efficiency of its distribution.
std::string summary_of(const recorded_run& run, std::string_view input, std::size_t tiles, int warp_size) {
  const totals all(run, warp_size);
  const int busy = all.places > 0 ? (100 * all.atoms + all.places / 2) / all.places : 0;
  return fmt::format("{}{}{} in {}; {}, their threads {}% busy; {} of {} coalesced (warps of {})", input,
                     input.empty() ? "" : ": ", with_noun(all.atoms, "atom"),
                     with_noun(static_cast<std::int64_t>(tiles), "tile"),
                     with_noun(all.warp_steps, "step") + " of a warp", busy, all.coalesced,
                     with_noun(all.atoms, "atom"), warp_size);
}

} // namespace

std::string picture(const recorded_run& run, const std::string& title, const std::string& input,
                    std::span<const int> offsets, int warp_size) {
  const std::string summary = summary_of(run, input, offsets.size() - 1, warp_size);
  const tile_strip strip(offsets, page);
  std::vector<launch_part> parts;
  double width =
      std::max({legend::width, strip.width(), text_width(title, 15, true), text_width(summary, 11.5)});
  double height = margin + 44 + strip.height();
  for (std::size_t i = 0; i < run.launches.size(); ++i) {
    parts.emplace_back(run.launches[i], static_cast<int>(i), warp_size, offsets);
    width = std::max(width, parts.back().width());
    height += parts.back().height() + panel_gap;
  }
  svg out(width + 2 * margin, height + legend::height + margin);
  out.rect(0.5, 0.5, width + 2 * margin - 1, height + legend::height + margin - 1, "#fff", idle_outline, 6);
  out.text(margin, margin + 13, title, 15, "start", ink, "bold");
  out.text(margin, margin + 31, summary, 11.5, "start", faint);
  double y = margin + 44;
  strip.draw(out, margin, y);
  y += strip.height();
  for (const launch_part& part : parts) {
    part.draw(out, margin, y);
    y += part.height() + panel_gap;
  }
  legend::draw(out, margin, y);
  return out.str();
}

} // namespace evenly::draw
