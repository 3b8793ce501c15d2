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
FOCAL_WRITES(6, uint32_t, tiles)
FOCAL_READS(7, uint8_t, flags)
FOCAL_SHARED_ARRAY(uint32_t, found, 1)
FOCAL_SHARED_ARRAY(int32_t, lowest, 1)
FOCAL_SHARED_ARRAY(int32_t, highest, 1)
FOCAL_SHARED_ARRAY(int32_t, largest, 1)

#include "classifyFocus.h"
FOCAL_ENTRY(classifyFocus)
