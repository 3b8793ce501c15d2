// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_pixel.h"

#define FOCAL_ARGUMENTS                                                                         \
  FOCAL_READS(uint8_t, bytes), FOCAL_READS(uint8_t, chromaBytes), FOCAL_WRITES(float4, linear), \
      FOCAL_PARAMETERS(FocalPixelParameters)
#define FOCAL_NAMES bytes, chromaBytes, linear, p
#define words ((__global const uint16_t *)bytes)
#define floats ((__global const float *)bytes)
#define chromaWords ((__global const uint16_t *)chromaBytes)

#include "unpack.h"
FOCAL_ENTRY(unpack)
