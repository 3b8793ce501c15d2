// SPDX-License-Identifier: Apache-2.0
//
// The lowest slice that a connected surface touches, so that a slanted surface has no cracks
// between its slices; and alpha at outlines, so that two slices of a surface cover what it covers.
// Grid: pixels of the layers.
//
// A minimum, so that the order of the neighbours does not matter and those beyond a border, which
// the processor leaves out, may be the border's own again.

#include "focal_views.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t count = p.width * p.height, o = y * p.width + x;
  const int32_t front = FocalLayerFrontRadius * count, back = FocalLayerBackRadius * count;
  const float own = layers[front + o];
  const float limit = focal_connectedLimit(p.slicing, p.edge, own);
  float lowest = own, sides = 0.0f, ends = 0.0f, corners = 0.0f;
  for (int32_t j = -1; j <= 1; j++) {
    const int32_t row = focal_clamp_int(y + j, 0, p.height - 1) * p.width;
    for (int32_t i = -1; i <= 1; i++) {
      const int32_t q = row + focal_clamp_int(x + i, 0, p.width - 1);
      const float f = layers[front + q], b = layers[back + q];
      lowest = focal_min(lowest, f > limit ? f : lowest);
      lowest = focal_min(lowest, b > limit ? b : lowest);
      const float farther = f > limit ? 0.0f : 1.0f;
      sides += j == 0 && i != 0 ? farther : 0.0f;
      ends += j != 0 && i == 0 ? farther : 0.0f;
      corners += j != 0 && i != 0 ? farther : 0.0f;
    }
  }
  const float outline = focal_outlineSquare(sides, ends, corners);
  lowest = outline > FOCAL_OUTLINE ? own : lowest;
  layers[FocalLayerReach * count + o] = focal_floor(focal_sliceOf(p.slicing, lowest));
  if (outline == 0.0f) return;
  const int32_t alpha = FocalLayerAlpha * count + o;
  const float kept = focal_unplatedShare(own, p.focusLow, p.focusInverseWidth, outline) *
                     focal_outlineShare(p.slicing, own, layers[alpha], outline,
                                        focal_ownSpreadWidth(own, p.cell, p.cellLimit, p.wideCell));
  layers[FocalLayerFrontR * count + o] *= kept;
  layers[FocalLayerFrontG * count + o] *= kept;
  layers[FocalLayerFrontB * count + o] *= kept;
  layers[alpha] *= kept;
}

FOCAL_ENTRY(connectSlices)
