// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_slices.h"

#define FOCAL_ARGUMENTS FOCAL_READS(float, layers), FOCAL_WRITES(FocalTile, tiles), FOCAL_READS(uint32_t, blocks), FOCAL_PARAMETERS(FocalClassifyTilesParameters)
#define FOCAL_NAMES layers, tiles, blocks, p

#include "classifyTiles.h"
#define SHARED FOCAL_SHARED_ARRAY(float, spans, FOCAL_MAXIMUM_SLOTS) FOCAL_SHARED_ARRAY(uint32_t, reachingLow, FOCAL_CLASSIFY_GROUP) FOCAL_SHARED_ARRAY(uint32_t, reachingHigh, FOCAL_CLASSIFY_GROUP) FOCAL_SHARED_ARRAY(uint32_t, present, 2)
#define SHARED_NAMES spans, reachingLow, reachingHigh, present,
FOCAL_SHARED_ENTRY(classifyTiles, SHARED, SHARED_NAMES)
