# SPDX-License-Identifier: BSD-3-Clause
#
# What `cmake --install` puts into a prefix, so that other projects can write find_package(thenar):
#
#   include/thenar/…           the headers of THENAR_PUBLIC_HEADERS, and those that they include
#   lib/libthenar_*.a          the library, one archive per module
#   lib/cmake/thenar/          thenarConfig.cmake with the components core, simulate and io; FindCLP.cmake
#   share/thenar/              scenes, models, recordings of gloves, examples
include(CMakePackageConfigHelpers)

# The headers that users include; docs/library.md has a line for each of them.
set(THENAR_PUBLIC_HEADERS
    thenar/thenar.h thenar/base/diagnostic.h thenar/base/version.h thenar/spatial/pose.h thenar/spatial/rotation.h
    thenar/geometry/shape.h thenar/geometry/distance.h thenar/model/model.h thenar/model/model_builder.h
    thenar/dynamics/forward_dynamics.h thenar/dynamics/inverse_dynamics.h thenar/dynamics/kinematics.h
    thenar/dynamics/mass_matrix.h thenar/contact/compliant_layer.h thenar/contact/contact.h thenar/control/controller.h thenar/control/joint_control.h
    thenar/scenario/scenario.h thenar/instant/contact_instant.h thenar/simulation/simulation.h
    thenar/simulation/simulate.h thenar/simulation/snapshot.h thenar/trace/event.h thenar/io/scenario/load.h
    thenar/io/trace/trace_writer.h thenar/io/report/report_page.h)

add_library(thenar_all INTERFACE)
target_link_libraries(thenar_all INTERFACE thenar_io)
add_library(thenar::thenar ALIAS thenar_all)
add_library(thenar_core INTERFACE)
target_link_libraries(thenar_core INTERFACE thenar_instants)
add_library(thenar::core ALIAS thenar_core)
set_target_properties(thenar_all PROPERTIES EXPORT_NAME thenar)
set_target_properties(thenar_core PROPERTIES EXPORT_NAME core)

get_property(thenar_modules GLOBAL PROPERTY thenar_modules)
foreach(module ${thenar_modules})
  set_target_properties(thenar_${module} PROPERTIES EXPORT_NAME ${module})
  list(APPEND thenar_targets thenar_${module})
endforeach()
install(TARGETS ${thenar_targets} thenar_core thenar_all EXPORT thenarTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Which headers the public ones include is looked up when they are installed.
list(JOIN THENAR_PUBLIC_HEADERS ";" public_headers)
install(CODE "set(SOURCE_FOLDER \"${PROJECT_SOURCE_DIR}\")
set(INCLUDE_FOLDER \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
set(PUBLIC_HEADERS \"${public_headers}\")
include(\"${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake\")")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/thenar")
set(data_folder "${CMAKE_INSTALL_DATADIR}/thenar")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/thenarConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/package/thenarConfig.cmake"
                              INSTALL_DESTINATION "${package_folder}" PATH_VARS data_folder)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/thenarConfigVersion.cmake"
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(EXPORT thenarTargets NAMESPACE thenar:: DESTINATION "${package_folder}")
install(FILES "${PROJECT_BINARY_DIR}/package/thenarConfig.cmake" "${PROJECT_BINARY_DIR}/package/thenarConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/FindCLP.cmake" DESTINATION "${package_folder}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenes" "${PROJECT_SOURCE_DIR}/models" "${PROJECT_SOURCE_DIR}/gloves"
                  "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${data_folder}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
