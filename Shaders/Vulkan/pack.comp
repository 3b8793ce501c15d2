// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_pixel.h"

FOCAL_PARAMETERS(FocalPixelParameters)
FOCAL_READS(0, float4, linear)
FOCAL_WRITES(1, uint8_t, bytes)
FOCAL_WRITES(1, uint16_t, words)
FOCAL_WRITES(1, uint32_t, longs)

#include "pack.h"
FOCAL_ENTRY(pack)
