// SPDX-License-Identifier: Apache-2.0
#pragma once

#pragma STDC FP_CONTRACT OFF

// As the renderer's kernels, these are compiled for several instruction sets, with the same bits.
#if defined(__x86_64__) && defined(__linux__) && !defined(FOCAL_NO_CLONES)
#define FOCAL_TRACK_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOCAL_TRACK_CLONES
#endif
