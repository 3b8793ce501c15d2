// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_blur.h"

FOCAL_PARAMETERS(FocalPyramidParameters)
FOCAL_READS(0, float, layers)
FOCAL_WRITES(1, float, fine)
FOCAL_READS(2, float, coarse)

#include "pyramidBase.h"
FOCAL_ENTRY(pyramidBase)
