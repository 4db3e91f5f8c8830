// SPDX-License-Identifier: Apache-2.0
// The words of the command line, put where commands find them. What they mean is looked up in main.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/compare.hpp"
#include "cli/option_effects.hpp"
#include "cli/option_values.hpp"
#include "cli/spmv_command.hpp"
#include "draw/draw.hpp"
#include "explain/explain.hpp"
#include "graphs/search.hpp"
#include "ladder/ladder.hpp"
#include "reorganize/reorganize.hpp"
#include "sparse/spgemm_command.hpp"
#include "sparse/spmm_command.hpp"
#include "sparse/transpose_command.hpp"
#include "spatial/octree.hpp"
#include "study/study.hpp"
#include "tasks/tasks.hpp"

namespace evenly::cli {

inline const choices<ladder_kind> ladders{
    {"reduce", ladder_kind::reduce}, {"scan", ladder_kind::scan}, {"rotate", ladder_kind::rotate}};

/// What the command line says, as it says it: empty where it says nothing. What commands share is said once.
struct arguments {
  std::string command;
  std::vector<given_option> given;
  std::string
      answer; ///< what --help, --version, man and completion are answered with; then there is no more to do
  compare_options compare;
  spmv_options spmv;
  draw_options draw;
  explain_options explain;
  study_options study;
  ladder_options ladder;
  tasks_options tasks;
  octree_command octree;
  reorganize_options reorganize;
  search_options search;
  spgemm_options spgemm;
  spmm_options spmm;
  transpose_options transpose;
  std::string input; ///< of info
  bool info_json = false;
  std::string kind; ///< of ladder, study and completion
  std::string op;
  std::string type;
  std::string on;
  std::string schedule;
  std::string drawn_schedules; ///< of draw lanes
  std::string rows;
  std::string width;
  std::string layout;
  std::string rungs;
  std::string pools;
  std::string most;
  std::string cut;
  std::string blocks;
  std::string arms;
  std::string iterations;
  std::string change_every;
  std::string n;
  std::string source;
  std::string weights;
  std::string method;
  std::string delta;
  std::string memory;
  std::string format;
  std::string columns;
  bool renumber = false;
  std::string frame;
  bool count = false;
  std::string repeat;
  std::string seed;
  std::string threads;
  std::string block;
  std::string warp;
};

/// Throws usage_error for words that no command takes, and for values that are missing, empty or given twice.
arguments read_command_line(std::span<char* const> argv);

} // namespace evenly::cli
