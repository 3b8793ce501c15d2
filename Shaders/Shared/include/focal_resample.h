// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "focal_math.h"

// A linear picture at another size.
FOCAL_STRUCT(FocalResampleParameters) {
  int32_t sourceWidth, sourceHeight;
  int32_t width, height;  // of the destination
  float scaleX, scaleY;   // source pixels a destination pixel
  // Half the width of the triangular filter in source pixels, and its reciprocal: the scale when
  // shrinking, so that every source pixel counts alike, 1 (linear interpolation) when enlarging.
  float reachX, reachY;
  float inverseReachX, inverseReachY;
  // A window of rows: the rows of the picture that the destination and the source begin with, and
  // how many rows the destination has, 0 for all.
  int32_t originY, sourceOriginY, rows;
};

/// A linear picture at another size. Pixels of the destination.
#define FOCAL_KERNEL_resample(_)         \
  _(parameters, FocalResampleParameters) \
  _(reads, float4, source)               \
  _(writes, float4, result)
FOCAL_KERNEL(resample)
