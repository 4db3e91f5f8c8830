# SPDX-License-Identifier: Apache-2.0
# The folders of src, each of which is a library with a CMakeLists.txt of its own.

# Where the tests are built and there is no GPU, nobody runs the kernels.
evenly_runs_on_gpu("${EVENLY_GPU_PROGRAM}" gpu_program)
if(NOT gpu_program) # nor the host's code that starts them
  string(REPLACE "-O1" "-O0" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
endif()
function(evenly_take_cuda target)
  target_link_libraries(${target} PUBLIC CUDA::cudart_static)
  if(NOT gpu_program)
    evenly_hardly_optimise(${target})
  endif()
endfunction()

# What is neither measured nor goes through large data is compiled for the sake of compiling. -Og: the preset test.
set(level -O1)
if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-Og")
  set(level -O0)
endif()
function(evenly_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:${level}>)
endfunction()

# Units of the simulated GPU. The simulator itself is compiled in evenly::runtime at -O2; kernels at -O1 take 1.01 to
# 1.05 times as long as at -O2, and at -Og 1.5 times, but compile in 0.7 of the time. The preset test leaves them at
# -Og. To be called in the folder of the sources.
function(evenly_optimise_simulated)
  if(NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "-Og")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# Makes the library evenly_ROOM of the current folder, ROOM, whose users include it as "ROOM/...", and which links what
# follows. Where no kernels are run, those of a room end at PTX, and the room knows of no GPU; but for `measure`, which
# is what says that there is none.
function(evenly_add_room)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME room)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  set(cuda_sources)
  if(EVENLY_WITH_CUDA)
    file(GLOB cuda_sources CONFIGURE_DEPENDS *.cu)
  endif()
  set(target evenly_${room})
  add_library(${target} STATIC ${sources})
  evenly_configure(${target})
  target_link_libraries(${target} PUBLIC ${ARGN})
  file(GLOB simulated CONFIGURE_DEPENDS simt.cpp simt_*.cpp *_simt.cpp)
  if(simulated)
    evenly_optimise_simulated(${simulated})
  endif()
  if(NOT cuda_sources)
    return()
  elseif(gpu_program OR room STREQUAL "measure")
    target_sources(${target} PRIVATE ${cuda_sources})
    evenly_take_cuda(${target})
  else()
    set(target evenly_${room}_compile)
    add_library(${target} OBJECT ${cuda_sources})
    evenly_configure(${target})
    target_link_libraries(${target} PRIVATE ${ARGN})
    evenly_end_at_ptx(${target})
  endif()
  target_compile_definitions(${target} PRIVATE EVENLY_WITH_CUDA)
endfunction()
