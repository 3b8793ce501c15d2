// SPDX-License-Identifier: Apache-2.0
//
// A pixel of the destination from the linear picture, turned and encoded by the transfer function,
// and codes from values. Reads `lightAt`, which stands before it: the picture's light at a place of its window, as the
// source is oriented.
#pragma once

#include "picture_modes.h"

FOCAL_FUNCTION float numberOrZero(float v) { return focal_is_number(v) ? v : 0.0f; }

// R'G'B' and alpha at (x, y) of the destination; past the picture its border repeats.
FOCAL_FUNCTION float4 encodedPixel(FOCAL_TAKES int32_t destinationX, int32_t destinationY) {
  const int32_t x = focal_clamp_int(destinationX, 0, FOCAL_STORED.width - 1);
  const int32_t y = focal_clamp_int(destinationY, 0, FOCAL_STORED.height - 1);
  int32_t column = x, row = y;
  if (pictureTurn == 1) {
    column = y;
    row = FOCAL_STORED.width - 1 - x;
  }
  if (pictureTurn == 2) {
    column = FOCAL_STORED.width - 1 - x;
    row = FOCAL_STORED.height - 1 - y;
  }
  if (pictureTurn == 3) {
    column = FOCAL_STORED.height - 1 - y;
    row = x;
  }
  const float4 light = lightAt(FOCAL_PASSES column, row - FOCAL_STORED.originY);
  return FOCAL_FLOAT4(focal_encode(numberOrZero(light.x), pictureTransfer),
                      focal_encode(numberOrZero(light.y), pictureTransfer),
                      focal_encode(numberOrZero(light.z), pictureTransfer), numberOrZero(light.w));
}

// How many columns and rows are written.
FOCAL_FUNCTION int32_t packedColumns(FocalPixelParameters of) {
  return of.columns > 0 ? of.columns : of.width - of.left;
}
FOCAL_FUNCTION int32_t packedRows(FocalPixelParameters of) {
  return of.rows > 0 ? of.rows : of.height - of.top;
}

// A code from a value in code steps: dithered, clamped, rounded.
FOCAL_FUNCTION uint32_t quantise(float code, int32_t dithered, int32_t x, int32_t y,
                                 uint32_t channel, float maximum) {
  const float amount = dithered != 0 ? 1.0f : 0.0f;
  const float offset = amount * focal_dither(FOCAL_UINT(x), FOCAL_UINT(y), channel);
  return FOCAL_UINT(FOCAL_INT(focal_clamp(code + offset, 0.0f, maximum) + 0.5f));
}
