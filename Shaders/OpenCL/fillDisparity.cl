// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_pixel.h"
#include "focal_refine.h"

#define FOCAL_ARGUMENTS                                 \
  FOCAL_WRITES(float, map), FOCAL_READS(float, coarse), \
      FOCAL_PARAMETERS(FocalFillDisparityParameters)
#define FOCAL_NAMES map, coarse, p

#include "fillDisparity.h"
FOCAL_ENTRY(fillDisparity)
