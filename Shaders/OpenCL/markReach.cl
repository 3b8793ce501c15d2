// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_refine.h"

#define FOCAL_ARGUMENTS                                     \
  FOCAL_READS(uint8_t, kind), FOCAL_WRITES(uint8_t, reach), \
      FOCAL_PARAMETERS(FocalMarkReachParameters)
#define FOCAL_NAMES kind, reach, p

#include "markReach.h"
FOCAL_ENTRY(markReach)
