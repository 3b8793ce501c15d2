// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_pixel.h"
#include "focal_refine.h"

FOCAL_PARAMETERS(FocalReduceDisparityParameters)
FOCAL_READS(0, float, source)
FOCAL_WRITES(1, float, result)

#include "reduceDisparity.h"
FOCAL_ENTRY(reduceDisparity)
