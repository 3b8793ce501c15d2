// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_refine.h"

#define FOCAL_ARGUMENTS                                                         \
  FOCAL_READS(float, map), FOCAL_READS(float, front), FOCAL_READS(float, back), \
      FOCAL_READS(uint8_t, kind), FOCAL_READS(FocalSideSums, sums),             \
      FOCAL_WRITES(FocalSideModel, models), FOCAL_PARAMETERS(FocalFitSidesParameters)
#define FOCAL_NAMES map, front, back, kind, sums, models, p

#include "fitSides.h"
FOCAL_ENTRY(fitSides)
