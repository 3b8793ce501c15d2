// SPDX-License-Identifier: Apache-2.0
//
// Puts what the background pyramid found behind the fronts that have no back. Grid: pixels of the
// layers.
//
// Where the back is in front of the focus, too, as at the edge of a cap before a forehead, a lens focused far sees past
// both, and a picture of two surfaces a pixel would have a hole in the third. If the two are blurred nearly alike, they
// become one, and what both hide is the back. Otherwise it is kept apart, for the focus plate.

#define FOCAL_BODY pyramidStore
#include "kernel.h"
#include "hidden_in_level.h"

/// Writes a colour and a radius, whose planes follow each other from `q` on.
FOCAL_FUNCTION void putSurface(FOCAL_TAKES int32_t q, int32_t count, float4 surface) {
  layers[q] = surface.x;
  layers[count + q] = surface.y;
  layers[2 * count + q] = surface.z;
  layers[3 * count + q] = surface.w;
}

/// Makes one opaque front of a pixel's two surfaces, its radius their mean.
FOCAL_FUNCTION void joinSurfaces(FOCAL_TAKES int32_t o, int32_t count) {
  const float alpha = layers[FocalLayerAlpha * count + o], rest = 1.0f - alpha;
  for (int32_t i = 0; i < 3; i++) {
    layers[(FocalLayerFrontR + i) * count + o] +=
        rest * layers[(FocalLayerBackR + i) * count + o];
  }
  const float front = layers[FocalLayerFrontRadius * count + o];
  layers[FocalLayerFrontRadius * count + o] =
      front + rest * (layers[FocalLayerBackRadius * count + o] - front);
  layers[FocalLayerAlpha * count + o] = 1.0f;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.fineWidth || y >= p.fineHeight) return;
  const int32_t count = p.fineWidth * p.fineHeight, o = y * p.fineWidth + x;
  float back = layers[FocalLayerBackRadius * count + o];
  if (!(back > FOCAL_NO_SURFACE)) {
    const float4 found =
        hiddenAt(FOCAL_PASSES x, y, layers[FocalLayerFrontRadius * count + o]);
    if (!(found.w > FOCAL_NO_SURFACE)) return;
    putSurface(FOCAL_PASSES FocalLayerBackR * count + o, count, found);
    back = found.w;
  }
  if (!(back > p.nearLimit)) return;
  float4 deep = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, back);
  for (int32_t i = 0; i < FOCAL_DEEP_STEPS && deep.w > p.nearLimit; i++) {
    deep = hiddenAt(FOCAL_PASSES x, y, deep.w);
  }
  const float front = layers[FocalLayerFrontRadius * count + o];
  const bool isSeenPast = deep.w > FOCAL_NO_SURFACE && deep.w <= p.nearLimit;
  if (isSeenPast && front - back <= FOCAL_JOINED_STEPS * focal_edgeStep(p.edge, back, front)) {
    joinSurfaces(FOCAL_PASSES o, count);
    putSurface(FOCAL_PASSES FocalLayerBackR * count + o, count, deep);
  } else {
    putSurface(FOCAL_PASSES FocalLayerDeepR * count + o, count, deep);
  }
}

FOCAL_ENTRY(pyramidStore)
