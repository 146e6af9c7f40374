# SPDX-License-Identifier: BSD-3-Clause
#
# Fetches the packages of studio/ into FOLDER, as its lock file has them, and bundles the replay into OUTPUT. Tests need
# some packages more than the bundle.
file(COPY "${STUDIO}/package.json" "${STUDIO}/package-lock.json" DESTINATION "${FOLDER}")
set(omit --omit=dev)
if(TESTS)
  set(omit)
endif()
execute_process(COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error ${omit}
                WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE fault OUTPUT_QUIET ERROR_VARIABLE said)
if(fault EQUAL 0)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "NODE_PATH=${FOLDER}/node_modules"
                          "${NODE}" "${STUDIO}/build.mjs" "${OUTPUT}"
                  RESULT_VARIABLE fault OUTPUT_VARIABLE said ERROR_VARIABLE said)
endif()
if(NOT fault EQUAL 0)
  message(WARNING "npm cannot make the replay, so reports will have none; configuring again tries again. It says:\n${said}")
  file(COPY_FILE "${ABSENT}" "${OUTPUT}")
  file(TOUCH "${FOLDER}/failed")
endif()
