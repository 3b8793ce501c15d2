// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "focal_math.h"

// A lens blurs what reaches it: light, which is colour times alpha, and coverage alike. Passes blur
// three colours, so that a picture with alpha is rendered as two: its light, and its alpha as gray.

// Below this a pixel is empty: its colour could not be told from rounding.
#define FOCAL_LEAST_ALPHA 1.52587890625e-5f

FOCAL_CONSTANT(FocalAlphaLight, 0)           // colours, times alpha
FOCAL_CONSTANT(FocalAlphaStoredLight, 1)     // colours that are multiplied already
FOCAL_CONSTANT(FocalAlphaCoverage, 2)        // alpha as gray
FOCAL_CONSTANT(FocalAlphaMultiplication, 3)  // colours, times alpha, which stays

// Alpha of 0 to 1; what is nearly one of them is it, so that rounding makes no opaque pixel translucent.
FOCAL_FUNCTION float focal_alpha(float alpha) {
  return alpha > FOCAL_LEAST_ALPHA ? (alpha < 1.0f - FOCAL_LEAST_ALPHA ? alpha : 1.0f) : 0.0f;
}

FOCAL_STRUCT(FocalSplitAlphaParameters) {
  int32_t width;
  int32_t firstRow, rows;  // of the picture in the buffer
  int32_t part;            // FocalAlpha...
};
/// Rows of a linear picture become one of its parts. Pixels of the rows; in place.
#define FOCAL_KERNEL_splitAlpha(_)         \
  _(parameters, FocalSplitAlphaParameters) \
  _(writes, float, picture)
FOCAL_KERNEL(splitAlpha)

FOCAL_STRUCT(FocalJoinAlphaParameters) {
  int32_t width;
  int32_t firstRow, rows;  // of the pictures in the buffers
  int32_t divides;         // whether colours are those of the surface afterwards
};
/// Rows of light and coverage become a picture with alpha, in the place of the light. Pixels of the rows.
#define FOCAL_KERNEL_joinAlpha(_)         \
  _(parameters, FocalJoinAlphaParameters) \
  _(reads, float, coverage)               \
  _(writes, float, light)
FOCAL_KERNEL(joinAlpha)
