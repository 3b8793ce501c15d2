// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_blur.h"

FOCAL_PARAMETERS(FocalCircleOfConfusionParameters)
FOCAL_READS(0, float, disparity)
FOCAL_WRITES(1, float, radius)

#include "circleOfConfusion.h"
FOCAL_ENTRY(circleOfConfusion)
