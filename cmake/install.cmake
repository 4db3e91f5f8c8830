# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs, in components: headers, runtime (evenly::evenly and evenly::runtime) and io (the
# compiled libraries), mpi (the shared object with ranks under MPI), program. Each compiled library has its own list of
# targets, so that a package of headers alone is complete. The target evenly_installed builds what
# they need, evenly_uninstall takes away what the last installations put there.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/evenly)

# pkg-config: the headers, the library, and the compiled schedules, where they were built. Paths are relative to the
# file, so that an installation may be moved. The evenly.pc of component `headers` names no library; that of component
# `runtime` replaces it. The old file is removed first: two files of one second count as equal for CMake.
cmake_path(SET pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH EVENLY_PC_PREFIX ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
cmake_path(GET EVENLY_PC_PREFIX PARENT_PATH EVENLY_PC_PREFIX) # without a slash at its end
configure_file(cmake/evenly-headers.pc.in ${PROJECT_BINARY_DIR}/evenly-headers.pc @ONLY)
set(EVENLY_PC_LINKS)
configure_file(cmake/evenly.pc.in ${PROJECT_BINARY_DIR}/headers/evenly.pc @ONLY)

install(DIRECTORY include/evenly DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers
  FILES_MATCHING PATTERN "*.hpp")
install(TARGETS evenly_headers EXPORT evenly-targets COMPONENT headers)
install(EXPORT evenly-targets NAMESPACE evenly:: DESTINATION ${package_dir} COMPONENT headers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/evenly-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/evenly-config.cmake ${PROJECT_BINARY_DIR}/evenly-config.cmake COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/evenly-config.cmake ${PROJECT_BINARY_DIR}/evenly-config-version.cmake
  DESTINATION ${package_dir} COMPONENT headers)
install(FILES ${PROJECT_BINARY_DIR}/evenly-headers.pc ${PROJECT_BINARY_DIR}/headers/evenly.pc
  DESTINATION ${pkgconfig_dir} COMPONENT headers)
set(built)

if(TARGET evenly_runtime)
  install(TARGETS evenly_core EXPORT evenly-core-targets COMPONENT runtime)
  install(EXPORT evenly-core-targets NAMESPACE evenly:: DESTINATION ${package_dir} COMPONENT runtime)
  set(EVENLY_PC_LINKS "Cflags: -DEVENLY_LINKS_RUNTIME\nLibs: -L\${libdir} -levenly")
  configure_file(cmake/evenly.pc.in ${PROJECT_BINARY_DIR}/evenly.pc @ONLY)
  install(CODE "file(REMOVE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir}/evenly.pc\")" COMPONENT runtime)
  install(FILES ${PROJECT_BINARY_DIR}/evenly.pc DESTINATION ${pkgconfig_dir} COMPONENT runtime)
  list(APPEND built evenly_core)
  install(TARGETS evenly_runtime evenly_runtime_int32 evenly_runtime_int64 EXPORT evenly-runtime-targets
    COMPONENT runtime)
  install(EXPORT evenly-runtime-targets NAMESPACE evenly:: DESTINATION ${package_dir} COMPONENT runtime)
  set(EVENLY_PC_CFLAGS_CUDA)
  set(EVENLY_PC_LIBS_CUDA)
  get_target_property(definitions evenly_runtime_int32 INTERFACE_COMPILE_DEFINITIONS)
  if("EVENLY_LINKS_CUDA_SORTS" IN_LIST definitions) # it contains kernels
    set(EVENLY_PC_CFLAGS_CUDA "\nCflags: -DEVENLY_LINKS_CUDA_SORTS")
    set(EVENLY_PC_LIBS_CUDA " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt -lpthread")
  endif()
  configure_file(cmake/evenly-runtime.pc.in ${PROJECT_BINARY_DIR}/evenly-runtime.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/evenly-runtime.pc DESTINATION ${pkgconfig_dir} COMPONENT runtime)
  list(APPEND built evenly_runtime_int32 evenly_runtime_int64)
endif()
if(TARGET evenly_io)
  install(TARGETS evenly_io EXPORT evenly-io-targets COMPONENT io)
  install(EXPORT evenly-io-targets NAMESPACE evenly:: DESTINATION ${package_dir} COMPONENT io)
  install(FILES cmake/compression.cmake DESTINATION ${package_dir} RENAME evenly-compression.cmake COMPONENT io)
  list(APPEND built evenly_io)
endif()
if(TARGET evenly_mpi) # where the programs look for it (include/evenly/distributed/mpi.hpp)
  install(TARGETS evenly_mpi COMPONENT mpi LIBRARY DESTINATION lib/evenly)
  list(APPEND built evenly_mpi)
endif()
if(TARGET evenly)
  install(TARGETS evenly COMPONENT program)
  get_property(groups GLOBAL PROPERTY evenly_groups)
  cmake_path(SET libexec NORMALIZE ${CMAKE_INSTALL_BINDIR}/../libexec/evenly) # where the driver looks for them
  install(TARGETS ${groups} COMPONENT program RUNTIME DESTINATION ${libexec})
  install(FILES ${PROJECT_BINARY_DIR}/share/man/man1/evenly.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT program)
  foreach(completion IN ITEMS bash-completion/completions/evenly zsh/site-functions/_evenly
                              fish/vendor_completions.d/evenly.fish)
    cmake_path(GET completion PARENT_PATH folder)
    install(FILES ${PROJECT_BINARY_DIR}/share/${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder}
      COMPONENT program)
  endforeach()
  list(APPEND built evenly_program)
endif()

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/package.cmake)
  add_custom_target(evenly_installed DEPENDS ${built})
  add_custom_target(evenly_uninstall VERBATIM
    COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)
endif()
