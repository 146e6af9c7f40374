// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Shared libraries that are opened at run time: what peers of all kinds are.

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace thenar::bench {

/// The shared libraries of a folder, in the order of their names; none if there is no such folder.
inline std::vector<std::filesystem::path> list_libraries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> libraries;
  if (!std::filesystem::is_directory(folder)) return libraries;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".so") libraries.push_back(entry.path());
  }
  std::sort(libraries.begin(), libraries.end());
  return libraries;
}

/// A function of a library, which stays open; null, with the reason in `why_not`, if it cannot be had.
template <class Function>
Function load_function(const std::filesystem::path& library, const char* name, std::string& why_not) {
  // RTLD_LOCAL: two versions of one engine may be in the process.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    why_not = dlerror();
    return nullptr;
  }
  const auto function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) why_not = std::string("no ") + name + " in the library";
  return function;
}

}  // namespace thenar::bench
