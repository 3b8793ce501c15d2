// SPDX-License-Identifier: Apache-2.0
//
// The share of its detail that each pixel of the half keeps. Grid: pixels of the rows.

#define FOCAL_BODY measureDetail
#include "kernel.h"
#include "focal_detail.h"

FOCAL_FUNCTION float sharpness(float radius) {
  return 1.0f - focal_unit((focal_abs(radius) - FOCAL_DETAIL_FROM) * FOCAL_DETAIL_PER_WIDTH);
}

/// The near group's alpha at a pixel of the layers.
FOCAL_FUNCTION float nearAt(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t column = focal_clamp_int(x, 0, p.layerWidth - 1);
  const int32_t row = focal_clamp_int(y + p.layerOriginY, 0, p.layerHeight - 1);
  return views[FocalViewNearAlpha * p.layerWidth * p.layerHeight + row * p.layerWidth + column];
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t row, int32_t z) {
  if (x >= p.width || row >= p.rows) return;
  const int32_t y = p.firstRow + row;
  const int32_t o = y * p.width + x;
  float own = sharpness(radius[o]);
  if (matte[o] != FOCAL_PLAIN) {
    const int32_t edge = p.width * p.height + o * FocalMatteRecordFloats;
    own = matte[o] * sharpness(matte[edge + FocalMatteFrontRadius]) +
          (1.0f - matte[o]) * sharpness(matte[edge + FocalMatteBackRadius]);
  }
  float open = 0.0f;
  if (own > 0.0f) {
    const float toLayer = focal_toLayer(p.scale);
    const float column = (FOCAL_FLOAT(x) + 0.5f) * toLayer - 0.5f;
    const float line = (FOCAL_FLOAT(y) + 0.5f) * toLayer - 0.5f;
    const int32_t left = focal_floor_int(column), top = focal_floor_int(line);
    const float right = column - FOCAL_FLOAT(left), below = line - FOCAL_FLOAT(top);
    const float upper = (1.0f - right) * nearAt(FOCAL_PASSES left, top) +
                        right * nearAt(FOCAL_PASSES left + 1, top);
    const float lower = (1.0f - right) * nearAt(FOCAL_PASSES left, top + 1) +
                        right * nearAt(FOCAL_PASSES left + 1, top + 1);
    open = 1.0f - focal_unit((1.0f - below) * upper + below * lower);
  }
  share[o] = own * open;
}

FOCAL_ENTRY(measureDetail)
