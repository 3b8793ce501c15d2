// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "focal_math.h"

// Light that a camera clipped at white, and a film's shoulder.
//
// A pixel of white was at least so bright; how bright, nobody knows. Out of focus it makes the difference: a lamp
// of a few pixels becomes a disc that is seen or not. So light near white is lifted before the blur, and
// the result is brought back by the inverse curve, as a film's shoulder would: what is sharp is unchanged. On
// the largest component m, from the knee t on, with white at the peak p:
//
//     lifted = t + y / (1 - k y),  y = m - t,  k = (1 - (1 - t) / (p - t)) / (1 - t)
//
// which leaves the knee with a slope of 1 and takes 1 to p. The inverse is t + z / (1 + k z), z = lifted - t.
// Beyond white the factor is p, both ways. The other components keep their ratio to the largest.
FOCAL_STRUCT(FocalHighlights) {
  float knee;
  float slope;  // k
  float peak;
};

// The factor for the components of a colour.
FOCAL_FUNCTION float focal_lifting(FocalHighlights h, float most) {
  const float y = most - h.knee;
  const bool isOver = most >= 1.0f;
  const bool isBright = y > 0.0f && !isOver;
  const float below = isBright ? 1.0f - h.slope * y : 1.0f;
  const float lifted = h.knee + focal_quotient(isBright ? y : 0.0f, below);
  const float factor = focal_quotient(lifted, isBright ? most : lifted);
  return isOver ? h.peak : (isBright ? factor : 1.0f);
}

FOCAL_FUNCTION float focal_lowering(FocalHighlights h, float most) {
  const float z = most - h.knee;
  const bool isOver = most >= h.peak;
  const bool isBright = z > 0.0f && !isOver;
  const float lowered = h.knee + focal_quotient(isBright ? z : 0.0f, isBright ? 1.0f + h.slope * z : 1.0f);
  const float factor = focal_quotient(lowered, isBright ? most : lowered);
  return isOver ? focal_quotient(1.0f, h.peak) : (isBright ? factor : 1.0f);
}

FOCAL_STRUCT(FocalMapHighlightsParameters) {
  int32_t width;
  int32_t firstRow, rows;  // of the picture in the buffer
  int32_t lifts;           // whether light is lifted, else lowered
  FocalHighlights highlights;
};
/// Rows of a linear picture with their highlights lifted, or brought back. Pixels of the rows; in place.
#define FOCAL_KERNEL_mapHighlights(_)         \
  _(parameters, FocalMapHighlightsParameters) \
  _(writes, float, light)
FOCAL_KERNEL(mapHighlights)
