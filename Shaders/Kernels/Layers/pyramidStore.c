// SPDX-License-Identifier: Apache-2.0
//
// Puts what the background pyramid found behind the fronts that have no back. Grid: pixels of the
// layers.

#define FOCAL_BODY pyramidStore
#include "kernel.h"
#include "hidden_in_level.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.fineWidth || y >= p.fineHeight) return;
  const int32_t count = p.fineWidth * p.fineHeight, o = y * p.fineWidth + x;
  if (layers[FocalLayerBackRadius * count + o] > FOCAL_NO_SURFACE) return;
  const float4 found =
      hiddenAt(FOCAL_PASSES x, y, layers[FocalLayerFrontRadius * count + o]);
  if (!(found.w > FOCAL_NO_SURFACE)) return;
  layers[FocalLayerBackR * count + o] = found.x;
  layers[FocalLayerBackG * count + o] = found.y;
  layers[FocalLayerBackB * count + o] = found.z;
  layers[FocalLayerBackRadius * count + o] = found.w;
}

FOCAL_ENTRY(pyramidStore)
