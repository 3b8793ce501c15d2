// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_refine.h"

FOCAL_PARAMETERS(FocalFitSidesParameters)
FOCAL_READS(0, float, map)
FOCAL_READS(1, float, front)
FOCAL_READS(2, float, back)
FOCAL_READS(3, uint8_t, kind)
FOCAL_READS(4, FocalSideSums, sums)
FOCAL_WRITES(5, FocalSideModel, models)

#include "fitSides.h"
FOCAL_ENTRY(fitSides)
