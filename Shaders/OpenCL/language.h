// SPDX-License-Identifier: Apache-2.0
//
// The meaning of a kernel's body in OpenCL C. From the kernel's declaration ShaderCompiler defines
// FOCAL_ARGUMENTS (the buffers in the order of their bindings, the parameter struct `p` last),
// FOCAL_TAKES and FOCAL_PASSES (what functions of a body that touch buffers take first, and pass on:
// the arguments, views of them and the workgroup's memory) and FOCAL_LOCALS (where the latter two are
// declared).
#pragma once

#define FOCAL_ATOMIC_OR(word, bits) atomic_or(&(word), bits)
#define FOCAL_ATOMIC_MIN(word, value) atomic_min(&(word), value)
#define FOCAL_ATOMIC_MAX(word, value) atomic_max(&(word), value)
#define FOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define FOCAL_LOCAL_X() FOCAL_INT(get_local_id(0))
#define FOCAL_LOCAL_Y() FOCAL_INT(get_local_id(1))
#define FOCAL_GROUP_X() FOCAL_INT(get_group_id(0))
#define FOCAL_GROUP_Y() FOCAL_INT(get_group_id(1))
// The lane of a workgroup FOCAL_GROUP_WIDTH wide.
#define FOCAL_LANE() (FOCAL_LOCAL_Y() * FOCAL_GROUP_WIDTH + FOCAL_LOCAL_X())
#define FOCAL_LANES FOCAL_GROUP_SIZE
// Lanes of a workgroup of one row.
#define FOCAL_ROW_LANES FOCAL_GROUP_WIDTH

// Four floats, and bytes and 16-bit words, which are only ever loaded and stored.
#define FOCAL_FLOAT4(x, y, z, w) ((float4)(x, y, z, w))
#define FOCAL_BYTE(value) ((uint8_t)(value))
#define FOCAL_WORD(value) ((uint16_t)(value))

// The entry point: `invoke(x, y, z)` of the kernel's body for each invocation of the grid.
#define FOCAL_ENTRY(kernel)                                                               \
  __kernel void kernel(FOCAL_ARGUMENTS) {                                                 \
    FOCAL_LOCALS                                                                          \
    invoke(FOCAL_PASSES FOCAL_INT(get_global_id(0)), FOCAL_INT(get_global_id(1)),         \
           FOCAL_INT(get_global_id(2)));                                                  \
  }

// The same for a body that a workgroup runs together: `invoke(x, y, z)` of the workgroup.
#define FOCAL_GROUP_ENTRY(kernel)                                   \
  __kernel void kernel(FOCAL_ARGUMENTS) {                           \
    FOCAL_LOCALS                                                    \
    invoke(FOCAL_PASSES FOCAL_GROUP_X(), FOCAL_GROUP_Y(), 0);       \
  }
