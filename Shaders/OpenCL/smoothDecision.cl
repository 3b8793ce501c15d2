// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_refine.h"

#define FOCAL_ARGUMENTS                                                                 \
  FOCAL_READS(uint8_t, kind), FOCAL_READS(uint32_t, guide), FOCAL_READS(float, source), \
      FOCAL_WRITES(float, result), FOCAL_PARAMETERS(FocalSmoothDecisionParameters)
#define FOCAL_NAMES kind, guide, source, result, p

#include "smoothDecision.h"
FOCAL_ENTRY(smoothDecision)
