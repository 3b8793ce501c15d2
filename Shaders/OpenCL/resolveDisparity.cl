// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_refine.h"

#define FOCAL_ARGUMENTS                                                         \
  FOCAL_READS(float, map), FOCAL_READS(float, front), FOCAL_READS(float, back), \
      FOCAL_READS(uint8_t, kind), FOCAL_READS(FocalSideModel, models),          \
      FOCAL_READS(float, decision), FOCAL_WRITES(float, result),                \
      FOCAL_PARAMETERS(FocalResolveDisparityParameters)
#define FOCAL_NAMES map, front, back, kind, models, decision, result, p

#include "resolveDisparity.h"
FOCAL_ENTRY(resolveDisparity)
