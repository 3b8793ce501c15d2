// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_refine.h"

FOCAL_PARAMETERS(FocalFindSidesParameters)
FOCAL_READS(0, float, map)
FOCAL_WRITES(1, float, front)
FOCAL_WRITES(2, float, back)
FOCAL_WRITES(3, uint8_t, kind)

#include "findSidesSharp.h"
FOCAL_ENTRY(findSidesSharp)
