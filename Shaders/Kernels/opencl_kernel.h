// SPDX-License-Identifier: Apache-2.0
//
// What an OpenCL twin declares its buffers with. Before this file it defines FOCAL_ARGUMENTS, the
// kernel's arguments in the order of their bindings with the parameter struct `p` last, and
// FOCAL_NAMES, the same without types.

#define FOCAL_READS(type, name) __global const type *restrict name
#define FOCAL_WRITES(type, name) __global type *name
#define FOCAL_PARAMETERS(type) const type p

// Four floats side by side, as a pixel of RGBA.
typedef float4 Four;
#define FOCAL_FOUR(x, y, z, w) ((float4)(x, y, z, w))
#define FOCAL_BYTE(x) ((uint8_t)(x))
// A table of `count` floats: FOCAL_TABLE(name, count) values FOCAL_TABLE_END
#define FOCAL_TABLE(name, count) __constant float name[count] = {
#define FOCAL_TABLE_END };

// Functions of a kernel's body that touch buffers take them first.
#define FOCAL_TAKES FOCAL_ARGUMENTS,
#define FOCAL_PASSES FOCAL_NAMES,

// Memory of a workgroup: declared by the entry point, taken as an argument like the buffers.
#define FOCAL_TAKES_SHARED(type, name) __local type *name,
#define FOCAL_ATOMIC_OR(word, bits) atomic_or(&(word), bits)
#define FOCAL_ATOMIC_MIN(word, value) atomic_min(&(word), value)
#define FOCAL_ATOMIC_MAX(word, value) atomic_max(&(word), value)
#define FOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define FOCAL_LOCAL_X() FOCAL_INT(get_local_id(0))
#define FOCAL_LOCAL_Y() FOCAL_INT(get_local_id(1))
#define FOCAL_GROUP_X() FOCAL_INT(get_group_id(0))
#define FOCAL_GROUP_Y() FOCAL_INT(get_group_id(1))

// The entry point: `invoke(x, y, z)` of the kernel's body for each invocation of the grid.
#define FOCAL_ENTRY(kernel)                                                       \
  __kernel void kernel(FOCAL_ARGUMENTS) {                                         \
    invoke(FOCAL_PASSES FOCAL_INT(get_global_id(0)), FOCAL_INT(get_global_id(1)), \
           FOCAL_INT(get_global_id(2)));                                          \
  }

// The same for a kernel whose workgroup shares memory: `declarations` are FOCAL_SHARED_ARRAYs,
// `names` the arrays' names, each followed by a comma.
#define FOCAL_SHARED_ARRAY(type, name, count) __local type name[count];
#define FOCAL_SHARED_ENTRY(kernel, declarations, names)                                 \
  __kernel void kernel(FOCAL_ARGUMENTS) {                                               \
    declarations invoke(FOCAL_PASSES names FOCAL_INT(get_global_id(0)),                 \
                        FOCAL_INT(get_global_id(1)), FOCAL_INT(get_global_id(2)));      \
  }
