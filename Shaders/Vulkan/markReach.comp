// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_refine.h"

FOCAL_PARAMETERS(FocalMarkReachParameters)
FOCAL_READS(0, uint8_t, kind)
FOCAL_WRITES(1, uint8_t, reach)

#include "markReach.h"
FOCAL_ENTRY(markReach)
