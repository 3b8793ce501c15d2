// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS FOCAL_READS(Four, source), FOCAL_READS(float, radius), FOCAL_READS(float, matte), FOCAL_READS(float, layers), FOCAL_READS(float, views), FOCAL_READS(float, table), FOCAL_WRITES(Four, destination), FOCAL_READS(uint32_t, tiles), FOCAL_PARAMETERS(FocalCompositeParameters)
#define FOCAL_NAMES source, radius, matte, layers, views, table, destination, tiles, p

#include "composite.h"
#define SHARED FOCAL_SHARED_ARRAY(Four, plateColour, FOCAL_PART_PIXELS) FOCAL_SHARED_ARRAY(float, plateCircle, FOCAL_PART_PIXELS) FOCAL_SHARED_ARRAY(float, plateOpacity, FOCAL_PART_PIXELS)
#define SHARED_NAMES plateColour, plateCircle, plateOpacity,
FOCAL_SHARED_ENTRY(composite, SHARED, SHARED_NAMES)
