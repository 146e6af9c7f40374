// SPDX-License-Identifier: BSD-3-Clause
#include "heap_counter.h"

#include <atomic>
#include <cstdlib>

namespace {
std::atomic<long> allocations{0};
}

// glibc keeps its own allocator under these names.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t n) {
  ++allocations;
  return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t size) {
  ++allocations;
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) {
  ++allocations;
  return __libc_realloc(p, n);
}
void* memalign(std::size_t alignment, std::size_t n) {
  ++allocations;
  return __libc_memalign(alignment, n);
}
void* aligned_alloc(std::size_t alignment, std::size_t n) {
  ++allocations;
  return __libc_memalign(alignment, n);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t n) {
  ++allocations;
  *p = __libc_memalign(alignment, n);
  return *p == nullptr ? 12 : 0;
}
}

namespace thenar::test {

long allocation_count() { return allocations; }

}  // namespace thenar::test
