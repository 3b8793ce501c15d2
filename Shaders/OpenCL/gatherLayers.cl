// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS                                                               \
  FOCAL_READS(float4, source), FOCAL_READS(float, radius), FOCAL_READS(float, matte), \
      FOCAL_WRITES(float, layers), FOCAL_READS(uint8_t, flags),                       \
      FOCAL_PARAMETERS(FocalGatherLayersParameters)
#define FOCAL_NAMES source, radius, matte, layers, flags, p

#include "gatherLayers.h"
FOCAL_ENTRY(gatherLayers)
