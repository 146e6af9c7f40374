// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact.h"

namespace thenar {

const char* to_string(ContactMode mode) {
  switch (mode) {
    case ContactMode::open:
      return "open";
    case ContactMode::stick:
      return "stick";
    case ContactMode::roll:
      return "roll";
    case ContactMode::slide:
      return "slide";
    case ContactMode::spin:
      break;
  }
  return "spin";
}

std::string_view pair_of_contact(std::string_view contact) { return contact.substr(0, contact.rfind('#')); }

std::optional<std::string_view> point_of_contact(std::string_view contact) {
  const std::size_t number = contact.rfind('#');
  if (number == std::string_view::npos) return std::nullopt;
  return contact.substr(number + 1);
}

}  // namespace thenar
