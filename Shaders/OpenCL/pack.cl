// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_pixel.h"

#define FOCAL_ARGUMENTS \
  FOCAL_READS(float4, linear), FOCAL_WRITES(uint8_t, bytes), FOCAL_PARAMETERS(FocalPixelParameters)
#define FOCAL_NAMES linear, bytes, p
#define words ((__global uint16_t *)bytes)
#define longs ((__global uint32_t *)bytes)

#include "pack.h"
FOCAL_ENTRY(pack)
