// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_pixel.h"

#define FOCAL_ARGUMENTS \
  FOCAL_READS(uint16_t, words), FOCAL_WRITES(float, map), FOCAL_PARAMETERS(FocalPixelParameters)
#define FOCAL_NAMES words, map, p
#define floats ((__global const float *)words)

#include "unpackDisparity.h"
FOCAL_ENTRY(unpackDisparity)
