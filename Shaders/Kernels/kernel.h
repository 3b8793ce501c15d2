// SPDX-License-Identifier: Apache-2.0
//
// The beginning of a body that every device runs, after `#define FOCAL_BODY name`: what it means in
// C. For OpenCL C and GLSL, the language.h of each and ShaderCompiler say it.
#pragma once

#include "focal_dialect.h"

#if defined(FOCAL_HOST)
#include <ShaderTypes.h>

#define FOCAL_BYTE(value) ((uint8_t)(value))
#define FOCAL_WORD(value) ((uint16_t)(value))

#define FOCAL_JOINED(a, b) a##b
#define FOCAL_JOIN(a, b) FOCAL_JOINED(a, b)

// The arguments that functions touching buffers take first, and pass on.
#define FOCAL_TAKES FOCAL_JOIN(FOCAL_KERNEL_, FOCAL_BODY)(FOCAL_TAKE)
#define FOCAL_TAKE(entry, ...) FOCAL_TAKE_##entry(__VA_ARGS__)
#define FOCAL_TAKE_parameters(type) const type p,
#define FOCAL_TAKE_reads(type, name) const type *restrict name,
#define FOCAL_TAKE_writes(type, name) type *restrict name,
#define FOCAL_TAKE_view(type, name, of) type *name,
#define FOCAL_TAKE_shares(type, name, count) type *name,
#define FOCAL_TAKE_workgroup(width, height)

#define FOCAL_PASSES FOCAL_JOIN(FOCAL_KERNEL_, FOCAL_BODY)(FOCAL_PASS)
#define FOCAL_PASS(entry, ...) FOCAL_PASS_##entry(__VA_ARGS__)
#define FOCAL_PASS_parameters(type) p,
#define FOCAL_PASS_reads(type, name) name,
#define FOCAL_PASS_writes(type, name) name,
#define FOCAL_PASS_view(type, name, of) name,
#define FOCAL_PASS_shares(type, name, count) name,
#define FOCAL_PASS_workgroup(width, height)

// In an entry point that calls functions of a body: the buffers by their names, and the parameters
// by value, so that no store can be taken to change them.
#define FOCAL_VALUES(kernel)         \
  void *const *focal_next = buffers; \
  FOCAL_KERNEL_##kernel(FOCAL_LOCAL)
#define FOCAL_LOCAL(entry, ...) FOCAL_LOCAL_##entry(__VA_ARGS__)
#define FOCAL_LOCAL_parameters(type) const type p = *(const type *)parameters;
#define FOCAL_LOCAL_reads(type, name) FOCAL_BUFFER_reads(type, name)
#define FOCAL_LOCAL_writes(type, name) FOCAL_BUFFER_writes(type, name)
#define FOCAL_LOCAL_view(type, name, of) type *name = (type *)of;
#define FOCAL_LOCAL_shares(type, name, count) type name[count];
#define FOCAL_LOCAL_workgroup(width, height)

// The entry point: `invoke(x, y, z)` of the kernel's body for each item of the rows.
#define FOCAL_ENTRY(kernel)                                             \
  FOCAL_CLONES FOCAL_ENTRY_POINT(kernel) {                              \
    FOCAL_VALUES(kernel)                                                \
    for (int32_t y = (int32_t)begin; y < (int32_t)end; y++) {           \
      for (int32_t x = 0; x < (int32_t)columns; x++) {                  \
        invoke(FOCAL_PASSES x, y, 0);                                   \
      }                                                                 \
    }                                                                   \
  }

// The same for a body that a workgroup runs together: `invoke(x, y, z)` of each workgroup of the grid, whose rows are
// the items. Here it has one lane, which does the work of all between one barrier and the next; what a lane keeps to
// itself across a barrier must be the same in all of them.
#define FOCAL_GROUP_ENTRY(kernel)                                             \
  FOCAL_CLONES FOCAL_ENTRY_POINT(kernel) {                                    \
    FOCAL_VALUES(kernel)                                                      \
    for (int32_t y = (int32_t)begin; y < (int32_t)end; y++) {                 \
      for (int32_t x = 0; x < (int32_t)columns / FOCAL_GROUP_WIDTH; x++) {    \
        invoke(FOCAL_PASSES x, y, 0);                                         \
      }                                                                       \
    }                                                                         \
  }
#define FOCAL_LANE() 0
#define FOCAL_LANES 1
#define FOCAL_ROW_LANES 1
#define FOCAL_BARRIER()
#define FOCAL_ATOMIC_OR(word, bits) ((word) |= (bits))
#endif
