// SPDX-License-Identifier: Apache-2.0
//
// The surface that a cell hides, from a coarser level in a buffer of its own: pyramidUp and pyramidStore share it.
#pragma once

#include "hidden_surface.h"

FOCAL_FUNCTION float parentRadius(FOCAL_TAKES CoarseLevel level, int32_t x, int32_t y,
                                  bool isHidden) {
  return coarse[(isHidden ? 7 : 3) * level.width * level.height + y * level.width + x];
}

FOCAL_FUNCTION float4 parentColour(FOCAL_TAKES CoarseLevel level, int32_t x, int32_t y,
                                   bool isHidden) {
  const int32_t count = level.width * level.height;
  const int32_t q = (isHidden ? 4 * count : 0) + y * level.width + x;
  return FOCAL_FLOAT4(coarse[q], coarse[count + q], coarse[2 * count + q], 0.0f);
}

/// The surface hidden at cell (x, y) of the finer level, as hiddenBehind finds it.
FOCAL_FUNCTION float4 hiddenAt(FOCAL_TAKES int32_t x, int32_t y, float nearer) {
  CoarseLevel level;
  level.width = p.coarseWidth;
  level.height = p.coarseHeight;
  level.rowShift = p.rowShift;
  level.isLast = p.last != 0;
  level.edge = p.edge;
  level.seen = 0;
  level.hidden = 0;
  level.hiddenPitch = 0;
  return hiddenBehind(FOCAL_PASSES level, x, y, nearer);
}
