// SPDX-License-Identifier: Apache-2.0
#version 450
#include "vulkan_kernel.h"
#include "focal_pixel.h"

FOCAL_PARAMETERS(FocalPixelParameters)
FOCAL_READS(0, float4, linear)
FOCAL_WRITES(1, uint8_t, lumaBytes)
FOCAL_WRITES(1, uint16_t, lumaWords)
FOCAL_WRITES(2, uint8_t, chromaBytes)
FOCAL_WRITES(2, uint16_t, chromaWords)
FOCAL_SHARED_ARRAY(float, sharedCb, FOCAL_CHROMA_PITCH * FOCAL_CHROMA_ROWS)
FOCAL_SHARED_ARRAY(float, sharedCr, FOCAL_CHROMA_PITCH * FOCAL_CHROMA_ROWS)

#include "packBiPlanar.h"
FOCAL_ENTRY(packBiPlanar)
