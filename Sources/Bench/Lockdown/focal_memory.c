// SPDX-License-Identifier: Apache-2.0
#include "CLockdown.h"

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>

void focal_return_freed_memory(void) {
  mallopt(M_ARENA_MAX, 2);
  // A threshold that is set stays; else it rises with the largest block that was freed.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
}
#else
void focal_return_freed_memory(void) {}
#endif
