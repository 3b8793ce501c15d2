// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_slices.h"

FOCAL_PARAMETERS(FocalClassifyTilesParameters)
FOCAL_READS(0, float, layers)
FOCAL_WRITES(1, FocalTile, tiles)
FOCAL_READS(2, uint32_t, blocks)
FOCAL_SHARED_ARRAY(float, spans, FOCAL_MAXIMUM_SLOTS)
FOCAL_SHARED_ARRAY(uint32_t, reachingLow, FOCAL_CLASSIFY_GROUP)
FOCAL_SHARED_ARRAY(uint32_t, reachingHigh, FOCAL_CLASSIFY_GROUP)
FOCAL_SHARED_ARRAY(uint32_t, present, 2)

#include "classifyTiles.h"
FOCAL_ENTRY(classifyTiles)
