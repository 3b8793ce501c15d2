// SPDX-License-Identifier: Apache-2.0
#define FOCAL_SHARED                                                            \
  , __local uint32_t *found, __local int32_t *lowest, __local int32_t *highest, \
      __local int32_t *largest
#define FOCAL_SHARED_NAMES , found, lowest, highest, largest

#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS                                                                 \
  FOCAL_READS(float4, source), FOCAL_READS(float, radius), FOCAL_READS(float, matte),   \
      FOCAL_READS(float, layers), FOCAL_READS(float, views), FOCAL_READS(float, table), \
      FOCAL_WRITES(uint32_t, tiles), FOCAL_READS(uint8_t, flags),                       \
      FOCAL_PARAMETERS(FocalCompositeParameters)
#define FOCAL_NAMES source, radius, matte, layers, views, table, tiles, flags, p

#include "classifyFocus.h"

__kernel void classifyFocus(FOCAL_ARGUMENTS) {
  __local uint32_t found[1];
  __local int32_t lowest[1];
  __local int32_t highest[1];
  __local int32_t largest[1];
  FOCAL_INVOKE();
}
