// SPDX-License-Identifier: Apache-2.0
//
// What lets one text be read as C, as OpenCL C and as GLSL. The shared headers and the bodies of
// the GPU kernels (Shaders/Kernels) keep to what the three have in common: no pointers, no casts
// but FOCAL_FLOAT, FOCAL_INT and FOCAL_UINT, conditions of type bool, structs declared with
// FOCAL_STRUCT, passed and returned by value. What only the processor's kernels need stands under
// FOCAL_HOST.
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
// A kernel's entry point. On x86-64 Linux the loader picks the widest instruction set that the
// machine has; contraction is off in every kernel file, so that each gives the same bits.
#if defined(__x86_64__) && defined(__linux__) && !defined(FOCAL_NO_CLONES)
#define FOCAL_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOCAL_KERNEL
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
#endif
