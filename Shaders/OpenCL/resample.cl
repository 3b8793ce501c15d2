// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_resample.h"

#define FOCAL_ARGUMENTS                                      \
  FOCAL_READS(float4, source), FOCAL_WRITES(float4, result), \
      FOCAL_PARAMETERS(FocalResampleParameters)
#define FOCAL_NAMES source, result, p

#include "resample.h"
FOCAL_ENTRY(resample)
