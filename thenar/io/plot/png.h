// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Pictures as PNG, for where SVG is not taken. Drawn by librsvg and Cairo with the fonts of the machine, so that the
/// bytes differ between machines; the SVG is the original.

#include <filesystem>
#include <string>

namespace thenar {

/// Writes the text of an SVG as a PNG of that many pixels across, its height in proportion; 0 means twice the SVG's own
/// size, which is sharp on screens and in print. The file is replaced as a whole (replace_file). Throws
/// std::runtime_error if the text is no SVG, the picture is too large, or it cannot be written.
void write_png(const std::string& svg, int width, const std::filesystem::path& path);

/// Whether a file is called .png, in any case.
bool is_png_name(const std::filesystem::path& path);

/// Writes a picture: as PNG if the file is called so, otherwise as the SVG it is.
void write_picture(const std::string& svg, const std::filesystem::path& path);

}  // namespace thenar
