// SPDX-License-Identifier: Apache-2.0
#define FOCAL_SHARED , __local uint32_t *occupied
#define FOCAL_SHARED_NAMES , occupied

#include "opencl_kernel.h"
#include "focal_slices.h"
#include "focal_views.h"

#define FOCAL_ARGUMENTS                                                                  \
  FOCAL_READS(float, layers), FOCAL_READS(FocalTile, tiles), FOCAL_WRITES(float4, pool), \
      FOCAL_WRITES(uint32_t, cells), FOCAL_READS(uint32_t, blocks),                      \
      FOCAL_PARAMETERS(FocalViewsParameters)
#define FOCAL_NAMES layers, tiles, pool, cells, blocks, p

#include "assembleSlices.h"

__kernel void assembleSlices(FOCAL_ARGUMENTS) {
  __local uint32_t occupied[2];
  FOCAL_INVOKE();
}
