# SPDX-License-Identifier: BSD-3-Clause
#
# One library per folder of thenar/. A module links only the modules named here; the test
# tests/base/include_arrows_test.py reads the same DEPENDS and compares them with every #include.

# Flags that every translation unit of Thenar shares. They are PUBLIC on thenar_base: code that includes
# our headers must agree on vector widths and contraction, or Eigen's layouts would differ.
function(thenar_set_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Matrices of packs are aligned like packs, also where the machine's vectors are shorter: clang refuses less.
  target_compile_definitions(${target} PUBLIC EIGEN_MAX_STATIC_ALIGN_BYTES=64)
  if(THENAR_REPRODUCIBLE)
    target_compile_options(${target} PUBLIC -ffp-contract=off)
    target_compile_definitions(${target} PUBLIC EIGEN_DONT_VECTORIZE)
  elseif(THENAR_NATIVE)
    target_compile_options(${target} PUBLIC -march=native)
  endif()
endfunction()

function(thenar_set_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                         -Wnon-virtual-dtor -Woverloaded-virtual -Wno-psabi)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms of GCC 12: uninitialised values and out-of-bounds loads in its own AVX-512 headers under Eigen,
    # overlaps and overflows in std::string's operator+.
    target_compile_options(${target} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized -Wno-array-bounds
                           -Wno-restrict -Wno-stringop-overflow)
  endif()
  if(THENAR_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# thenar_module(name SOURCES a.cc … [DEPENDS module …] [LINK target …])
function(thenar_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
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
endfunction()
