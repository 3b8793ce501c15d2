// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_refine.h"

#define FOCAL_ARGUMENTS                                                                    \
  FOCAL_READS(float4, source), FOCAL_READS(uint8_t, reach), FOCAL_WRITES(uint32_t, guide), \
      FOCAL_PARAMETERS(FocalMakeGuideParameters)
#define FOCAL_NAMES source, reach, guide, p

#include "makeGuide.h"
FOCAL_ENTRY(makeGuide)
