// SPDX-License-Identifier: Apache-2.0
#define FOCAL_SHARED                                                                  \
  , __local float *slotMoved, __local int32_t *slotPlane, __local int32_t *isPresent, \
      __local int32_t *slotCounts
#define FOCAL_SHARED_NAMES , slotMoved, slotPlane, isPresent, slotCounts

#include "opencl_kernel.h"
#include "focal_slices.h"
#include "focal_views.h"

#define FOCAL_ARGUMENTS                                                                   \
  FOCAL_READS(FocalTile, tiles), FOCAL_READS(float4, pool), FOCAL_READS(uint32_t, cells), \
      FOCAL_READS(float, lens), FOCAL_WRITES(float, views), FOCAL_PARAMETERS(FocalViewsParameters)
#define FOCAL_NAMES tiles, pool, cells, lens, views, p

#include "lensViews.h"

__kernel void lensViews(FOCAL_ARGUMENTS) {
  __local float slotMoved[FOCAL_MAXIMUM_SLOTS];
  __local int32_t slotPlane[FOCAL_MAXIMUM_SLOTS];
  __local int32_t isPresent[FOCAL_MAXIMUM_SLOTS];
  __local int32_t slotCounts[2];
  FOCAL_INVOKE();
}
