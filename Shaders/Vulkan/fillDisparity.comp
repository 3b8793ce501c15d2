// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_pixel.h"
#include "focal_refine.h"

FOCAL_PARAMETERS(FocalFillDisparityParameters)
FOCAL_WRITES(0, float, map)
FOCAL_READS(1, float, coarse)

#include "fillDisparity.h"
FOCAL_ENTRY(fillDisparity)
