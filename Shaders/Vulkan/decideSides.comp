// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_refine.h"

FOCAL_PARAMETERS(FocalDecideSidesParameters)
FOCAL_READS(0, float, map)
FOCAL_READS(1, float, front)
FOCAL_READS(2, float, back)
FOCAL_READS(3, uint8_t, kind)
FOCAL_READS(4, uint8_t, reach)
FOCAL_READS(5, uint32_t, guide)
FOCAL_READS(6, FocalSideModel, models)
FOCAL_WRITES(7, float, decision)

#include "decideSides.h"
FOCAL_ENTRY(decideSides)
