# SPDX-License-Identifier: Apache-2.0
# The folders of src, each of which is a library with a CMakeLists.txt of its own.

# Kernels are part of the libraries where there is a GPU, or where asked for. Elsewhere, where tests are built, each is
# compiled once, as far as PTX.
evenly_runs_on_gpu("${EVENLY_GPU_PROGRAM}" gpu_program)
if(EVENLY_BUILD_TESTS AND NOT gpu_program) # tests link some of them
  evenly_runs_on_gpu("${EVENLY_GPU_TESTS}" gpu_program)
endif()
set(no_cuda_reason "this program was built without CUDA")
if(EVENLY_WITH_CUDA AND NOT gpu_program)
  set(no_cuda_reason "this program was built without kernels: EVENLY_GPU_PROGRAM is ${EVENLY_GPU_PROGRAM}")
  if(EVENLY_GPU_PROGRAM STREQUAL "AUTO")
    string(APPEND no_cuda_reason ", and there was no GPU")
  endif()
  string(REPLACE "-O1" "-O0" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}") # of the host's code
elseif(NOT EVENLY_WITH_CUDA)
  set(gpu_program OFF)
endif()

# Gives `target` the CUDA sources that follow.
function(evenly_add_kernels target)
  if(NOT ARGN)
    return()
  elseif(gpu_program)
    target_sources(${target} PRIVATE ${ARGN})
    target_link_libraries(${target} PUBLIC CUDA::cudart_static)
    target_compile_definitions(${target} PRIVATE EVENLY_WITH_CUDA)
  elseif(EVENLY_BUILD_TESTS)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
    evenly_join_kernels(${target}_kernels 100 ${ARGN})
    add_library(${target}_compile OBJECT ${${target}_kernels})
    evenly_configure(${target}_compile)
    target_include_directories(${target}_compile PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target}_compile PRIVATE EVENLY_WITH_CUDA)
    target_link_libraries(${target}_compile PRIVATE ${target})
    evenly_end_at_ptx(${target}_compile)
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

# Units of the simulated GPU. The simulator itself is compiled in evenly::evenly at -O2; kernels at -O1 take 1.01 to
# 1.05 times as long as at -O2, and at -Og 1.5 times, but compile in 0.7 of the time. The preset test leaves them at
# -Og. To be called in the folder of the sources.
function(evenly_optimise_simulated)
  if(NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "-Og")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# Compiles up to eight C++ sources of `target` as one unit: a small source takes most of its time to read headers.
# Sources with options of their own stay separate. So do sources with the property SKIP_UNITY_BUILD_INCLUSION: set it
# for sources whose unnamed namespaces have names in common. EVENLY_JOIN_SOURCES=OFF compiles every source separately,
# which shows missing includes.
function(evenly_join_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${EVENLY_JOIN_SOURCES} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Adds sources of explicit instantiations to the library that the current folder makes next, one for each of EXECUTORS:
# STEM_cpu.cpp, STEM_simt.cpp, STEM_cuda.cu, in the build tree. TOGETHER: the preset test, which optimises cpu and simt
# alike, has STEM_host.cpp for both, which pays for small ones. Each source includes the executor and INCLUDE. In
# NAMESPACE
# (that of the folder by default) it has a line `template DECLARATION;` for each of DECLARATIONS, where @executor@
# stands for cpu, simt or cuda. With TYPES it has these lines for each type, for which @type@ stands. On cuda each type
# has a source of its own (STEM_0_cuda.cu, STEM_1_cuda.cu): kernels take much longer to compile than headers take to
# read. Where kernels are only compiled, as far as PTX, PTX_TYPES takes the place of TYPES on cuda.
function(evenly_instantiate stem)
  cmake_parse_arguments(PARSE_ARGV 1 of "TOGETHER" "INCLUDE;NAMESPACE" "EXECUTORS;DECLARATIONS;TYPES;PTX_TYPES")
  if(NOT of_NAMESPACE)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME room)
    set(of_NAMESPACE evenly::${room})
  endif()
  set(executors ${of_EXECUTORS})
  if(of_TOGETHER AND CMAKE_CXX_FLAGS_RELEASE MATCHES "-Og" AND EVENLY_JOIN_SOURCES)
    list(REMOVE_ITEM executors cpu simt)
    list(APPEND executors host)
  endif()
  foreach(executor IN LISTS executors)
    set(declarations ${of_DECLARATIONS})
    if(of_TYPES)
      set(types ${of_TYPES})
      if(of_PTX_TYPES AND executor STREQUAL cuda AND NOT gpu_program)
        set(types ${of_PTX_TYPES})
      endif()
      set(declarations)
      set(number 0)
      foreach(type IN LISTS types)
        string(REPLACE "@type@" ${type} of_type "${of_DECLARATIONS}")
        list(APPEND declarations ${of_type})
        if(executor STREQUAL cuda)
          evenly_write_instantiations(${stem}_${number} cuda ${of_NAMESPACE} ${of_INCLUDE} ${of_type})
          math(EXPR number "${number} + 1")
        endif()
      endforeach()
    endif()
    if(NOT (of_TYPES AND executor STREQUAL cuda))
      evenly_write_instantiations(${stem} ${executor} ${of_NAMESPACE} ${of_INCLUDE} ${declarations})
    endif()
  endforeach()
endfunction()
# One source of evenly_instantiate, with the declarations that follow. host: cpu and simt.
function(evenly_write_instantiations stem executor namespace include)
  set(executors ${executor})
  if(executor STREQUAL host)
    set(executors cpu simt)
  endif()
  set(lines)
  set(instantiations)
  foreach(each IN LISTS executors)
    string(APPEND lines "#include \"evenly/execution/${each}.hpp\"\n")
    foreach(declaration IN LISTS ARGN)
      string(REPLACE "@executor@" ${each} declaration "${declaration}")
      string(APPEND instantiations "template ${declaration};\n")
    endforeach()
  endforeach()
  string(APPEND lines "#include \"${include}\"\n\nnamespace ${namespace} {\n${instantiations}"
    "} // namespace ${namespace}\n")
  set(ending cpp)
  if(executor STREQUAL cuda)
    set(ending cu)
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${executor}.${ending})
  file(CONFIGURE OUTPUT ${source} CONTENT "${lines}" @ONLY)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(executor STREQUAL simt)
    evenly_optimise_simulated(${source})
  endif()
  set_property(DIRECTORY APPEND PROPERTY instantiated_${ending} ${source})
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
# that follow. `base_sources` may name sources that are compiled elsewhere.
function(evenly_add_room)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME room)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "_command\\.cpp$") # those of evenly_add_group
  list(TRANSFORM base_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${base_sources})
  evenly_take_instantiated(instantiated_cpp instantiated_cu)
  set(cuda_sources)
  if(EVENLY_WITH_CUDA)
    file(GLOB cuda_sources CONFIGURE_DEPENDS *.cu)
    list(APPEND cuda_sources ${instantiated_cu})
  endif()
  set(target evenly_${room})
  add_library(${target} STATIC ${sources} ${instantiated_cpp})
  evenly_configure(${target})
  evenly_join_sources(${target})
  target_link_libraries(${target} PUBLIC ${ARGN})
  file(GLOB simulated CONFIGURE_DEPENDS simt.cpp simt_*.cpp *_simt.cpp)
  if(simulated)
    evenly_optimise_simulated(${simulated})
  endif()
  evenly_add_kernels(${target} ${cuda_sources})
endfunction()

# Makes evenly-GROUP, the program of the commands of the current folder (NAME_command.cpp), which the driver `evenly`
# starts (src/cli/commands.cpp); it links what follows. OPTIMISED: the files themselves go through large data.
function(evenly_add_group group)
  cmake_parse_arguments(PARSE_ARGV 1 commands OPTIMISED "" "")
  if(NOT EVENLY_BUILD_PROGRAM)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS *_command.cpp)
  set(target evenly-${group})
  add_executable(${target} ${sources})
  evenly_configure(${target})
  evenly_join_sources(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/libexec/evenly)
  if(NOT commands_OPTIMISED)
    evenly_optimise_little(${target})
  endif()
  target_link_libraries(${target} PRIVATE evenly_group ${commands_UNPARSED_ARGUMENTS})
  set_property(GLOBAL APPEND PROPERTY evenly_groups ${target})
endfunction()
