// SPDX-License-Identifier: Apache-2.0
//
// The macros that let one text be read as C, as OpenCL C and as GLSL. The shared headers and the bodies of
// the GPU kernels (Shaders/Kernels) keep to what the three have in common: no pointers, no casts
// but FOCAL_FLOAT, FOCAL_INT and FOCAL_UINT, conditions of type bool, structs declared with
// FOCAL_STRUCT, passed and returned by value. Parts that only the processor's kernels need stand under
// FOCAL_HOST.
//
// A kernel is declared here, in the shared headers, once, by a comment and a macro with its entries:
//
//     /// Its purpose, and its grid.
//     #define FOCAL_KERNEL_name(_)                   the kernel's buffers, in the order of bindings:
//       _(parameters, FocalNameParameters)           its parameter struct, of numbers, structs and
//                                                    arrays of them
//       _(reads, uint8_t, kind)                      a buffer that it reads
//       _(writes, float, result)                     one that it writes, or changes in place
//       _(workspace, float, pool)                    one that means nothing before and after
//       _(view, uint16_t, words, kind)               a buffer's memory as elements of another type
//       _(shares, float, columns, FOCAL_GROUP_SIZE)  memory of a graphics device's workgroup
//       _(workgroup, WIDTH, HEIGHT)                  its size, where it is not FOCAL_GROUP_WIDTH x
//                                                    FOCAL_GROUP_HEIGHT
//     FOCAL_KERNEL(name)                             every device runs it
//     FOCAL_FUSED_KERNEL(name)                       processors do, a tile from end to end, and
//     FOCAL_PART_KERNEL(name)                        graphics devices its parts
//
// C reads that as it stands: FOCAL_BUFFERS in a kernel of the processor, FOCAL_TAKES in a body that
// all devices run. KernelGenerator and ShaderCompiler read the same text.
#pragma once

#if defined(VULKAN)  // GLSL, as glslang compiles it
#define FOCAL_GLSL 1
#define int32_t int
#define uint32_t uint
#define FOCAL_FUNCTION
#define FOCAL_STRUCT(name) struct name
#define FOCAL_CONSTANT(name, value) const int name = value;
#define FOCAL_FLOAT(x) float(x)
#define FOCAL_INT(x) int(x)
#define FOCAL_UINT(x) uint(x)
#else
#if defined(__OPENCL_VERSION__)
#pragma OPENCL FP_CONTRACT OFF
#define FOCAL_OPENCL 1
typedef int int32_t;
typedef uint uint32_t;
typedef ushort uint16_t;
typedef uchar uint8_t;
#define FOCAL_FUNCTION static inline
#else
#define FOCAL_HOST 1
// Contraction would give other bits where the machine has fused instructions. Here, before anything
// that computes: after an include it would leave out what that holds.
#pragma STDC FP_CONTRACT OFF
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// A function of the shared headers: inlined everywhere, so that it takes on the instruction set of
// the kernel that calls it.
#define FOCAL_FUNCTION static inline __attribute__((always_inline, unused))
/// Four floats, as a pixel's RGBA.
typedef float float4 __attribute__((ext_vector_type(4)));
#define FOCAL_FLOAT4(x, y, z, w) ((float4){x, y, z, w})
#endif
#define FOCAL_STRUCT(name)  \
  typedef struct name name; \
  struct name
#define FOCAL_CONSTANT(name, value) enum { name = value };
#define FOCAL_FLOAT(x) ((float)(x))
#define FOCAL_INT(x) ((int32_t)(x))
#define FOCAL_UINT(x) ((uint32_t)(x))
#endif

#if defined(FOCAL_HOST)
/// How a processor runs a kernel: the buffers by binding index, the parameter struct, how many items
/// there are across, and the range of rows, tiles or pieces of work that the call is to do. A call
/// writes only what belongs to its range, so ranges can run on any number of threads, in any order,
/// and give the same bits.
#define FOCAL_ENTRY_POINT(kernel)                                                              \
  void focal_##kernel(void *const *buffers, const void *parameters, uint32_t columns,          \
                      uint32_t begin, uint32_t end)
#define FOCAL_KERNEL(kernel) FOCAL_ENTRY_POINT(kernel);
#define FOCAL_FUSED_KERNEL(kernel) FOCAL_ENTRY_POINT(kernel);
#define FOCAL_PART_KERNEL(kernel)

// In an entry point: the kernel's parameters as `p` and its buffers by their names.
#define FOCAL_BUFFERS(kernel)        \
  void *const *focal_next = buffers; \
  FOCAL_KERNEL_##kernel(FOCAL_BUFFER)
#define FOCAL_BUFFER(entry, ...) FOCAL_BUFFER_##entry(__VA_ARGS__)
#define FOCAL_UNUSED __attribute__((unused))
#define FOCAL_BUFFER_parameters(type) const type *const p FOCAL_UNUSED = parameters;
#define FOCAL_BUFFER_reads(type, name) const type *restrict name FOCAL_UNUSED = *focal_next++;
#define FOCAL_BUFFER_writes(type, name) type *restrict name FOCAL_UNUSED = *focal_next++;
#define FOCAL_BUFFER_workspace(type, name) type *restrict name FOCAL_UNUSED = *focal_next++;
#define FOCAL_BUFFER_view(type, name, of)
#define FOCAL_BUFFER_shares(type, name, count)
#define FOCAL_BUFFER_workgroup(width, height)

// A kernel's entry point is compiled several times. On x86-64 Linux the loader picks the widest instruction
// set that the machine has; contraction is off in every kernel file, so that each gives the same bits.
#if defined(__x86_64__) && defined(__linux__) && !defined(FOCAL_NO_CLONES)
#define FOCAL_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOCAL_CLONES
#endif

// Lets a clone keep 512-bit vectors whole, where the compiler's tuning would halve them.
#if defined(__x86_64__)
#define FOCAL_WIDE __attribute__((min_vector_width(512)))
#else
#define FOCAL_WIDE
#endif

// Before a short loop over lanes: one vector instruction a step, not eight scalars (the unroller
// would run first otherwise). Before an inner loop of a few taps: unrolled, so that the loop around
// it becomes vectors.
#if defined(__clang__)
#define FOCAL_LANE_LOOP _Pragma("clang loop vectorize(enable) interleave(disable) unroll(disable)")
#define FOCAL_TAP_LOOP _Pragma("clang loop unroll(full)")
#else
#define FOCAL_LANE_LOOP
#define FOCAL_TAP_LOOP
#endif
#else
#define FOCAL_KERNEL(kernel)
#define FOCAL_FUSED_KERNEL(kernel)
#define FOCAL_PART_KERNEL(kernel)
#endif
