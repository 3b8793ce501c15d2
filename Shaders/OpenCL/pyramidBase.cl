// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS                                                              \
  FOCAL_READS(float, layers), FOCAL_WRITES(float, fine), FOCAL_READS(float, coarse), \
      FOCAL_PARAMETERS(FocalPyramidParameters)
#define FOCAL_NAMES layers, fine, coarse, p

#include "pyramidBase.h"
FOCAL_ENTRY(pyramidBase)
