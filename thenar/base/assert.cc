// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace thenar::internal {

void assertion_failed(const char* condition, const char* function, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error in %s(): condition '%s' failed. Please report this with the input.\n",
               file, line, function, condition);
  std::abort();
}

}  // namespace thenar::internal
