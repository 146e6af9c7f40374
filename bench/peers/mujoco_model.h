// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What our peers of MuJoCo share: models from MJCF text in memory, and what MuJoCo tells of motions that blow up. For
/// the old library of the distribution and a new one.

#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace thenar_peer {

/// One attribute of an element, with all digits.
inline std::string attribute(const char* name, const std::vector<double>& values) {
  std::string text = std::string(" ") + name + "=\"";
  for (const double value : values) {
    char number[32];
    std::snprintf(number, sizeof number, "%.17g ", value);
    text += number;
  }
  text.back() = '"';
  return text;
}

/// A file in memory. The structure itself is megabytes in old versions, hence on the heap.
class MemoryFile {
 public:
  static constexpr const char* kName = "model.xml";

  explicit MemoryFile(const std::string& text) : vfs_(std::make_unique<mjVFS>()) {
    mj_defaultVFS(vfs_.get());
    const int size = static_cast<int>(text.size());
#if mjVERSION_HEADER < 300
    const bool is_added = mj_makeEmptyFileVFS(vfs_.get(), kName, size) == 0;
    if (is_added) std::memcpy(vfs_->filedata[mj_findFileVFS(vfs_.get(), kName)], text.data(), text.size());
#else
    const bool is_added = mj_addBufferVFS(vfs_.get(), kName, text.data(), size) == 0;
#endif
    if (!is_added) throw std::runtime_error("no memory for the model's text");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { mj_deleteVFS(vfs_.get()); }

  const mjVFS* get() const { return vfs_.get(); }

 private:
  std::unique_ptr<mjVFS> vfs_;
};

struct ModelDeleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
};
struct DataDeleter {
  void operator()(mjData* d) const { mj_deleteData(d); }
};
using ModelPtr = std::unique_ptr<mjModel, ModelDeleter>;
using DataPtr = std::unique_ptr<mjData, DataDeleter>;

/// Throws, with MuJoCo's reason, where it cannot be loaded.
inline ModelPtr load_mjcf(const std::string& text) {
  const MemoryFile file(text);
  char why[200] = "cannot load the model";
  ModelPtr model(mj_loadXML(MemoryFile::kName, file.get(), why, sizeof why));
  if (!model) throw std::runtime_error(why);
  return model;
}

/// A state that has blown up is noticed by mj_step, which counts it and starts the motion anew.
inline bool has_blown_up(const mjData& d) {
  return d.warning[mjWARN_BADQPOS].number + d.warning[mjWARN_BADQVEL].number + d.warning[mjWARN_BADQACC].number > 0;
}

/// What MuJoCo warns of is told by has_blown_up(); by itself it would write a file.
inline void ignore_warning(const char*) {}

}  // namespace thenar_peer
