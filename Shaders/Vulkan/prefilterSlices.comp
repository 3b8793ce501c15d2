// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_slices.h"
#include "focal_views.h"

FOCAL_PARAMETERS(FocalViewsParameters)
FOCAL_READS(0, FocalTile, tiles)
FOCAL_READS(1, float4, source)
FOCAL_WRITES(2, float4, result)
FOCAL_READS(3, uint32_t, cells)

#include "prefilterSlices.h"
FOCAL_ENTRY(prefilterSlices)
