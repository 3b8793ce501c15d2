// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS FOCAL_READS(Four, source), FOCAL_READS(float, radius), FOCAL_READS(float, matte), FOCAL_READS(float, layers), FOCAL_READS(float, views), FOCAL_READS(float, table), FOCAL_WRITES(uint32_t, tiles), FOCAL_READS(uint8_t, flags), FOCAL_PARAMETERS(FocalCompositeParameters)
#define FOCAL_NAMES source, radius, matte, layers, views, table, tiles, flags, p

#include "classifyFocus.h"
#define SHARED FOCAL_SHARED_ARRAY(uint32_t, found, 1) FOCAL_SHARED_ARRAY(int32_t, lowest, 1) FOCAL_SHARED_ARRAY(int32_t, highest, 1) FOCAL_SHARED_ARRAY(int32_t, largest, 1)
#define SHARED_NAMES found, lowest, highest, largest,
FOCAL_SHARED_ENTRY(classifyFocus, SHARED, SHARED_NAMES)
