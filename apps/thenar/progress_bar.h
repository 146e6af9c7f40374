// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace thenar::app {

/// A bar on the terminal, redrawn at most ten times a second and wiped when it goes.
class ProgressBar {
 public:
  explicit ProgressBar(bool is_shown) : is_shown_(is_shown) {}
  ~ProgressBar() {
    if (is_drawn_) fmt::print(stderr, "\r\033[K");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `done` is a fraction; the note stands behind the bar.
  void update(double done, const std::string& note) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_shown_ || now - drawn_at_ < std::chrono::milliseconds(100)) return;
    drawn_at_ = now;
    is_drawn_ = true;
    constexpr int kWidth = 40;
    const int filled = static_cast<int>(kWidth * done);
    fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:3.0f} %  {}\033[K", "", filled, "", kWidth - filled, 100 * done, note);
    std::fflush(stderr);
  }

 private:
  bool is_shown_, is_drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_ = std::chrono::steady_clock::now();
};

}  // namespace thenar::app
