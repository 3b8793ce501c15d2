// SPDX-License-Identifier: Apache-2.0
#define FOCAL_SHARED                                                                     \
  , __local float *spans, __local uint32_t *reachingLow, __local uint32_t *reachingHigh, \
      __local uint32_t *present
#define FOCAL_SHARED_NAMES , spans, reachingLow, reachingHigh, present

#include "opencl_kernel.h"
#include "focal_slices.h"

#define FOCAL_ARGUMENTS                                                                      \
  FOCAL_READS(float, layers), FOCAL_WRITES(FocalTile, tiles), FOCAL_READS(uint32_t, blocks), \
      FOCAL_PARAMETERS(FocalClassifyTilesParameters)
#define FOCAL_NAMES layers, tiles, blocks, p

#include "classifyTiles.h"

__kernel void classifyTiles(FOCAL_ARGUMENTS) {
  __local float spans[FOCAL_MAXIMUM_SLOTS];
  __local uint32_t reachingLow[FOCAL_CLASSIFY_GROUP];
  __local uint32_t reachingHigh[FOCAL_CLASSIFY_GROUP];
  __local uint32_t present[2];
  FOCAL_INVOKE();
}
