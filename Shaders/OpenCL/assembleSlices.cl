// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_slices.h"
#include "focal_views.h"

#define FOCAL_ARGUMENTS FOCAL_READS(float, layers), FOCAL_READS(FocalTile, tiles), FOCAL_WRITES(Four, pool), FOCAL_WRITES(uint32_t, cells), FOCAL_READS(uint32_t, blocks), FOCAL_PARAMETERS(FocalViewsParameters)
#define FOCAL_NAMES layers, tiles, pool, cells, blocks, p

#include "assembleSlices.h"
#define SHARED FOCAL_SHARED_ARRAY(uint32_t, occupied, 2)
#define SHARED_NAMES occupied,
FOCAL_SHARED_ENTRY(assembleSlices, SHARED, SHARED_NAMES)
