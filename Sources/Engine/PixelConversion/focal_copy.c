// SPDX-License-Identifier: Apache-2.0

#include "focal_copy.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

// The unit in which processors fetch memory and combine writes.
#define LINE 64

typedef float Quarter __attribute__((vector_size(LINE / 4), may_alias));

void focal_copy_past_caches(void *result, const void *bytes, size_t byteCount) {
  unsigned char *target = result;
  const unsigned char *source = bytes;
  const size_t head = (size_t)(-(uintptr_t)target) % LINE;
  if (byteCount < head + LINE) {
    memcpy(target, source, byteCount);
    return;
  }
  memcpy(target, source, head);
  target += head;
  source += head;
  byteCount -= head;
  for (; byteCount >= LINE; byteCount -= LINE, target += LINE, source += LINE) {
    Quarter line[4];
    memcpy(line, source, LINE);
    Quarter *const to = (Quarter *)(void *)target;
    for (int32_t i = 0; i < 4; i++) __builtin_nontemporal_store(line[i], to + i);
  }
  memcpy(target, source, byteCount);
#if defined(__x86_64__)
  // Such writes are not ordered with those that tell another thread of them.
  _mm_sfence();
#endif
}
