// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS                                                                       \
  FOCAL_READS(Four, source), FOCAL_READS(float, radius), FOCAL_WRITES(float, matte),          \
      FOCAL_WRITES(uint8_t, flags), FOCAL_PARAMETERS(FocalMatteParameters)
#define FOCAL_NAMES source, radius, matte, flags, p

#include "matte.h"
#define SHARED FOCAL_SHARED_ARRAY(int32_t, pixelFlags, FOCAL_GROUP_SIZE)
#define SHARED_NAMES pixelFlags,
FOCAL_SHARED_ENTRY(matte, SHARED, SHARED_NAMES)
