// SPDX-License-Identifier: Apache-2.0
//
// What the kernels' sources need to read alike in every kernel language.
#pragma once

#include <stdint.h>

// A function of the shared headers: inlined everywhere, so that it takes on the instruction set of
// the kernel that calls it.
#define FOCAL_FUNCTION static inline __attribute__((always_inline, unused))

// A kernel's entry point. On x86-64 Linux the loader picks the widest instruction set that the
// machine has; contraction is off in every kernel file, so that each gives the same bits.
#if defined(__x86_64__) && defined(__linux__) && !defined(FOCAL_NO_CLONES)
#define FOCAL_KERNEL \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOCAL_KERNEL
#endif
