// SPDX-License-Identifier: Apache-2.0
//
// Puts what the background pyramid found behind the fronts that had no back. Grid: pixels of the
// layers.

#define FOCAL_BODY pyramidStore
#include "kernel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.fineWidth || y >= p.fineHeight) return;
  const int32_t count = p.fineWidth * p.fineHeight, o = y * p.fineWidth + x;
  if (layers[FocalLayerBackRadius * count + o] > FOCAL_NO_SURFACE) return;
  const float found = fine[7 * count + o];
  if (!(found > FOCAL_NO_SURFACE)) return;
  layers[FocalLayerBackR * count + o] = fine[4 * count + o];
  layers[FocalLayerBackG * count + o] = fine[5 * count + o];
  layers[FocalLayerBackB * count + o] = fine[6 * count + o];
  layers[FocalLayerBackRadius * count + o] = found;
}

FOCAL_ENTRY(pyramidStore)
