// SPDX-License-Identifier: Apache-2.0
//
// The finest level of the background pyramid, half the layers' size: the farther of the deepest surfaces that are
// known in each 2 x 2 cell. Grid: pixels of the level.

#define FOCAL_BODY pyramidBase
#include "kernel.h"
#include "farther_cell.h"

/// The deepest surface known at a pixel of the layers: its colour and radius.
FOCAL_FUNCTION float4 deepest(FOCAL_TAKES int32_t o, int32_t count) {
  const float back = layers[FocalLayerBackRadius * count + o];
  if (back > FOCAL_NO_SURFACE) {
    return FOCAL_FLOAT4(layers[FocalLayerBackR * count + o], layers[FocalLayerBackG * count + o],
                        layers[FocalLayerBackB * count + o], back);
  }
  const float alpha = layers[FocalLayerAlpha * count + o];
  const float scale = alpha < 1.0f ? focal_reciprocal(focal_max(alpha, 0.01f)) : 1.0f;
  return FOCAL_FLOAT4(layers[FocalLayerFrontR * count + o] * scale,
                      layers[FocalLayerFrontG * count + o] * scale,
                      layers[FocalLayerFrontB * count + o] * scale,
                      layers[FocalLayerFrontRadius * count + o]);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.coarseWidth || y >= focal_rows(p.rows, p.coarseHeight)) return;
  const int32_t row = y + p.firstRow, first = 2 * row + p.rowShift;
  const int32_t count = p.fineWidth * p.fineHeight;
  const int32_t top = focal_clamp_int(first, 0, p.fineHeight - 1) * p.fineWidth;
  const int32_t bottom = focal_clamp_int(first + 1, 0, p.fineHeight - 1) * p.fineWidth;
  const int32_t left = focal_min_int(2 * x, p.fineWidth - 1);
  const int32_t right = focal_min_int(2 * x + 1, p.fineWidth - 1);
  const float4 mean = fartherOf(
      deepest(FOCAL_PASSES top + left, count), deepest(FOCAL_PASSES top + right, count),
      deepest(FOCAL_PASSES bottom + left, count), deepest(FOCAL_PASSES bottom + right, count), p.edge);
  const int32_t coarseCount = p.coarseWidth * p.coarseHeight, o = row * p.coarseWidth + x;
  coarse[o] = mean.x;
  coarse[coarseCount + o] = mean.y;
  coarse[2 * coarseCount + o] = mean.z;
  coarse[3 * coarseCount + o] = mean.w;
}

FOCAL_ENTRY(pyramidBase)
