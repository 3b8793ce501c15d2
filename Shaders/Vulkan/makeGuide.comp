// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_refine.h"

FOCAL_PARAMETERS(FocalMakeGuideParameters)
FOCAL_READS(0, float4, source)
FOCAL_READS(1, uint8_t, reach)
FOCAL_WRITES(2, uint32_t, guide)

#include "makeGuide.h"
FOCAL_ENTRY(makeGuide)
