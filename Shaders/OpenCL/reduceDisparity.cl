// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_pixel.h"
#include "focal_refine.h"

#define FOCAL_ARGUMENTS                                    \
  FOCAL_READS(float, source), FOCAL_WRITES(float, result), \
      FOCAL_PARAMETERS(FocalReduceDisparityParameters)
#define FOCAL_NAMES source, result, p

#include "reduceDisparity.h"
FOCAL_ENTRY(reduceDisparity)
