// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_pixel.h"

FOCAL_PARAMETERS(FocalPixelParameters)
FOCAL_READS(0, uint16_t, words)
FOCAL_READS(0, float, floats)
FOCAL_WRITES(1, float, map)

#include "unpackDisparity.h"
FOCAL_ENTRY(unpackDisparity)
