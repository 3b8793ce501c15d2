// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_pixel.h"

FOCAL_PARAMETERS(FocalPixelParameters)
FOCAL_READS(0, uint8_t, bytes)
FOCAL_READS(0, uint16_t, words)
FOCAL_READS(0, float, floats)
FOCAL_READS(1, uint8_t, chromaBytes)
FOCAL_READS(1, uint16_t, chromaWords)
FOCAL_WRITES(2, float4, linear)

#include "unpack.h"
FOCAL_ENTRY(unpack)
