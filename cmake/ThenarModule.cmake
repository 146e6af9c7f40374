# SPDX-License-Identifier: BSD-3-Clause
#
# One library per folder of thenar/. A module links only the modules named here; the test
# tests/base/include_arrows_test.py reads the same DEPENDS and compares them with every #include.

# Flags that every translation unit of Thenar shares. They are PUBLIC on thenar_base: code that includes
# our headers must agree on vector widths and contraction, or Eigen's layouts would differ.
function(thenar_set_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Matrices of packs are aligned like packs, also where the machine's vectors are shorter: clang refuses less.
  # Eigen would choose the blocks of large products by the caches of the processor, and sum in another order on each.
  target_compile_definitions(${target} PUBLIC EIGEN_MAX_STATIC_ALIGN_BYTES=64 EIGEN_NO_CPUID)
  if(THENAR_REPRODUCIBLE)
    target_compile_options(${target} PUBLIC -ffp-contract=off)
    target_compile_definitions(${target} PUBLIC EIGEN_DONT_VECTORIZE)
  elseif(NOT THENAR_ARCH STREQUAL "portable")
    # GCC contracts a*b+c by itself, clang 14 only inside one statement unless it is asked to.
    target_compile_options(${target} PUBLIC -march=${THENAR_ARCH} -ffp-contract=fast)
  endif()
endfunction()

function(thenar_set_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                         -Wnon-virtual-dtor -Woverloaded-virtual -Wno-psabi)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms of GCC 12: uninitialised values and out-of-bounds loads in its own AVX-512 headers under Eigen,
    # overlaps and overflows in std::string's operator+ and assignments.
    target_compile_options(${target} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized -Wno-array-bounds
                           -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  if(THENAR_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# The sources of a target are compiled in UNITS translation units, so that Eigen, the standard library and the decompositions
# that sources share are read and compiled once for each unit. Names in anonymous namespaces must therefore differ within a
# module; tests have a namespace for each file. Sources with flags of their own stay apart.
function(thenar_compile_together target units)
  if(NOT THENAR_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR batch "(${count} + ${units} - 1) / ${units}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

# thenar_module(name SOURCES a.cc … [DEPENDS module …] [LINK target …] [UNITS n] [OWN_FLAGS]); UNITS: how many translation
# units its sources are compiled in; OWN_FLAGS: its flags are not those of the other modules.
function(thenar_module name)
  cmake_parse_arguments(ARG "OWN_FLAGS" "UNITS" "SOURCES;DEPENDS;LINK" ${ARGN})
  if(NOT ARG_UNITS)
    set(ARG_UNITS 1)
  endif()
  add_library(thenar_${name} STATIC ${ARG_SOURCES})
  add_library(thenar::${name} ALIAS thenar_${name})
  set_target_properties(thenar_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(thenar_${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(thenar_${name} PUBLIC thenar::${dependency})
  endforeach()
  target_link_libraries(thenar_${name} PUBLIC ${ARG_LINK})
  thenar_set_warnings(thenar_${name})
  thenar_compile_together(thenar_${name} ${ARG_UNITS})
  if(NOT THENAR_UNITY)
    thenar_precompile_headers(thenar_${name} ${ARG_OWN_FLAGS})
  endif()
endfunction()

# Reading Eigen and the standard library again for each source took a quarter of the time to build the library. All modules
# but base share one precompiled header, or have one of their own where their flags are not those of the others.
function(thenar_precompile_headers target has_own_flags)
  get_property(owner GLOBAL PROPERTY thenar_precompiled_library)
  if(target STREQUAL "thenar_base")
    return()
  elseif(owner AND NOT has_own_flags)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <functional> <memory> <optional> <span> <string>
                            <vector> <Eigen/Core> <Eigen/Geometry> <fmt/format.h>)
  if(NOT owner)
    set_property(GLOBAL PROPERTY thenar_precompiled_library ${target})
  endif()
endfunction()
