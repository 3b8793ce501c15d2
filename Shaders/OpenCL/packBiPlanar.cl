// SPDX-License-Identifier: Apache-2.0
#define FOCAL_SHARED , __local float *sharedCb, __local float *sharedCr
#define FOCAL_SHARED_NAMES , sharedCb, sharedCr

#include "opencl_kernel.h"
#include "focal_pixel.h"

#define FOCAL_ARGUMENTS                                          \
  FOCAL_READS(float4, linear), FOCAL_WRITES(uint8_t, lumaBytes), \
      FOCAL_WRITES(uint8_t, chromaBytes), FOCAL_PARAMETERS(FocalPixelParameters)
#define FOCAL_NAMES linear, lumaBytes, chromaBytes, p
#define lumaWords ((__global uint16_t *)lumaBytes)
#define chromaWords ((__global uint16_t *)chromaBytes)

#include "packBiPlanar.h"

__kernel void packBiPlanar(FOCAL_ARGUMENTS) {
  __local float sharedCb[FOCAL_CHROMA_PITCH * FOCAL_CHROMA_ROWS];
  __local float sharedCr[FOCAL_CHROMA_PITCH * FOCAL_CHROMA_ROWS];
  FOCAL_INVOKE();
}
