# Installs the build into a scratch prefix, builds the project of this folder against it, runs it and the program.
function(must_run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "'${line}' gave ${code}\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

must_run("${CMAKE_COMMAND}" --install "${build}" --prefix "${scratch}/prefix")
must_run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${scratch}/build" -G "${generator}"
  -D "CMAKE_PREFIX_PATH=${scratch}/prefix" -D "CMAKE_CXX_COMPILER=${compiler}"
  -D "CMAKE_CXX_COMPILER_LAUNCHER=${launcher}" -D CMAKE_BUILD_TYPE=Release)
must_run("${CMAKE_COMMAND}" --build "${scratch}/build")

must_run("${scratch}/build/downstream")
string(FIND "${output}" "${version}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the downstream program does not name version ${version}:\n${output}")
endif()
message(STATUS "${output}")

must_run("${CMAKE_CTEST_COMMAND}" --test-dir "${scratch}/build" --output-on-failure --no-tests=error)
message(STATUS "${output}")

# The same program without CMake.
find_program(pkg_config NAMES pkgconf pkg-config)
if(pkg_config)
  file(GLOB_RECURSE pc "${scratch}/prefix/*/livens.pc")
  cmake_path(GET pc PARENT_PATH pc)
  must_run("${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${pc}" "${pkg_config}" --cflags --libs livens)
  separate_arguments(flags UNIX_COMMAND "${output}")
  must_run("${compiler}" "${CMAKE_CURRENT_LIST_DIR}/main.cpp" -o "${scratch}/by_pkg_config" ${flags})
  must_run("${scratch}/by_pkg_config")
endif()

if(EXISTS "${scratch}/prefix/bin/livens")
  must_run("${scratch}/prefix/bin/livens" --help)
endif()
