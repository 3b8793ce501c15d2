// SPDX-License-Identifier: Apache-2.0
//
// What the kernels' sources need to read alike in every kernel language.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// A function of the shared headers: inlined everywhere, so that it takes on the instruction set of
// the kernel that calls it.
#define FOCAL_FUNCTION static inline __attribute__((always_inline, unused))

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
