// SPDX-License-Identifier: Apache-2.0
#define FOCAL_SHARED , __local int32_t *pixelFlags
#define FOCAL_SHARED_NAMES , pixelFlags

#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS                                                                \
  FOCAL_READS(float4, source), FOCAL_READS(float, radius), FOCAL_WRITES(float, matte), \
      FOCAL_WRITES(uint8_t, flags), FOCAL_PARAMETERS(FocalMatteParameters)
#define FOCAL_NAMES source, radius, matte, flags, p

#include "matte.h"

__kernel void matte(FOCAL_ARGUMENTS) {
  __local int32_t pixelFlags[FOCAL_GROUP_SIZE];
  FOCAL_INVOKE();
}
