// SPDX-License-Identifier: Apache-2.0
#include "draw/matrix_pictures.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/layouts/duplicate.hpp"
#include "evenly/layouts/pad.hpp"
#include "evenly/layouts/share.hpp"
#include "host/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/svg.hpp"

namespace evenly::draw {

using evenly::report::svg;
using measure::joined, measure::usage_error;

namespace {

using numbers = std::vector<int>;

constexpr const char* accesses = "aabbccddeeaabbcdefghaa";
constexpr const char* original = "acegbdfh"; ///< A in memory
constexpr int warp = 4, window = 4, block = 16;

/// The references of the example and plans for them.
class example {
 public:
  example() {
    for (const char* each = accesses; *each; ++each) p_.push_back(*each - 'a');
  }

  template <class Layout> auto plan(const Layout& layout) const {
    const layouts::access_shape shape{
        .threads = threads(), .references = 1, .elements = 8, .element_bytes = 8, .block = block};
    return layouts::make_access_plan(exec_, layouts::index_list<int>(p_), shape,
                                     layouts::access_objective{.warp = warp, .window_sectors = 1}, layout);
  }
  /// The elements of the copy; blanks are padding.
  template <class Plan> std::string copy_of(const Plan& plan) const {
    std::vector<std::int64_t> a(8), copy(static_cast<std::size_t>(plan.slots()));
    std::iota(a.begin(), a.end(), std::int64_t{'a'});
    plan.refresh(exec_, a.data(), copy.data());
    std::string text;
    for (const std::int64_t each : copy) text += each == 0 ? ' ' : static_cast<char>(each);
    return text;
  }
  numbers list(const buffer<int>& of) const { return to_host(exec_, of); }
  template <class T> std::vector<T> values(const buffer<T>& of) const { return to_host(exec_, of); }
  std::int64_t threads() const { return static_cast<std::int64_t>(p_.size()); }
  const numbers& references() const { return p_; }
  numbers identity_order() const {
    numbers all(p_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  static std::string name(int element) { return std::string(1, static_cast<char>('a' + element)); }

 private:
  cpu exec_ = cpu(1);
  numbers p_;
};

constexpr std::array<const char*, 8> colours{"#cfe3f6", "#fbdcb6", "#cdeac6", "#f7cbcb",
                                             "#e0d3f0", "#e8dacb", "#f6cfe6", "#dfe0a8"};
const char* colour_of(int element) { return colours[static_cast<std::size_t>(element)]; }

constexpr double cell = 24, left = 96, right = 20;

/// Labelled rows of cells, one below the other.
class sheet {
 public:
  sheet(int columns, double height) : picture_(left + columns * cell + right, height) {}

  void heading(const std::string& words) {
    y_ += 30;
    picture_.text(12, y_, words, 13, "start", "#222", "bold");
    y_ += 10;
  }
  void note(const std::string& words) {
    y_ += 16;
    picture_.text(left, y_, words, 11, "start", "#555");
    y_ += 4;
  }
  void space(double by) { y_ += by; }

  /// The contents of memory in windows; blanks are padding.
  void memory(const std::string& label, const std::string& elements) {
    row(label);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const bool empty = elements[i] == ' ';
      box(i, empty ? "x" : std::string(1, elements[i]), empty ? "#f2f2f2" : colour_of(elements[i] - 'a'));
    }
    for (std::size_t i = 0; i <= elements.size(); i += window) mark(i, y_, "#222");
    if (elements.size() % window != 0) mark((elements.size() / window + 1) * window, y_, "#222");
    y_ += cell + 4;
  }
  /// A row of numbers or names, with a line between warps.
  void threads(const std::string& label, const std::vector<std::string>& words, const numbers& elements) {
    row(label);
    for (std::size_t i = 0; i < words.size(); ++i)
      box(i, words[i], elements.empty() ? "white" : colour_of(elements[i]));
    for (std::size_t i = warp; i < words.size(); i += warp) mark(i, y_, i % block == 0 ? "#c00" : "#222");
    y_ += cell + 4;
  }

  std::string str() const { return picture_.str(); }

 private:
  void row(const std::string& label) {
    y_ += 6;
    picture_.text(left - 8, y_ + cell * 0.68, label, 11, "end");
  }
  void box(std::size_t column, const std::string& words, const char* fill) {
    const double x = left + static_cast<double>(column) * cell;
    picture_.rect(x, y_, cell, cell, fill, "#aaa");
    picture_.text(x + cell / 2, y_ + cell * 0.68, words, 11, "middle", words == "x" ? "#999" : "#222");
  }
  void mark(std::size_t column, double y, const char* colour) {
    const double x = left + static_cast<double>(column) * cell;
    picture_.line(x, y - 2, x, y + cell + 2, colour, 2);
  }

  double y_ = 0;
  svg picture_;
};

std::vector<std::string> words_of(const numbers& of, int from = 0) {
  std::vector<std::string> words;
  for (const int each : of) words.push_back(std::to_string(each + from));
  return words;
}
std::vector<std::string> names_of(const numbers& elements) {
  std::vector<std::string> words;
  for (const int each : elements) words.push_back(example::name(each));
  return words;
}

/// The number of windows that warps access if lane t accesses slots[t].
int transactions(const numbers& slots) {
  int all = 0;
  for (std::size_t first = 0; first < slots.size(); first += warp) {
    std::set<int> touched;
    for (std::size_t t = first; t < std::min(slots.size(), first + warp); ++t)
      touched.insert(slots[t] / window);
    all += static_cast<int>(touched.size());
  }
  return all;
}

/// Draws the threads in this order with their references.
numbers draw_threads(sheet& on, const example& of, const numbers& jobs) {
  numbers elements;
  for (const int job : jobs) elements.push_back(of.references()[static_cast<std::size_t>(job)]);
  on.threads("threads", words_of(jobs, 1), {});
  on.threads("refer to", names_of(elements), elements);
  return elements;
}

std::string slots_and_transactions(std::size_t slots, int windows) {
  return fmt::format("{} slots, {} transactions", slots, windows);
}

/// Figure 3: windows are filled warp by warp.
std::string padding() {
  const example of;
  sheet on(22, 430);
  const auto plan = of.plan(layouts::pad{});
  on.heading("1, 2. Elements sorted by number of references, threads in the same order");
  draw_threads(on, of, of.list(plan.arrays().jobs));
  on.heading("3. Windows are filled warp by warp; a new window begins when");
  for (const auto& [design, words] :
       {std::pair(layouts::pad_design::copying,
                  "the warp's elements do not fit; all of them are copied (figure 3 as printed)"),
        std::pair(layouts::pad_design::by_size, "the warp's elements do not fit (figure 4 c)"),
        std::pair(layouts::pad_design::by_missing,
                  "the elements missing from the window do not fit (by_missing)")}) {
    const auto made = of.plan(layouts::pad{.design = design});
    const std::string copy = of.copy_of(made);
    const numbers slots = of.list(made.arrays().index);
    on.note(fmt::format("{}: {}", words, slots_and_transactions(copy.size(), transactions(slots))));
    on.memory("copy", copy);
    on.threads("slots", words_of(slots), {});
  }
  return on.str();
}

/// Figure 4: the example under each layout.
std::string layouts() {
  const example of;
  sheet on(22, 520);
  numbers places(8), slots;
  for (int i = 0; i < 8; ++i) places[static_cast<std::size_t>(original[i] - 'a')] = i;
  for (const int element : of.references()) slots.push_back(places[static_cast<std::size_t>(element)]);
  on.heading("(a) As it is: " + slots_and_transactions(8, transactions(slots)));
  draw_threads(on, of, of.identity_order());
  on.memory("A", original);

  const std::string doubled = of.copy_of(of.plan(layouts::duplicate{}));
  on.heading("(b) duplicate: " + slots_and_transactions(doubled.size(), transactions(of.identity_order())));
  on.memory("copy", doubled);

  const auto padded = of.plan(layouts::pad{.design = layouts::pad_design::by_size});
  const std::string windows = of.copy_of(padded);
  on.heading("(c) pad: " +
             slots_and_transactions(windows.size(), transactions(of.list(padded.arrays().index))));
  draw_threads(on, of, of.list(padded.arrays().jobs));
  on.memory("copy", windows);

  const auto shared = of.plan(layouts::share<layouts::by_frequency>{.packed = true});
  const std::string packed = of.copy_of(shared);
  on.heading(fmt::format(
      "(d) share, threads by frequency: {} slots, loaded into shared memory once per block", packed.size()));
  draw_threads(on, of, of.list(shared.arrays().jobs));
  on.memory("copy", packed);
  return on.str();
}

/// Figure 5: the contents of a plan for sharing.
std::string sharing() {
  const example of;
  sheet on(22, 506);
  const auto show = [&](const std::string& title, const auto& plan) {
    on.heading(title);
    const auto& sets = plan.arrays().sets;
    const numbers order = plan.arrays().jobs.size() > 0 ? of.list(plan.arrays().jobs) : of.identity_order();
    const numbers elements = draw_threads(on, of, order);
    const auto local = of.values(sets.local);
    numbers of_threads; // the last block may be partial
    for (std::size_t t = 0; t < elements.size(); ++t) of_threads.push_back(local[t]);
    on.threads("local", words_of(of_threads), elements);
    on.memory("copy", of.copy_of(plan));
    std::vector<std::string> positions, sizes;
    for (const std::int64_t start : of.values(sets.starts)) positions.push_back(std::to_string(start));
    positions.pop_back(); // the end of the last block
    for (const std::int32_t size : of.values(sets.sizes)) sizes.push_back(std::to_string(size));
    on.threads("blockPos", positions, {});
    on.threads("blockSizes", sizes, {});
  };
  show("share: blocks of 16 threads, the elements of each block side by side",
       of.plan(layouts::share<>{.packed = true}));
  show("share, threads by frequency: no element is in both blocks",
       of.plan(layouts::share<layouts::by_frequency>{.packed = true}));
  return on.str();
}

} // namespace

const std::vector<std::string>& layout_pictures() {
  static const std::vector<std::string> all{"padding", "layouts", "sharing"};
  return all;
}

std::string layout_picture(const std::string& name) {
  if (name == "padding") return padding();
  if (name == "layouts") return layouts();
  if (name == "sharing") return sharing();
  throw usage_error(fmt::format("{} is not a picture of layouts; choose one of {}", host::in_quotes(name),
                                joined(layout_pictures())));
}

} // namespace evenly::draw
