// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_slices.h"
#include "focal_views.h"

#define FOCAL_ARGUMENTS                                                                     \
  FOCAL_READS(FocalTile, tiles), FOCAL_READS(float4, source), FOCAL_WRITES(float4, result), \
      FOCAL_READS(uint32_t, cells), FOCAL_PARAMETERS(FocalViewsParameters)
#define FOCAL_NAMES tiles, source, result, cells, p

#include "prefilterSlices.h"
FOCAL_ENTRY(prefilterSlices)
