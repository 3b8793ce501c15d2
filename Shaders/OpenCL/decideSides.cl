// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_refine.h"

#define FOCAL_ARGUMENTS                                                                      \
  FOCAL_READS(float, map), FOCAL_READS(float, front), FOCAL_READS(float, back),              \
      FOCAL_READS(uint8_t, kind), FOCAL_READS(uint8_t, reach), FOCAL_READS(uint32_t, guide), \
      FOCAL_READS(FocalSideModel, models), FOCAL_WRITES(float, decision),                    \
      FOCAL_PARAMETERS(FocalDecideSidesParameters)
#define FOCAL_NAMES map, front, back, kind, reach, guide, models, decision, p

#include "decideSides.h"
FOCAL_ENTRY(decideSides)
