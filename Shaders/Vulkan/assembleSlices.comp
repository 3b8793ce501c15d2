// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_slices.h"
#include "focal_views.h"

FOCAL_PARAMETERS(FocalViewsParameters)
FOCAL_READS(0, float, layers)
FOCAL_READS(1, FocalTile, tiles)
FOCAL_WRITES(2, float4, pool)
FOCAL_WRITES(3, uint32_t, cells)
FOCAL_READS(4, uint32_t, blocks)
FOCAL_SHARED_ARRAY(uint32_t, occupied, 2)

#include "assembleSlices.h"
FOCAL_ENTRY(assembleSlices)
