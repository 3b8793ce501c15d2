// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_blur.h"

FOCAL_PARAMETERS(FocalMatteParameters)
FOCAL_READS(0, float4, source)
FOCAL_READS(1, float, radius)
FOCAL_WRITES(2, float, matte)
FOCAL_WRITES(3, uint8_t, flags)
FOCAL_SHARED_ARRAY(int32_t, pixelFlags, FOCAL_GROUP_SIZE)

#include "matte.h"
FOCAL_ENTRY(matte)
