// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_resample.h"

FOCAL_PARAMETERS(FocalResampleParameters)
FOCAL_READS(0, float4, source)
FOCAL_WRITES(1, float4, result)

#include "resample.h"
FOCAL_ENTRY(resample)
