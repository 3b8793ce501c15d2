// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS                                                              \
  FOCAL_WRITES(float, layers), FOCAL_READS(float, fine), FOCAL_READS(float, coarse), \
      FOCAL_PARAMETERS(FocalPyramidParameters)
#define FOCAL_NAMES layers, fine, coarse, p

#include "pyramidStore.h"
FOCAL_ENTRY(pyramidStore)
