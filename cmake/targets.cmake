# SPDX-License-Identifier: Apache-2.0
# How our own targets are compiled: these functions are the only place that says so.

# Gives `target` the headers, our language level, warnings, optimisation and sanitizers. The target must exist. With
# ANY_PROCESSOR it runs on every processor of the architecture, whatever EVENLY_ARCH says.
function(evenly_configure target)
  target_link_libraries(${target} PRIVATE evenly_headers)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE # CMake 3.25.1 does not know that nvcc has C++20, so no CUDA_STANDARD
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;-Xcompiler=-Wall,-Wextra>")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS_RELEASE MATCHES "-Og")
    # The preset test is compiled for the sake of compiling: the compiler takes up to a fifth more memory, and 5 to 9%
    # less time.
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=300;--param=ggc-min-heapsize=1000000>"
      "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=--param=ggc-min-expand=300,--param=ggc-min-heapsize=1000000>")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # a false warning at -O1 and -O2, met in CUB's headers
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-maybe-uninitialized>)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # libstdc++ 12 calls what it deprecates, in std::stable_sort
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
  endif()
  if(EVENLY_WERROR)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
      "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
  endif()
  if(EVENLY_ARCH AND NOT "ANY_PROCESSOR" IN_LIST ARGN)
    # Not for nvcc: the host compiler compiles all code that must be fast on the CPU.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=${EVENLY_ARCH}>)
  endif()
  if(EVENLY_STD_THREADS)
    target_compile_definitions(${target} PRIVATE EVENLY_STD_THREADS)
  endif()
  if(EVENLY_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${EVENLY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
      $<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -inline-threshold=20>) # a quarter less time to compile
    target_link_options(${target} PRIVATE -fsanitize=${EVENLY_SANITIZE})
  endif()
  if(EVENLY_BUILD_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  # The headers link the libraries of every executor; a program carried to a bare machine should ask there only
  # for those that it uses.
  target_link_options(${target} PRIVATE LINKER:--as-needed)
endfunction()

# Compiles the GPU code of `target` as fast as nvcc goes: nobody is expected to run it. It is left as PTX, which a GPU's
# driver can still finish.
function(evenly_hardly_optimise target)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES ${EVENLY_CUDA_ARCHITECTURES}-virtual)
  include(CheckCompilerFlag)
  check_compiler_flag(CUDA --Ofast-compile=max EVENLY_FASTEST_KERNELS)
  if(EVENLY_FASTEST_KERNELS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--Ofast-compile=max>)
  endif()
endfunction()

# Ends the compilation of the GPU code of the object library `target` at PTX. That checks the host's code too, and g++
# would take more than half of the time. With EVENLY_ONLY_COMPILES_KERNELS each kernel is compiled for one block size,
# and operations that differ in the schedule only for one schedule.
function(evenly_end_at_ptx target)
  evenly_hardly_optimise(${target})
  target_compile_definitions(${target} PRIVATE EVENLY_ONLY_COMPILES_KERNELS)
  set_target_properties(${target} PROPERTIES CUDA_PTX_COMPILATION ON)
endfunction()

# Sets `units` to files that include the CUDA sources that follow, `size` of them each. Where sources are compiled to
# PTX, reading headers is most of what one costs.
function(evenly_join_kernels units size)
  set(joined)
  while(ARGN)
    list(SUBLIST ARGN 0 ${size} sources)
    list(REMOVE_ITEM ARGN ${sources})
    list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
    list(JOIN includes "" includes)
    list(LENGTH joined number)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/cuda/${units}_${number}.cu)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${includes}" @ONLY)
    list(APPEND joined ${unit})
  endwhile()
  set(${units} ${joined} PARENT_SCOPE)
endfunction()

# Sets `result` to whether code that `choice` (ON, OFF, or AUTO) stands for will be run on a GPU.
function(evenly_runs_on_gpu choice result)
  if(choice STREQUAL "AUTO")
    set(choice OFF)
    if(EXISTS /dev/nvidiactl OR EXISTS /dev/dxg) # of Linux, and of Linux in Windows
      set(choice ON)
    endif()
  endif()
  set(${result} ${choice} PARENT_SCOPE)
endfunction()

# Makes the program `target` from `stem`.cpp, `stem`.cu or both, as they exist in the current folder. Without CUDA
# the .cu is left out, and a program of a .cu alone is not made.
function(evenly_add_stem target stem)
  set(sources)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${stem}.cpp)
    list(APPEND sources ${stem}.cpp)
  endif()
  if(EVENLY_WITH_CUDA AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${stem}.cu)
    list(APPEND sources ${stem}.cu)
  endif()
  if(sources)
    add_executable(${target} ${sources})
    evenly_configure(${target})
    if(EVENLY_WITH_CUDA)
      target_compile_definitions(${target} PRIVATE EVENLY_WITH_CUDA)
    endif()
  endif()
endfunction()
