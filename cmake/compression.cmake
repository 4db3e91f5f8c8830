# SPDX-License-Identifier: Apache-2.0
# Finds what evenly::io needs for archives and compression; for the build and, installed, for find_package(evenly).
# EVENLY_COMPRESSION_MISSING lists what was not found.
set(EVENLY_COMPRESSION_MISSING)
foreach(package IN ITEMS LibArchive ZLIB BZip2 LibLZMA)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND AND NOT ${package}_LIBRARIES)
    list(APPEND EVENLY_COMPRESSION_MISSING ${package})
  endif()
endforeach()

# Not every release of libzstd has a package for CMake.
find_path(EVENLY_ZSTD_INCLUDE zstd.h)
find_library(EVENLY_ZSTD zstd)
mark_as_advanced(EVENLY_ZSTD_INCLUDE EVENLY_ZSTD)
if(NOT EVENLY_ZSTD_INCLUDE OR NOT EVENLY_ZSTD)
  list(APPEND EVENLY_COMPRESSION_MISSING libzstd)
elseif(NOT TARGET evenly::zstd)
  add_library(evenly::zstd UNKNOWN IMPORTED GLOBAL)
  set_target_properties(evenly::zstd PROPERTIES
    IMPORTED_LOCATION ${EVENLY_ZSTD} INTERFACE_INCLUDE_DIRECTORIES ${EVENLY_ZSTD_INCLUDE})
endif()
list(JOIN EVENLY_COMPRESSION_MISSING ", " EVENLY_COMPRESSION_MISSING)
