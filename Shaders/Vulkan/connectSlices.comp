// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_slices.h"

FOCAL_PARAMETERS(FocalConnectSlicesParameters)
FOCAL_WRITES(0, float, layers)

#include "connectSlices.h"
FOCAL_ENTRY(connectSlices)
