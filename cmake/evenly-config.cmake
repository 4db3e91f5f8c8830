# SPDX-License-Identifier: Apache-2.0
# For find_package(evenly): what the headers need is looked for first, and what the compiled library was made with;
# then the
# targets evenly::evenly and evenly::runtime are made, the latter where it was built.
include(CMakeFindDependencyMacro)
find_dependency(TBB)
find_dependency(Boost CONFIG COMPONENTS context)
set(EVENLY_RUNTIME_HAS_CUDA @EVENLY_WITH_CUDA@)
if(EVENLY_RUNTIME_HAS_CUDA)
  find_dependency(CUDAToolkit)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/evenly-targets.cmake)
