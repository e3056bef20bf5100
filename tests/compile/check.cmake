# One mistake, one error: the source compiles as it stands, and with WRONG defined the compiler reports exactly one error,
# the text of the source's first line, "// expect: ...".
file(READ "${source}" text)
string(REGEX MATCH "^// expect: ([^\n]*)" line "${text}")
set(expected "${CMAKE_MATCH_1}")
set(compile "${compiler}" -std=c++20 -fsyntax-only -I "${include}" "${source}")

execute_process(COMMAND ${compile} RESULT_VARIABLE code ERROR_VARIABLE messages)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "does not compile without its mistake:\n${messages}")
endif()

execute_process(COMMAND ${compile} -D WRONG RESULT_VARIABLE code ERROR_VARIABLE messages)
string(REGEX MATCHALL "error: " errors "${messages}")
list(LENGTH errors count)
string(FIND "${messages}" "${expected}" place)
if(code EQUAL 0 OR NOT count EQUAL 1 OR place EQUAL -1 OR expected STREQUAL "")
  message(FATAL_ERROR "${count} errors, expected one that says '${expected}':\n${messages}")
endif()
