// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_slices.h"

#define FOCAL_ARGUMENTS FOCAL_READS(float, layers), FOCAL_WRITES(FocalTile, tiles), FOCAL_WRITES(uint32_t, blocks), FOCAL_PARAMETERS(FocalClassifyTilesParameters)
#define FOCAL_NAMES layers, tiles, blocks, p

#include "classifyBlocks.h"
#define SHARED FOCAL_SHARED_ARRAY(uint32_t, columnLow, FOCAL_GROUP_SIZE) FOCAL_SHARED_ARRAY(uint32_t, columnHigh, FOCAL_GROUP_SIZE)
#define SHARED_NAMES columnLow, columnHigh,
FOCAL_SHARED_ENTRY(classifyBlocks, SHARED, SHARED_NAMES)
