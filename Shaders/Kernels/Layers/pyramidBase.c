// SPDX-License-Identifier: Apache-2.0
//
// The finest level of the background pyramid: the deepest surface known at each pixel. Grid: pixels
// of the layers.

#define FOCAL_BODY pyramidBase
#include "kernel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.fineWidth || y >= p.fineHeight) return;
  const int32_t count = p.fineWidth * p.fineHeight, o = y * p.fineWidth + x;
  const float back = layers[FocalLayerBackRadius * count + o];
  const float alpha = layers[FocalLayerAlpha * count + o];
  if (back > FOCAL_NO_SURFACE) {
    fine[o] = layers[FocalLayerBackR * count + o];
    fine[count + o] = layers[FocalLayerBackG * count + o];
    fine[2 * count + o] = layers[FocalLayerBackB * count + o];
    fine[3 * count + o] = back;
    return;
  }
  const float scale = alpha < 1.0f ? focal_reciprocal(focal_max(alpha, 0.01f)) : 1.0f;
  fine[o] = layers[FocalLayerFrontR * count + o] * scale;
  fine[count + o] = layers[FocalLayerFrontG * count + o] * scale;
  fine[2 * count + o] = layers[FocalLayerFrontB * count + o] * scale;
  fine[3 * count + o] = layers[FocalLayerFrontRadius * count + o];
}

FOCAL_ENTRY(pyramidBase)
