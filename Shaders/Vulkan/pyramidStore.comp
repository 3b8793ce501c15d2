// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_blur.h"

FOCAL_PARAMETERS(FocalPyramidParameters)
FOCAL_WRITES(0, float, layers)
FOCAL_READS(1, float, fine)
FOCAL_READS(2, float, coarse)

#include "pyramidStore.h"
FOCAL_ENTRY(pyramidStore)
