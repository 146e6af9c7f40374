// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace thenar::internal {

/// The text for use between or inside tags: &, <, >, " escaped; what XML forbids (control characters, bytes that are
/// not UTF-8) replaced by U+FFFD.
std::string escape_xml(std::string_view text);

/// A length in pixels with at most two decimals, the shortest way: "12", "0.5", "-3.25".
void append_pixels(double value, std::string& out);
std::string pixels(double value);

/// About how wide the text is in Helvetica and its like, px. Characters beyond ASCII count as a digit.
double text_width(std::string_view text, double font_size);

/// The text, or its beginning and end around "…" where it would be wider than `width`.
std::string fit_text(const std::string& text, double font_size, double width);

}  // namespace thenar::internal
