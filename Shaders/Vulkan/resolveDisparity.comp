// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_refine.h"

FOCAL_PARAMETERS(FocalResolveDisparityParameters)
FOCAL_READS(0, float, map)
FOCAL_READS(1, float, front)
FOCAL_READS(2, float, back)
FOCAL_READS(3, uint8_t, kind)
FOCAL_READS(4, FocalSideModel, models)
FOCAL_READS(5, float, decision)
FOCAL_WRITES(6, float, result)

#include "resolveDisparity.h"
FOCAL_ENTRY(resolveDisparity)
