// SPDX-License-Identifier: Apache-2.0
//
// What an OpenCL twin declares its buffers with. Before this file it defines FOCAL_ARGUMENTS, the
// kernel's arguments in the order of their bindings with the parameter struct `p` last, and
// FOCAL_NAMES, the same without types.

#define FOCAL_READS(type, name) __global const type *restrict name
#define FOCAL_WRITES(type, name) __global type *name
#define FOCAL_PARAMETERS(type) const type p

// Functions of a kernel's body that touch buffers take them first. A twin whose workgroups share
// memory adds it: FOCAL_SHARED, arguments after a comma, and FOCAL_SHARED_NAMES, defined before
// this file is included, and an entry point that declares it and ends in FOCAL_INVOKE.
#if !defined(FOCAL_SHARED)
#define FOCAL_SHARED
#define FOCAL_SHARED_NAMES
#endif
#define FOCAL_TAKES FOCAL_ARGUMENTS FOCAL_SHARED,
#define FOCAL_PASSES FOCAL_NAMES FOCAL_SHARED_NAMES,

#define FOCAL_ATOMIC_OR(word, bits) atomic_or(&(word), bits)
#define FOCAL_ATOMIC_MIN(word, value) atomic_min(&(word), value)
#define FOCAL_ATOMIC_MAX(word, value) atomic_max(&(word), value)
#define FOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define FOCAL_LOCAL_X() FOCAL_INT(get_local_id(0))
#define FOCAL_LOCAL_Y() FOCAL_INT(get_local_id(1))
#define FOCAL_GROUP_X() FOCAL_INT(get_group_id(0))
#define FOCAL_GROUP_Y() FOCAL_INT(get_group_id(1))

// Four floats, and bytes and 16-bit words, which are only ever loaded and stored.
#define FOCAL_FLOAT4(x, y, z, w) ((float4)(x, y, z, w))
#define FOCAL_BYTE(value) ((uint8_t)(value))
#define FOCAL_WORD(value) ((uint16_t)(value))

// A table of `count` floats: FOCAL_TABLE(name, count) values FOCAL_TABLE_END
#define FOCAL_TABLE(name, count) __constant float name[count] = {
#define FOCAL_TABLE_END \
  }                     \
  ;

// The entry point: `invoke(x, y, z)` of the kernel's body for each invocation of the grid.
#define FOCAL_INVOKE()                                                          \
  invoke(FOCAL_PASSES FOCAL_INT(get_global_id(0)), FOCAL_INT(get_global_id(1)), \
         FOCAL_INT(get_global_id(2)))
#define FOCAL_ENTRY(kernel) \
  __kernel void kernel(FOCAL_ARGUMENTS) { FOCAL_INVOKE(); }
