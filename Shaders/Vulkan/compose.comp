// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_blur.h"

FOCAL_PARAMETERS(FocalCompositeParameters)
FOCAL_READS(0, float4, source)
FOCAL_READS(1, float, radius)
FOCAL_READS(2, float, matte)
FOCAL_READS(3, float, layers)
FOCAL_READS(4, float, views)
FOCAL_READS(5, float, table)
FOCAL_WRITES(6, float4, destination)
FOCAL_READS(7, uint32_t, tiles)
FOCAL_SHARED_ARRAY(float4, plateColour, FOCAL_PART_PIXELS)
FOCAL_SHARED_ARRAY(float, plateCircle, FOCAL_PART_PIXELS)
FOCAL_SHARED_ARRAY(float, plateOpacity, FOCAL_PART_PIXELS)

#include "compose.h"
FOCAL_ENTRY(compose)
