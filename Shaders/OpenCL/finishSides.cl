// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_refine.h"

#define FOCAL_ARGUMENTS                                                                     \
  FOCAL_READS(float, map), FOCAL_WRITES(float, front), FOCAL_WRITES(float, back),           \
      FOCAL_WRITES(uint8_t, kind), FOCAL_READS(float, frontIn), FOCAL_READS(float, backIn), \
      FOCAL_PARAMETERS(FocalFindSidesParameters)
#define FOCAL_NAMES map, front, back, kind, frontIn, backIn, p

#include "finishSides.h"
FOCAL_ENTRY(finishSides)
