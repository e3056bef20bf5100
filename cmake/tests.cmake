# Tests, by where they stand:
#   tests/{laws,published,determinism}/**/*_test.cpp   livens_measurements   release build
#   tests/**/*_test.cpp (all others)                   livens_tests          release build, sanitizer build
#   tests/compile/*.cpp, mistakes and their one error  unit.compile.<name>   release build, sanitizer build
#   bench/*.cpp, tests/fuzz/*.cpp: still compile       unit.compile.seldom_built   release build
#   tests/support/*.cpp, what tests share              in both programs
#   tests/cli/*.sh PROGRAM SCRATCH                     cli.<name>            release build
#   tests/downstream, examples/*/main.cpp              downstream            release build, installed
#   tests/fuzz/*.cpp, bytes of strangers               fuzz_<name>           fuzz build, with clang
# Names of tests begin with their label: unit, measure, cli, downstream.

set(test_environment OPENBLAS_NUM_THREADS=1 "LIVENS_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1)

function(livens_gtest target label)
  if(NOT ARGN)
    return()
  endif()
  include(GoogleTest)
  add_executable(${target} ${ARGN} $<TARGET_OBJECTS:livens_test_support>)
  livens_flags(${target})
  target_compile_options(${target} PRIVATE ${test_options})
  livens_precompile(${target} <gtest/gtest.h>)
  target_include_directories(${target} PRIVATE src tests)
  # Also while the tests are listed, when some read the names of their cases.
  set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR "env;LIVENS_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE
    livens_core GTest::gtest_main TBB::tbb fmt::fmt nlohmann_json::nlohmann_json)
  gtest_discover_tests(${target} TEST_PREFIX "${label}." DISCOVERY_TIMEOUT 120
    PROPERTIES LABELS ${label} ENVIRONMENT "${test_environment}")
endfunction()

# A fresh and empty scratch directory is the working directory of the command.
function(livens_scratch_test name label)
  set(scratch "${PROJECT_BINARY_DIR}/scratch/${name}")
  list(TRANSFORM ARGN REPLACE "@SCRATCH@" "${scratch}" OUTPUT_VARIABLE command)
  add_test(NAME ${name} COMMAND bash -c [[rm -rf "$0" && mkdir -p "$0" && cd "$0" && exec "$@"]] "${scratch}" ${command})
  set_tests_properties(${name} PROPERTIES LABELS ${label} ENVIRONMENT "${test_environment}")
endfunction()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*_test.cpp")
file(GLOB support_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
# The library is what is tested; the tests themselves compile in two thirds of the time without the last optimisations.
set(test_options $<$<CONFIG:Release>:-O1>)
if(LIVENS_UNIT_TESTS OR LIVENS_RELEASE_TESTS)
  find_package(GTest 1.12 REQUIRED)
  add_library(livens_test_support OBJECT ${support_sources})
  livens_flags(livens_test_support)
  target_compile_options(livens_test_support PRIVATE ${test_options})
  target_include_directories(livens_test_support PRIVATE src tests)
  target_link_libraries(livens_test_support PRIVATE livens_core GTest::gtest nlohmann_json::nlohmann_json)
endif()
set(unit_sources ${test_sources})
list(FILTER unit_sources EXCLUDE REGEX "/tests/(laws|published|determinism)/")
set(measurement_sources ${test_sources})
list(FILTER measurement_sources INCLUDE REGEX "/tests/(laws|published|determinism)/")

if(LIVENS_UNIT_TESTS)
  livens_gtest(livens_tests unit ${unit_sources})
  # The library of others, to compare with. CMake's own search for it needs a C compiler.
  find_path(LIVENS_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
  find_library(LIVENS_HDF5_LIBRARY NAMES hdf5_serial hdf5 REQUIRED)
  target_include_directories(livens_tests SYSTEM PRIVATE "${LIVENS_HDF5_INCLUDE}")
  target_link_libraries(livens_tests PRIVATE "${LIVENS_HDF5_LIBRARY}")

  file(GLOB mistakes CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/compile/*.cpp")
  foreach(source IN LISTS mistakes)
    cmake_path(GET source STEM name)
    add_test(NAME unit.compile.${name} COMMAND "${CMAKE_COMMAND}" -D "source=${source}"
      -D "compiler=${CMAKE_CXX_COMPILER}" -D "include=${PROJECT_SOURCE_DIR}/include"
      -P "${PROJECT_SOURCE_DIR}/tests/compile/check.cmake")
    set_tests_properties(unit.compile.${name} PROPERTIES LABELS unit)
  endforeach()
  # The public headers with the other compiler as well; ./test installs it.
  find_program(LIVENS_CLANG clang++)
  if(LIVENS_CLANG)
    get_target_property(eigen_include Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
    add_test(NAME unit.compile.headers_with_clang COMMAND "${LIVENS_CLANG}" -std=c++20 -fsyntax-only -Wall -Wextra
      -I "${PROJECT_SOURCE_DIR}/include" -I "${PROJECT_BINARY_DIR}/generated" -isystem "${eigen_include}"
      "${PROJECT_SOURCE_DIR}/tests/compile/headers/headers.cpp")
    set_tests_properties(unit.compile.headers_with_clang PROPERTIES LABELS unit)
  endif()
endif()

if(LIVENS_RELEASE_TESTS)
  livens_gtest(livens_measurements measure ${measurement_sources})

  # Benchmarks and fuzz targets have builds of their own, in which nobody would notice that they no longer compile.
  file(GLOB seldom_built CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp" "${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp")
  get_target_property(eigen_include Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  add_test(NAME unit.compile.seldom_built COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only ${livens_public_flags}
    -I "${PROJECT_SOURCE_DIR}/include" -I "${PROJECT_SOURCE_DIR}/src" -I "${PROJECT_SOURCE_DIR}/tests"
    -I "${PROJECT_BINARY_DIR}/generated" -isystem "${eigen_include}" ${seldom_built})
  set_tests_properties(unit.compile.seldom_built PROPERTIES LABELS unit)

  file(GLOB cli_scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cli/*.sh")
  if(TARGET livens_app)
    foreach(script IN LISTS cli_scripts)
      cmake_path(GET script STEM name)
      livens_scratch_test(cli.${name} cli bash "${script}" $<TARGET_FILE:livens_app> @SCRATCH@)
    endforeach()
  endif()

  if(EXISTS "${PROJECT_SOURCE_DIR}/tests/downstream/run.cmake")
    livens_scratch_test(downstream downstream
      "${CMAKE_COMMAND}" -D "build=${PROJECT_BINARY_DIR}" -D scratch=@SCRATCH@ -D "version=${PROJECT_VERSION}"
      -D "generator=${CMAKE_GENERATOR}" -D "compiler=${CMAKE_CXX_COMPILER}" -D "launcher=${LIVENS_CCACHE}"
      -P "${PROJECT_SOURCE_DIR}/tests/downstream/run.cmake")
  endif()
endif()

# Fuzz targets, tests/fuzz/NAME.cpp: programs of libFuzzer, which comes with clang. ./test --fuzz SECONDS runs them.
if(LIVENS_FUZZ)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp")
  foreach(source IN LISTS fuzz_sources)
    cmake_path(GET source STEM name)
    add_executable(fuzz_${name} ${source})
    target_include_directories(fuzz_${name} PRIVATE src tests)
    # Whole: no file of these rooms is taken from the release build.
    target_link_libraries(fuzz_${name} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,livens_core> fmt::fmt nlohmann_json::nlohmann_json)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()
