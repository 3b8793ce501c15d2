// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS                                       \
  FOCAL_READS(float, disparity), FOCAL_WRITES(float, radius), \
      FOCAL_PARAMETERS(FocalCircleOfConfusionParameters)
#define FOCAL_NAMES disparity, radius, p

#include "circleOfConfusion.h"
FOCAL_ENTRY(circleOfConfusion)
