// SPDX-License-Identifier: Apache-2.0
#define FOCAL_SHARED \
  , __local float4 *plateColour, __local float *plateCircle, __local float *plateOpacity
#define FOCAL_SHARED_NAMES , plateColour, plateCircle, plateOpacity

#include "opencl_kernel.h"
#include "focal_blur.h"

#define FOCAL_ARGUMENTS                                                                 \
  FOCAL_READS(float4, source), FOCAL_READS(float, radius), FOCAL_READS(float, matte),   \
      FOCAL_READS(float, layers), FOCAL_READS(float, views), FOCAL_READS(float, table), \
      FOCAL_WRITES(float4, destination), FOCAL_READS(uint32_t, tiles),                  \
      FOCAL_PARAMETERS(FocalCompositeParameters)
#define FOCAL_NAMES source, radius, matte, layers, views, table, destination, tiles, p

#include "compose.h"

__kernel void compose(FOCAL_ARGUMENTS) {
  __local float4 plateColour[FOCAL_PART_PIXELS];
  __local float plateCircle[FOCAL_PART_PIXELS];
  __local float plateOpacity[FOCAL_PART_PIXELS];
  FOCAL_INVOKE();
}
