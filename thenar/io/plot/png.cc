// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/png.h"

#include <fmt/format.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "thenar/io/text/replace_file.h"

namespace thenar {
namespace {

/// Cairo's limit for the sides of an image.
constexpr double kLargestSide = 32767;

struct Release {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(GError* error) const { g_error_free(error); }
};
template <class Object>
using Owned = std::unique_ptr<Object, Release>;

[[noreturn]] void fail(const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot draw the picture as PNG: {}", reason));
}

/// Takes the error over, if there is one.
void check(GError* error) {
  const Owned<GError> owned(error);
  if (owned) fail(owned->message);
}

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) fail(cairo_status_to_string(status));
}

Owned<RsvgHandle> read_svg(const std::string& svg) {
  GError* error = nullptr;
  Owned<RsvgHandle> handle(rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  check(error);
  return handle;
}

Owned<cairo_surface_t> draw(RsvgHandle* handle, int width, int height) {
  Owned<cairo_surface_t> surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
  check(cairo_surface_status(surface.get()));
  const Owned<cairo_t> context(cairo_create(surface.get()));
  const RsvgRectangle place{0, 0, static_cast<double>(width), static_cast<double>(height)};
  GError* error = nullptr;
  rsvg_handle_render_document(handle, context.get(), &place, &error);
  check(error);
  check(cairo_status(context.get()));
  return surface;
}

cairo_status_t append_bytes(void* out, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

void write_png(const std::string& svg, int width, const std::filesystem::path& path) {
  const Owned<RsvgHandle> handle = read_svg(svg);
  double own_width = 0, own_height = 0;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &own_width, &own_height) || own_width <= 0) {
    fail("it has no size");
  }
  const double wanted = width > 0 ? width : 2 * own_width, height = wanted * own_height / own_width;
  if (std::max(wanted, height) > kLargestSide) {
    fail(fmt::format("{:.0f} x {:.0f} pixels are more than {:.0f} on a side", wanted, height, kLargestSide));
  }
  const Owned<cairo_surface_t> surface =
      draw(handle.get(), static_cast<int>(std::lround(wanted)), static_cast<int>(std::lround(height)));
  std::string bytes;
  check(cairo_surface_write_to_png_stream(surface.get(), append_bytes, &bytes));
  replace_file(path, bytes);
}

bool is_png_name(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension.size() == 4 && g_ascii_strcasecmp(extension.c_str(), ".png") == 0;
}

void write_picture(const std::string& svg, const std::filesystem::path& path) {
  if (is_png_name(path)) {
    write_png(svg, 0, path);
  } else {
    replace_file(path, svg);
  }
}

}  // namespace thenar
