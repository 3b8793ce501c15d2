// SPDX-License-Identifier: Apache-2.0
//
// How slices are prefiltered and moved: what the kernels of the lens views share.
#pragma once

#include "focal_slices.h"

/// Layer pixels: the narrowest prefilter, and the radius from which on there is one.
#define SMALLEST_PREFILTER 1.4f
#define SMALLEST_PREFILTERED 5.0f

/// How wide a box a slice of this radius is filtered with, twice; 1 is none.
FOCAL_FUNCTION float prefilterWidth(float radius, int32_t lensCount, float cell) {
  const float size = focal_abs(radius);
  return lensCount > 1 && size > SMALLEST_PREFILTERED ? focal_max(size * cell, SMALLEST_PREFILTER)
                                                      : 1.0f;
}

/// How far to each side one box of this width reaches.
FOCAL_FUNCTION int32_t prefilterTaps(float width) {
  return width > 1.0f ? FOCAL_INT(0.5f * (width - 1.0f)) + 1 : 0;
}

/// How far a slice moves at the lens' edge: the samplings widen the disc, so their variance is
/// taken off its radius.
FOCAL_FUNCTION float movedRadius(float radius, float width, float extraVariance) {
  const float squared =
      radius * radius - extraVariance - (width > 1.0f ? width * width * 0.666666687f : 0.0f);
  const float factor =
      radius != 0.0f && squared > 0.0f ? squared * focal_reciprocal_sqrt(squared) : 0.0f;
  return radius < 0.0f ? -factor : factor;
}

FOCAL_FUNCTION int32_t roundedAway(float v) {
  return v < 0.0f ? -FOCAL_INT(0.5f - v) : FOCAL_INT(v + 0.5f);
}

/// Bit `i` of a set of two words.
FOCAL_FUNCTION bool hasBit(uint32_t low, uint32_t high, int32_t i) {
  const uint32_t word = i < 32 ? low : high;
  return ((word >> FOCAL_UINT(i & 31)) & 1u) != 0u;
}
