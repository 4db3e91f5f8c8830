# SPDX-License-Identifier: Apache-2.0
# For find_package(evenly): what the headers need is looked for first, then the target evenly::evenly is made.
include(CMakeFindDependencyMacro)
find_dependency(TBB)
find_dependency(Boost CONFIG COMPONENTS context)
include(${CMAKE_CURRENT_LIST_DIR}/evenly-targets.cmake)
