// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_slices.h"
#include "focal_views.h"

FOCAL_PARAMETERS(FocalViewsParameters)
FOCAL_READS(0, FocalTile, tiles)
FOCAL_READS(1, float4, pool)
FOCAL_READS(2, uint32_t, cells)
FOCAL_READS(3, float, lens)
FOCAL_WRITES(4, float, views)
FOCAL_SHARED_ARRAY(float, slotMoved, FOCAL_MAXIMUM_SLOTS)
FOCAL_SHARED_ARRAY(int32_t, slotPlane, FOCAL_MAXIMUM_SLOTS)
FOCAL_SHARED_ARRAY(int32_t, isPresent, FOCAL_MAXIMUM_SLOTS)
FOCAL_SHARED_ARRAY(int32_t, slotCounts, 2)

#include "lensViews.h"
FOCAL_ENTRY(lensViews)
