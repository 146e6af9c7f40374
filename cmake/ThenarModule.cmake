# SPDX-License-Identifier: BSD-3-Clause
#
# A module is a folder of thenar/ with a library of its own. Rooms are folders that share one (thenar_library), so that few
# translation units read Eigen. Modules and rooms include only what their DEPENDS reach: tests/base/include_arrows_test.py
# reads the same DEPENDS and compares them with every #include.

# Flags that every translation unit of Thenar shares. They are PUBLIC on thenar_base. Programs that use the installed package
# choose their instructions themselves; what they must share is in the definitions: with a largest alignment of its own Eigen
# would lay out matrices, and allocate them, in another way for each set of instructions.
function(thenar_set_flags target)
  target_compile_options(${target} PUBLIC -pthread)  # librsvg asks for it in io; precompiled headers must agree
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Matrices of packs are aligned like packs, also where the machine's vectors are shorter: clang refuses less.
  # Eigen would choose the blocks of large products by the caches of the processor, and sum in another order on each.
  target_compile_definitions(${target} PUBLIC EIGEN_MAX_STATIC_ALIGN_BYTES=64 EIGEN_MAX_ALIGN_BYTES=64
                             EIGEN_NO_CPUID)
  if(THENAR_REPRODUCIBLE)
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:-ffp-contract=off>)
    target_compile_definitions(${target} PUBLIC EIGEN_DONT_VECTORIZE)
  elseif(NOT THENAR_ARCH STREQUAL "portable")
    # GCC contracts a*b+c by itself, clang 14 only inside one statement unless it is asked to.
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:-march=${THENAR_ARCH}> $<BUILD_INTERFACE:-ffp-contract=fast>)
  endif()
endfunction()

# GCC looks for garbage whenever its heap has doubled; up to this many kilobytes it does not look. A unit takes up to 2.2 GB
# (count_jobs in ./run).
set(THENAR_COMPILER_HEAP 500000)

function(thenar_set_warnings target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE "--param=ggc-min-heapsize=${THENAR_COMPILER_HEAP}")
  endif()
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

# The level of optimisation of a target in a release: -O3 for kernels, -O2 for what is computed in every step, -O1 for what
# reads, writes and decides once, and for tests. -O3 takes a tenth longer to compile than -O2, and that a quarter longer than
# -O1. (-Og would save another seventh, but tests that compute much themselves run longer with it.)
function(thenar_optimize target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()

# thenar_module(name SOURCES a.cc … [DEPENDS module …] [LINK target …] [UNITS n] [KERNELS | COLD]); UNITS: how many
# translation units its sources are compiled in.
function(thenar_module name)
  cmake_parse_arguments(ARG "KERNELS;COLD" "UNITS" "SOURCES;DEPENDS;LINK" ${ARGN})
  if(NOT ARG_UNITS)
    set(ARG_UNITS 1)
  endif()
  add_library(thenar_${name} STATIC ${ARG_SOURCES})
  add_library(thenar::${name} ALIAS thenar_${name})
  set_property(GLOBAL APPEND PROPERTY thenar_modules ${name})
  set_target_properties(thenar_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(thenar_${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(thenar_${name} PUBLIC thenar::${dependency})
  endforeach()
  target_link_libraries(thenar_${name} PUBLIC ${ARG_LINK})
  thenar_set_warnings(thenar_${name})
  thenar_compile_together(thenar_${name} ${ARG_UNITS})
  if(ARG_KERNELS)
    thenar_optimize(thenar_${name} -O3)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC pairs up the scalars of 3-vectors into short vectors and pays with failed store forwarding, clang does not.
      # Without that chains of 400 links are 1.4 times faster (bench/dynamics), distances 1.2 to 1.8 times (bench/distance).
      target_compile_options(thenar_${name} PRIVATE -fno-tree-slp-vectorize)
    endif()
  elseif(ARG_COLD)
    thenar_optimize(thenar_${name} -O1)
    thenar_precompile_headers(thenar_${name} cold)
  else()
    thenar_optimize(thenar_${name} -O2)
    if(NOT name STREQUAL "base")  # knows no Eigen
      thenar_precompile_headers(thenar_${name} library)
    endif()
  endif()
endfunction()

# thenar_room(name SOURCES a.cc … [DEPENDS module or room …]): a folder of a library that thenar_library() makes.
function(thenar_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  set_property(GLOBAL PROPERTY thenar_room_${name} ${ARG_SOURCES})
endfunction()

# thenar_library(name ROOMS room … [DEPENDS module …] [LINK target …] [UNITS n] [COLD] [SHARES library]): one library of
# several rooms, which may include the internal headers of the library that it shares.
function(thenar_library name)
  cmake_parse_arguments(ARG "" "SHARES" "ROOMS" ${ARGN})
  foreach(room ${ARG_ROOMS})
    get_property(of_room GLOBAL PROPERTY thenar_room_${room})
    list(APPEND sources ${of_room})
  endforeach()
  thenar_module(${name} SOURCES ${sources} ${ARG_UNPARSED_ARGUMENTS})
endfunction()

# Reading Eigen and the standard library takes three seconds or more of every translation unit. Modules share one precompiled
# header, cold modules and tests one each. Each belongs to a small target of its own, so that nobody waits for more than the
# header. GCC compiles a unit with the optimisation flags that its precompiled header was compiled with and ignores the
# unit's own, without a word. So a header is compiled with the flags of the target that asks for it first, all targets of a
# kind have the same ones, and targets or sources with other ones have no precompiled header.
# thenar_precompile_headers(target library|cold|test [LINK target] [HEADERS header …]); LINK: whose definitions it is to be
# compiled with.
function(thenar_precompile_headers target kind)
  cmake_parse_arguments(ARG "" "LINK" "HEADERS" ${ARGN})
  set(owner thenar_${kind}_headers)
  if(NOT TARGET ${owner})
    set(source "${PROJECT_BINARY_DIR}/${owner}.cc")
    file(GENERATE OUTPUT "${source}" CONTENT "// Compiles to nothing.\n")
    add_library(${owner} STATIC "${source}")
    target_link_libraries(${owner} PRIVATE thenar::base Eigen3::Eigen ${ARG_LINK})
    get_target_property(pic ${target} POSITION_INDEPENDENT_CODE)
    set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE ${pic})
    get_target_property(options ${target} COMPILE_OPTIONS)  # the warnings, too: -Wpedantic defines a macro
    target_compile_options(${owner} PRIVATE ${options})
    target_precompile_headers(${owner} PRIVATE <algorithm> <array> <charconv> <cmath> <cstdint> <filesystem> <fstream>
                              <functional> <limits> <map> <memory> <numbers> <numeric> <optional> <random> <span>
                              <sstream> <stdexcept> <string> <string_view> <unordered_map> <utility> <variant> <vector>
                              <Eigen/Dense> <fmt/format.h> ${ARG_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
