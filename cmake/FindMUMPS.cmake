# Sequential MUMPS in double precision, on OpenBLAS: MUMPS::MUMPS.
#
# OpenBLAS is linked by name and first: otherwise the loader takes whatever BLAS the system prefers, which may be the
# slow reference one. Debian's MUMPS has no METIS inside (ICNTL(7) = 5 falls back to another ordering without a word);
# order with METIS_NodeND and hand the permutation over (ICNTL(7) = 1, PERM_IN).
find_path(MUMPS_INCLUDE_DIR dmumps_c.h PATH_SUFFIXES MUMPS mumps)
find_path(OPENBLAS_INCLUDE_DIR openblas_config.h PATH_SUFFIXES openblas-pthread openblas openblas-serial openblas-openmp)
find_library(OPENBLAS_LIBRARY openblas)
find_library(MUMPS_LIBRARY dmumps_seq)
set(mumps_parts mumps_common_seq pord_seq mpiseq_seq)
foreach(part IN LISTS mumps_parts)
  find_library(MUMPS_${part}_LIBRARY ${part})
  list(APPEND mumps_part_variables MUMPS_${part}_LIBRARY)
endforeach()

if(MUMPS_INCLUDE_DIR)
  file(STRINGS "${MUMPS_INCLUDE_DIR}/dmumps_c.h" mumps_version_line REGEX "define MUMPS_VERSION ")
  string(REGEX MATCH "[0-9]+\\.[0-9]+(\\.[0-9]+)?" MUMPS_VERSION "${mumps_version_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUMPS
  REQUIRED_VARS MUMPS_LIBRARY MUMPS_INCLUDE_DIR ${mumps_part_variables} OPENBLAS_LIBRARY OPENBLAS_INCLUDE_DIR
  VERSION_VAR MUMPS_VERSION)
mark_as_advanced(MUMPS_INCLUDE_DIR MUMPS_LIBRARY ${mumps_part_variables} OPENBLAS_LIBRARY OPENBLAS_INCLUDE_DIR)

if(MUMPS_FOUND AND NOT TARGET MUMPS::MUMPS)
  add_library(MUMPS::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(MUMPS::OpenBLAS PROPERTIES
    IMPORTED_LOCATION "${OPENBLAS_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${OPENBLAS_INCLUDE_DIR}")
  add_library(MUMPS::MUMPS INTERFACE IMPORTED)
  set(mumps_libraries MUMPS::OpenBLAS "${MUMPS_LIBRARY}")
  foreach(variable IN LISTS mumps_part_variables)
    list(APPEND mumps_libraries "${${variable}}")
  endforeach()
  set_target_properties(MUMPS::MUMPS PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${MUMPS_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${mumps_libraries}")
endif()
