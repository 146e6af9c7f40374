# SPDX-License-Identifier: BSD-3-Clause
#
# The replay of reports (studio/): bundled by npm and compiled into thenar_io. Where there is no npm, or where it cannot
# fetch its packages, reports have no replay and say so; everything else is the same. The build goes on, with a warning,
# and the next time CMake runs it is tried again.
option(THENAR_REPLAY "Bundle the 3-D replay of reports (needs node 18 or newer and npm)" ON)
find_program(THENAR_NPM npm)
find_program(THENAR_NODE NAMES node nodejs)

set(replay_folder "${PROJECT_BINARY_DIR}/studio")
set(replay_source "${replay_folder}/replay_bundle_internal.cc")
set(replay_absent "${CMAKE_CURRENT_LIST_DIR}/replay_absent.cc.in")
file(MAKE_DIRECTORY "${replay_folder}")

if(THENAR_REPLAY AND THENAR_NPM AND THENAR_NODE)
  set(THENAR_HAS_REPLAY ON PARENT_SCOPE)  # for tests/page
  file(GLOB replay_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/studio/src/*")
  # What an earlier attempt left behind that failed.
  if(EXISTS "${replay_folder}/failed")
    file(REMOVE "${replay_folder}/failed" "${replay_source}")
  endif()
  add_custom_command(
    OUTPUT "${replay_source}"
    COMMAND "${CMAKE_COMMAND}" -DNPM=${THENAR_NPM} -DNODE=${THENAR_NODE} -DSTUDIO=${PROJECT_SOURCE_DIR}/studio
            -DFOLDER=${replay_folder} -DOUTPUT=${replay_source} -DABSENT=${replay_absent} -DTESTS=${THENAR_TESTS}
            -P "${CMAKE_CURRENT_LIST_DIR}/bundle_replay.cmake"
    DEPENDS ${replay_sources} "${PROJECT_SOURCE_DIR}/studio/build.mjs" "${PROJECT_SOURCE_DIR}/studio/package.json"
            "${PROJECT_SOURCE_DIR}/studio/package-lock.json" "${CMAKE_CURRENT_LIST_DIR}/bundle_replay.cmake"
    COMMENT "Bundling the replay of reports" VERBATIM)
else()
  set(THENAR_HAS_REPLAY OFF PARENT_SCOPE)
  if(THENAR_REPLAY)
    message(WARNING "npm is missing: reports will have no 3-D replay. Debian's packages nodejs and npm have it; "
                    "-DTHENAR_REPLAY=OFF is the way not to be told.")
  endif()
  configure_file("${replay_absent}" "${replay_source}" COPYONLY)
endif()
target_sources(thenar_io PRIVATE "${replay_source}")
