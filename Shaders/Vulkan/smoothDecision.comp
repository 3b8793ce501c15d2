// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_refine.h"

FOCAL_PARAMETERS(FocalSmoothDecisionParameters)
FOCAL_READS(0, uint8_t, kind)
FOCAL_READS(1, uint32_t, guide)
FOCAL_READS(2, float, source)
FOCAL_WRITES(3, float, result)

#include "smoothDecision.h"
FOCAL_ENTRY(smoothDecision)
