# SPDX-License-Identifier: BSD-3-Clause
#
# COIN CLP and the CoinUtils under it, as the target CLP::CLP. Debian's package brings pkg-config files only, and asking
# those would make pkg-config one more thing to install.
include(FindPackageHandleStandardArgs)

find_path(CLP_INCLUDE_DIR coin/ClpSimplex.hpp)
find_library(CLP_LIBRARY Clp)
find_library(CLP_COINUTILS_LIBRARY CoinUtils)
mark_as_advanced(CLP_INCLUDE_DIR CLP_LIBRARY CLP_COINUTILS_LIBRARY)
find_package_handle_standard_args(CLP REQUIRED_VARS CLP_LIBRARY CLP_COINUTILS_LIBRARY CLP_INCLUDE_DIR)

if(CLP_FOUND AND NOT TARGET CLP::CLP)
  add_library(CLP::CLP INTERFACE IMPORTED)
  set_target_properties(CLP::CLP PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${CLP_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${CLP_LIBRARY};${CLP_COINUTILS_LIBRARY}")
endif()
