// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_slices.h"
#include "focal_views.h"

#define FOCAL_ARGUMENTS FOCAL_READS(FocalTile, tiles), FOCAL_READS(Four, pool), FOCAL_READS(uint32_t, cells), FOCAL_READS(float, lens), FOCAL_WRITES(float, views), FOCAL_PARAMETERS(FocalViewsParameters)
#define FOCAL_NAMES tiles, pool, cells, lens, views, p

#include "lensViews.h"
#define SHARED FOCAL_SHARED_ARRAY(float, slotMoved, FOCAL_MAXIMUM_SLOTS) FOCAL_SHARED_ARRAY(int32_t, slotPlane, FOCAL_MAXIMUM_SLOTS) FOCAL_SHARED_ARRAY(int32_t, isPresent, FOCAL_MAXIMUM_SLOTS) FOCAL_SHARED_ARRAY(int32_t, slotCounts, 2)
#define SHARED_NAMES slotMoved, slotPlane, isPresent, slotCounts,
FOCAL_SHARED_ENTRY(lensViews, SHARED, SHARED_NAMES)
