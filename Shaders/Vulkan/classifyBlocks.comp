// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_slices.h"

FOCAL_PARAMETERS(FocalClassifyTilesParameters)
FOCAL_READS(0, float, layers)
FOCAL_WRITES(1, FocalTile, tiles)
FOCAL_WRITES(2, uint32_t, blocks)
FOCAL_SHARED_ARRAY(uint32_t, columnLow, FOCAL_GROUP_SIZE)
FOCAL_SHARED_ARRAY(uint32_t, columnHigh, FOCAL_GROUP_SIZE)

#include "classifyBlocks.h"
FOCAL_ENTRY(classifyBlocks)
