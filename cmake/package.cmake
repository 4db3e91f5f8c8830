# SPDX-License-Identifier: Apache-2.0
# Debian packages: cpack -G DEB in a build folder where evenly_installed was built; preset package has what they want.
# evenly is the program, libevenly-dev the headers and the compiled libraries, evenly-mpi the shared object with ranks
# under MPI.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libevenly-dev RENAME copyright COMPONENT headers)
if(TARGET evenly)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/evenly RENAME copyright COMPONENT program)
endif()
if(TARGET evenly_mpi)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/evenly-mpi RENAME copyright COMPONENT mpi)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME evenly)
set(CPACK_PACKAGE_CONTACT "evenly <evenly@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL headers)
foreach(component IN ITEMS runtime io mpi program)
  if(component STREQUAL program AND TARGET evenly OR TARGET evenly_${component})
    list(APPEND CPACK_COMPONENTS_ALL ${component})
  endif()
endforeach()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
foreach(component IN ITEMS HEADERS RUNTIME IO)
  set(CPACK_COMPONENT_${component}_GROUP dev)
endforeach()
set(CPACK_COMPONENT_PROGRAM_GROUP program)
set(CPACK_COMPONENT_MPI_GROUP mpi)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME evenly)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "gnuplot-nox") # of --report
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "The program, which compares schedules, searches graphs, multiplies matrices, counts and draws.")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME evenly-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION math)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_DESCRIPTION "Ranks under MPI, for programs with evenly::distributed and for evenly --ranks mpi.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libevenly-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libtbb-dev, libboost-context-dev")
if(TARGET evenly_io)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    ", libfmt-dev, libarchive-dev, zlib1g-dev, libbz2-dev, liblzma-dev, libzstd-dev")
endif()
set(CPACK_DEBIAN_DEV_DESCRIPTION "The headers and the compiled libraries.")

# What cpack installs for itself it notes as if it were installed: evenly_uninstall would remove the package's files.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/forget_staging.cmake @ONLY CONTENT [[
file(GLOB manifests "@PROJECT_BINARY_DIR@/install_manifest_*.txt")
file(REMOVE ${manifests})
]])
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/forget_staging.cmake)
include(CPack)
