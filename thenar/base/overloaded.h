// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thenar {

/// Several callables as one, for std::visit: Overloaded{[](const Sphere& s) { … }, [](const Box& b) { … }}.
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 does not deduce it by itself

}  // namespace thenar
