# SPDX-License-Identifier: Apache-2.0
# Run at every build (cmake -P): writes the header OUTPUT with the commit of the tree SOURCE. An unchanged header is
# not touched, so only a new commit, or the first edit after one, recompiles the few files that include it.
set(commit unknown)
set(description unknown)
set(dirty false)

find_program(git git)
if(git)
  # --no-optional-locks: a build must not get in the way of a commit made meanwhile.
  macro(ask_git variable)
    execute_process(COMMAND ${git} --no-optional-locks ${ARGN} WORKING_DIRECTORY ${SOURCE}
      OUTPUT_VARIABLE ${variable} OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  endmacro()
  ask_git(prefix rev-parse --show-prefix)
  if(NOT failed AND prefix STREQUAL "") # a copy inside another repository is not that repository's commit
    ask_git(commit rev-parse --verify HEAD)
    ask_git(description describe --always --tags --dirty --abbrev=12)
    if(failed)
      set(commit unknown)
      set(description unknown)
    elseif(description MATCHES "-dirty$")
      set(dirty true)
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[// Made by the build.
#pragma once

namespace evenly::build_info {

inline constexpr char version[] = "@VERSION@";
/// The full hash of the commit; "unknown" outside a git checkout.
inline constexpr char commit[] = "@commit@";
/// Whether tracked files differed from that commit.
inline constexpr bool dirty = @dirty@;
/// `git describe`: the last tag, the commits since, the short hash, "-dirty"; "unknown" outside a git checkout.
inline constexpr char description[] = "@description@";

} // namespace evenly::build_info
]])
