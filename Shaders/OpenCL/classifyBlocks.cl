// SPDX-License-Identifier: Apache-2.0
#define FOCAL_SHARED , __local uint32_t *columnLow, __local uint32_t *columnHigh
#define FOCAL_SHARED_NAMES , columnLow, columnHigh

#include "opencl_kernel.h"
#include "focal_slices.h"

#define FOCAL_ARGUMENTS                                                                       \
  FOCAL_READS(float, layers), FOCAL_WRITES(FocalTile, tiles), FOCAL_WRITES(uint32_t, blocks), \
      FOCAL_PARAMETERS(FocalClassifyTilesParameters)
#define FOCAL_NAMES layers, tiles, blocks, p

#include "classifyBlocks.h"

__kernel void classifyBlocks(FOCAL_ARGUMENTS) {
  __local uint32_t columnLow[FOCAL_GROUP_SIZE];
  __local uint32_t columnHigh[FOCAL_GROUP_SIZE];
  FOCAL_INVOKE();
}
