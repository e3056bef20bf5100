# livens_viewer(<target>): bundles viewer/ to one page with npm and esbuild and compiles it into the target, which then finds
# viewer_assets.hpp with livens::viewer_assets::livens_viewer_html().
#
# The packages are those of viewer/package-lock.json; they are installed into the build directory, again only when that file
# changes. Without LIVENS_PROGRAM or npm, or if the packages cannot be fetched, a plain page takes its place, and nothing
# fails.

set(livens_viewer_script "${CMAKE_CURRENT_LIST_FILE}" CACHE INTERNAL "")

function(livens_viewer target)
  set(source "${PROJECT_SOURCE_DIR}/viewer")
  set(folder "${PROJECT_BINARY_DIR}/viewer")
  set(page "${folder}/livens_viewer.html")
  if(NOT LIVENS_PROGRAM)
    configure_file("${source}/plain.html" "${page}" COPYONLY)
    livens_embed(${target} viewer_assets "${page}")
    return()
  endif()
  find_program(LIVENS_NPM npm)
  find_program(LIVENS_NODE NAMES node nodejs)
  mark_as_advanced(LIVENS_NPM LIVENS_NODE)
  if(NOT LIVENS_NPM OR NOT LIVENS_NODE)
    message(STATUS "The viewer's page is left out: npm is missing (Debian: apt-get install npm)")
  endif()
  # A page that was left out earlier is tried again.
  if(EXISTS "${page}" AND NOT EXISTS "${folder}/bundled")
    file(REMOVE "${page}")
  endif()
  file(GLOB parts CONFIGURE_DEPENDS "${source}/src/*" "${source}/*.html" "${source}/*.mjs" "${source}/*.json")
  add_custom_command(
    OUTPUT "${page}"
    COMMAND "${CMAKE_COMMAND}" "-Dsource=${source}" "-Dfolder=${folder}" "-Dpage=${page}" "-Dnpm=${LIVENS_NPM}"
      "-Dnode=${LIVENS_NODE}" -P "${livens_viewer_script}"
    DEPENDS ${parts} "${livens_viewer_script}"
    COMMENT "Bundling the viewer's page"
    VERBATIM)
  livens_embed(${target} viewer_assets "${page}")
endfunction()

function(livens_viewer_leave_out reason)
  message(STATUS "The viewer's page is left out: ${reason}")
  file(REMOVE "${folder}/bundled")
  configure_file("${source}/plain.html" "${page}" COPYONLY)
  file(TOUCH "${page}")
endfunction()

# Sets `installed` to whether node_modules has the packages of the lock file.
function(livens_viewer_install)
  file(SHA256 "${source}/package-lock.json" wanted)
  set(stamp "${folder}/node_modules/.livens")
  set(present "")
  if(EXISTS "${stamp}")
    file(READ "${stamp}" present)
  endif()
  if(NOT present STREQUAL wanted)
    configure_file("${source}/package.json" "${folder}/package.json" COPYONLY)
    configure_file("${source}/package-lock.json" "${folder}/package-lock.json" COPYONLY)
    execute_process(COMMAND "${npm}" ci --no-audit --no-fund --ignore-scripts --fetch-retries=1
      WORKING_DIRECTORY "${folder}" TIMEOUT 300 RESULT_VARIABLE failed OUTPUT_FILE "${folder}/npm.log"
      ERROR_FILE "${folder}/npm-errors.log")
    if(NOT failed EQUAL 0)
      set(installed NO PARENT_SCOPE)
      return()
    endif()
    file(WRITE "${stamp}" "${wanted}")
  endif()
  set(installed YES PARENT_SCOPE)
endfunction()

function(livens_viewer_bundle)
  if(NOT npm OR NOT node)
    livens_viewer_leave_out("npm is missing")
    return()
  endif()
  livens_viewer_install()
  if(NOT installed)
    livens_viewer_leave_out("its packages could not be fetched, see ${folder}/npm-errors.log; configure and build again with a network")
    return()
  endif()
  execute_process(COMMAND "${node}" "${source}/build.mjs" "${source}" "${page}" WORKING_DIRECTORY "${folder}"
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE message)
  if(NOT failed EQUAL 0)
    livens_viewer_leave_out("bundling failed: ${message}")
    return()
  endif()
  file(TOUCH "${folder}/bundled")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE AND DEFINED page)
  file(MAKE_DIRECTORY "${folder}")
  livens_viewer_bundle()
endif()
