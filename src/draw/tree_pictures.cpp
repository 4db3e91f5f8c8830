// SPDX-License-Identifier: Apache-2.0
// Figures 4 to 11 of the course on reductions and prefix sums (docs/ladder.md), from the kernels of the ladder.
#include "draw/tree_pictures.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "draw/step_recording.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/ladder/versions.hpp"
#include "evenly/trace/detail/block_trace.hpp"
#include "host/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"
#include "report/svg.hpp"

namespace evenly::draw {

using evenly::report::svg;
using measure::joined, measure::usage_error, measure::with_noun;

namespace {

/// Calls visit(version) for each version that has a picture: those whose kernels are of the ladder.
template <class Visit> void for_each_drawn(const Visit& visit) {
  const auto if_drawn = [&](const auto& version) {
    if constexpr (requires { &std::remove_cvref_t<decltype(version)>::predict; }) visit(version);
  };
  ladder::for_each_reduction(if_drawn);
  ladder::for_each_scan(if_drawn);
}

/// An array in memory of the run.
struct array {
  const char* name;
  std::uintptr_t begin;
  std::size_t elements;
};

struct recorded_tree {
  std::string title;
  std::string teaches;
  std::vector<array> arrays;
  access_log log;
};

template <class Version> recorded_tree record(Version version, int elements, int block_size, int warp_size) {
  recorded_tree made{fmt::format("{}: {} in blocks of {}, warps of {}", version.name,
                                 with_noun(elements, "element"), with_noun(block_size, "thread"), warp_size),
                     version.teaches,
                     {},
                     {}};
  version.block_size = block_size;
  const recorder exec(made.log, warp_size);
  std::vector<int> input; // 3, 11, 2, ...: of one or two digits
  for (int i = 0; i < elements; ++i) {
    made.log.nodes.push_back({(7 * i + 3) % 12});
    input.push_back(static_cast<int>(made.log.nodes.size()) - 1);
  }
  constexpr bool reduces = requires { Version::destroys_input; };
  const auto in = to_executor(exec, input);
  const auto out = make_buffer<int>(exec, reduces ? 1 : static_cast<std::size_t>(elements));
  auto memory = version.template prepare<int>(exec, elements);
  const auto add = [&](const char* name, const auto& of) {
    if (of.size() > 0) made.arrays.push_back({name, reinterpret_cast<std::uintptr_t>(of.data()), of.size()});
  };
  add("input", in);
  add("output", out);
  add("more memory", memory.elements);
  const combine_nodes op{&made.log};
  if constexpr (reduces)
    version(exec, in.data(), elements, op, out.data(), memory);
  else
    version(exec, ladder::prefixes::inclusive, in.data(), elements, op, out.data(), memory);
  return made;
}

/// Which array an access is to: an index of `arrays`, or `shared`.
constexpr int shared = -1;
struct place {
  int array = shared;
  int index = 0;
  auto operator<=>(const place&) const = default;
};

/// A row of the picture: the stores to one array in one step.
struct row {
  int launch = 0;
  int step = 0;
  int array = shared;
  std::map<int, const recorded_access*> stored; ///< by index
  std::vector<const recorded_access*> loads;    ///< of the whole step
};

class tree_sheet {
 public:
  tree_sheet(const recorded_tree& of, int warp_size) : of_(of), warp_size_(warp_size), picture_(400, 60) {
    for (const recorded_access& each : of.log.accesses)
      if (each.shared) slots_ = std::max(slots_, static_cast<int>(each.address / sizeof(int)) + 1);
  }

  std::string str() {
    for (const recorded_access& each : of_.log.accesses)
      columns_ = std::max(columns_, place_of(each).index + 1);
    picture_.text(12, 24, of_.title, 14, "start", "#222", "bold");
    picture_.text(12, 44, of_.teaches, 12, "start", "#555");
    y_ = 64;
    draw_input();
    std::vector<row> rows = rows_of_steps();
    for (std::size_t i = 0; i < rows.size(); ++i) draw(rows[i], static_cast<int>(i) + 1);
    return picture_.str();
  }

 private:
  static constexpr double cell = 26, left = 150, gap = 44;

  place place_of(const recorded_access& each) const {
    if (each.shared) return {shared, each.block * slots_ + static_cast<int>(each.address / sizeof(int))};
    for (std::size_t a = 0; a < of_.arrays.size(); ++a)
      if (const array& in = of_.arrays[a]; each.address - in.begin < in.elements * sizeof(int))
        return {static_cast<int>(a), static_cast<int>((each.address - in.begin) / sizeof(int))};
    return {};
  }
  std::string name_of(int array) const {
    return array == shared ? "shared memory" : of_.arrays[static_cast<std::size_t>(array)].name;
  }
  static double x_of(int index) { return left + index * cell; }

  /// Stores of one launch and step to one array; a further store to the same element begins a new row.
  std::vector<row> rows_of_steps() const {
    std::map<std::tuple<int, int, int, int>, row> found;
    std::map<std::pair<int, int>, std::vector<const recorded_access*>> loads;
    std::map<std::tuple<int, int, place>, int> times;
    for (const recorded_access& each : of_.log.accesses) {
      if (!each.stores) {
        loads[{each.launch, each.step}].push_back(&each);
        continue;
      }
      const place at = place_of(each);
      const int again = times[{each.launch, each.step, at}]++;
      row& in = found[{each.launch, each.step, again, at.array}];
      in.launch = each.launch, in.step = each.step, in.array = at.array;
      in.stored[at.index] = &each;
    }
    std::vector<row> all;
    for (auto& [key, each] : found) {
      each.loads = loads[{each.launch, each.step}];
      all.push_back(std::move(each));
    }
    return all;
  }

  void draw_input() {
    for (std::size_t i = 0; i < of_.arrays[0].elements; ++i)
      shown_[{0, static_cast<int>(i)}] = {y_, static_cast<int>(i) + 1};
    draw_array(0, {}, {});
    y_ += cell;
  }

  /// The contents of an array, with a tick where each sector of memory begins.
  void draw_array(int array, const std::map<int, const recorded_access*>& stored,
                  const std::set<int>& in_conflict) {
    picture_.text(left - 10, y_ + cell * 0.68, name_of(array), 11, "end");
    for (auto& [at, seen] : shown_) {
      if (at.array != array) continue;
      const bool is_new = stored.contains(at.index) || stored.empty();
      const double x = x_of(at.index);
      picture_.rect(x, y_, cell, cell, is_new ? "#cfe3f6" : "#f4f4f4",
                    in_conflict.contains(at.index) ? "#c00" : "#aaa");
      picture_.text(x + cell / 2, y_ + cell * 0.68,
                    std::to_string(of_.log.nodes[static_cast<std::size_t>(seen.second)].sum), 11, "middle",
                    is_new ? "#222" : "#999");
      if (array != shared && (of_.arrays[static_cast<std::size_t>(array)].begin / sizeof(int) +
                              static_cast<std::size_t>(at.index)) %
                                     8 ==
                                 0)
        picture_.line(x, y_ - 3, x, y_ + cell + 3, "#222", 2);
      seen.first = y_;
    }
  }

  /// The nodes that a thread loaded in a step and that a value was combined from, or that it is.
  std::vector<const recorded_access*> sources(const row& in, const recorded_access& stored) const {
    std::vector<const recorded_access*> found;
    const node& made = of_.log.nodes[static_cast<std::size_t>(stored.value)];
    for (const recorded_access* load : in.loads)
      if (load->block == stored.block && load->thread == stored.thread && load < &stored &&
          (load->value == stored.value || load->value == made.left || load->value == made.right))
        found.push_back(load);
    return found;
  }

  void draw(const row& in, int number) {
    const std::set<int> conflicts = in_conflict(in);
    const double top = y_ + gap;
    for (const auto& [index, stored] : in.stored) {
      picture_.begin_group(
          fmt::format("launch {}, thread {} of block {}", in.launch + 1, stored->thread, stored->block),
          {{"data-launch", std::to_string(in.launch + 1)},
           {"data-step", std::to_string(number)},
           {"data-thread", std::to_string(stored->thread)},
           {"data-array", name_of(in.array)},
           {"data-index", std::to_string(index)},
           {"data-conflict", conflicts.contains(index) ? "yes" : "no"}});
      for (const recorded_access* load : sources(in, *stored))
        if (const auto from = shown_.find(place_of(*load)); from != shown_.end())
          picture_.line(x_of(from->first.index) + cell / 2, from->second.first + cell, x_of(index) + cell / 2,
                        top, colour_of(stored->thread), 1.5);
      picture_.end_group();
    }
    for (const auto& [index, stored] : in.stored) shown_[{in.array, index}] = {top, stored->value};
    y_ = top;
    draw_array(in.array, in.stored, conflicts);
    picture_.text(x_of(columns_) + 12, y_ + cell * 0.68, words_of(in), 11, "start", "#555");
    y_ += cell;
  }

  static const char* colour_of(int thread) {
    constexpr std::array<const char*, 6> colours{"#3b78b5", "#c0662a", "#4b9a4b",
                                                 "#a44a9c", "#8a7a2a", "#5a5a5a"};
    return colours[static_cast<std::size_t>(thread) % colours.size()];
  }

  using request = std::tuple<int, int, bool, bool, int>; ///< block, warp, stores, shared, number in the lane
  /// The requests of warps in a step: each lane's first loads together, then its second ones, and so on.
  template <class Visit> void for_each_request(const row& in, const Visit& visit) const {
    std::map<request, std::pair<std::array<std::uint64_t, 64>, lane_mask>> all;
    std::map<std::tuple<int, int, bool, bool>, int> made;
    const auto add = [&](const recorded_access& each) {
      const int number = made[{each.block, each.thread, each.stores, each.shared}]++;
      auto& [addresses, lanes] =
          all[{each.block, each.thread / warp_size_, each.stores, each.shared, number}];
      addresses[static_cast<std::size_t>(each.thread % warp_size_)] = each.address;
      lanes |= lane_mask{1} << (each.thread % warp_size_);
    };
    for (const recorded_access& each : of_.log.accesses)
      if (each.launch == in.launch && each.step == in.step) add(each);
    for (const auto& [key, of] : all) visit(std::get<3>(key), of.first.data(), of.second);
  }

  /// The indices of the row's stored elements whose banks lanes need for different words at once.
  std::set<int> in_conflict(const row& in) const {
    std::set<std::uint64_t> words;
    for_each_request(in, [&](bool is_shared, const std::uint64_t* addresses, lane_mask lanes) {
      if (!is_shared) return;
      std::map<std::uint64_t, std::set<std::uint64_t>> of_bank;
      for (lane_mask rest = lanes; rest; rest &= rest - 1) {
        const std::uint64_t word = addresses[first_lane(rest)] / sizeof(int);
        of_bank[word % 32].insert(word);
      }
      for (const auto& [bank, needed] : of_bank)
        if (needed.size() > 1) words.insert(needed.begin(), needed.end());
    });
    std::set<int> found;
    if (in.array == shared)
      for (const auto& [index, stored] : in.stored)
        if (words.contains(stored->address / sizeof(int))) found.insert(index);
    return found;
  }

  std::string words_of(const row& in) const {
    std::set<std::pair<int, int>> threads;
    for (const auto& [index, stored] : in.stored) threads.insert({stored->block, stored->thread});
    std::int64_t requests = 0, sectors = 0, shared_requests = 0, wavefronts = 0;
    for_each_request(in, [&](bool is_shared, const std::uint64_t* addresses, lane_mask lanes) {
      if (is_shared) {
        ++shared_requests;
        wavefronts += evenly::detail::wavefronts_of(addresses, lanes, sizeof(int)).taken;
      } else {
        ++requests;
        sectors += evenly::detail::touched_sectors(addresses, lanes).count;
      }
    });
    std::string text = fmt::format("launch {}, {} at work", in.launch + 1,
                                   with_noun(static_cast<std::int64_t>(threads.size()), "thread"));
    if (requests > 0)
      text += fmt::format("; memory: {} in {}", with_noun(sectors, "sector"), with_noun(requests, "request"));
    if (shared_requests > 0)
      text +=
          fmt::format("; shared memory: {}", wavefronts == shared_requests
                                                 ? "no conflicts"
                                                 : with_noun(wavefronts - shared_requests, "bank conflict"));
    return text;
  }

  const recorded_tree& of_;
  int warp_size_;
  int columns_ = 0;
  int slots_ = 0;                                 ///< elements of shared memory in a block
  std::map<place, std::pair<double, int>> shown_; ///< of each element: where it is drawn last, and its node
  double y_ = 0;
  svg picture_;
};

} // namespace

const std::vector<std::string>& tree_pictures() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for_each_drawn([&](const auto& version) { names.emplace_back(version.name); });
    return names;
  }();
  return all;
}

std::string tree_picture(const std::string& name, int elements, int block_size, int warp_size) {
  if (elements < 2 || elements > max_drawn_elements)
    throw usage_error(
        fmt::format("draw {} {}: a picture shows 2 to {} elements", name, elements, max_drawn_elements));
  std::string drawn;
  for_each_drawn([&](const auto& version) {
    if (name != version.name) return;
    const recorded_tree tree = record(version, elements, block_size, warp_size);
    drawn = tree_sheet(tree, warp_size).str();
  });
  return drawn;
}

} // namespace evenly::draw
