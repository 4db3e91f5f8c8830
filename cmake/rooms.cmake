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

# Times of the simulation mean nothing, but people wait for it: at -O1, without inlining, it takes 2.6 times as long.
# The preset test goes without. To be called in the folder of the sources.
function(evenly_optimise_simulated)
  if(NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "-Og")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
  endif()
endfunction()

# Adds sources of explicit instantiations to the library that the current folder makes next, one for each of EXECUTORS:
# STEM_cpu.cpp, STEM_simt.cpp, STEM_cuda.cu, in the build tree. Each includes the executor and INCLUDE. In NAMESPACE
# (evenly::cli by default) it has a line `template DECLARATION;` for each of DECLARATIONS, where @executor@ stands for
# cpu, simt or cuda.
function(evenly_instantiate stem)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "INCLUDE;NAMESPACE" "EXECUTORS;DECLARATIONS")
  if(NOT of_NAMESPACE)
    set(of_NAMESPACE evenly::cli)
  endif()
  foreach(executor IN LISTS of_EXECUTORS)
    set(lines "#include \"evenly/execution/${executor}.hpp\"\n#include \"${of_INCLUDE}\"\n\n")
    string(APPEND lines "namespace ${of_NAMESPACE} {\n")
    foreach(declaration IN LISTS of_DECLARATIONS)
      string(REPLACE "@executor@" ${executor} declaration "${declaration}")
      string(APPEND lines "template ${declaration};\n")
    endforeach()
    string(APPEND lines "} // namespace ${of_NAMESPACE}\n")
    set(ending cpp)
    if(executor STREQUAL cuda)
      set(ending cu)
    endif()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${executor}.${ending})
    file(CONFIGURE OUTPUT ${source} CONTENT "${lines}" @ONLY)
    if(executor STREQUAL simt)
      evenly_optimise_simulated(${source})
    endif()
    set_property(DIRECTORY APPEND PROPERTY instantiated_${ending} ${source})
  endforeach()
endfunction()
# Takes what evenly_instantiate has added: sets the variables to the C++ sources and to the CUDA sources.
function(evenly_take_instantiated cpp cu)
  foreach(ending IN ITEMS cpp cu)
    get_directory_property(sources instantiated_${ending})
    set(${${ending}} ${sources} PARENT_SCOPE)
    set_property(DIRECTORY PROPERTY instantiated_${ending})
  endforeach()
endfunction()

# Makes the library evenly_ROOM of the current folder, ROOM, whose users include it as "ROOM/...". It links the targets
# that follow.
# Where nobody runs kernels, those of a room end at PTX, and the room knows of no GPU; but for `measure`, which is what
# says that there is none.
function(evenly_add_room)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME room)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  evenly_take_instantiated(instantiated_cpp instantiated_cu)
  set(cuda_sources)
  if(EVENLY_WITH_CUDA)
    file(GLOB cuda_sources CONFIGURE_DEPENDS *.cu)
    list(APPEND cuda_sources ${instantiated_cu})
  endif()
  set(target evenly_${room})
  add_library(${target} STATIC ${sources} ${instantiated_cpp})
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
