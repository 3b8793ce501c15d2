// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_blur.h"

FOCAL_PARAMETERS(FocalGatherLayersParameters)
FOCAL_READS(0, float4, source)
FOCAL_READS(1, float, radius)
FOCAL_READS(2, float, matte)
FOCAL_WRITES(3, float, layers)
FOCAL_READS(4, uint8_t, flags)

#include "gatherLayers.h"
FOCAL_ENTRY(gatherLayers)
