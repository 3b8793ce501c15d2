// SPDX-License-Identifier: Apache-2.0
//
// Where the rays from a light to the pixels of a tile pass what may hide it: drawLights and drawShapes of every
// device leave out by it what holds nothing. On the processor FOCAL_TAKES is as for light_shape.h.
#pragma once

#include "focal_lights.h"

/// Mirror images of the picture, the picture itself first: three across by three down.
#define FOCAL_LIGHT_IMAGES 9

/// Where image `i` along an axis of `size` pixels shows a place of the picture.
FOCAL_FUNCTION float imagePlace(int32_t i, float place, int32_t size) {
  return i == 0 ? place : (i == 1 ? -place : FOCAL_FLOAT(2 * size) - place);
}

/// The first of some pixels where image `i` shows them.
FOCAL_FUNCTION int32_t imagePixels(int32_t i, int32_t first, int32_t count, int32_t size) {
  const int32_t last = first + count - 1;
  return i == 0 ? first : (i == 1 ? -1 - last : 2 * size - 1 - last);
}

/// How far outside `first`...`last` a block's pixels from `low` on lie.
FOCAL_FUNCTION int32_t outside(int32_t low, int32_t first, int32_t last) {
  const int32_t high = low + FOCAL_LIGHT_BLOCK - 1;
  return high < first ? first - high : (low > last ? low - last : 0);
}

/// Blocks of the layers, ends included.
FOCAL_STRUCT(CrossedBlocks) {
  int32_t left, right, top, bottom;
  bool isBeyond;  ///< whether some lie beyond the border, where a mirror image is
};

/// The blocks where the rays from a light at (cx, cy) to pixels between x0, x1, y0 and y1 pass a slice at `t` of
/// the way from the pixel to the light. Rays to neighbouring pixels pass it side by side, so that those
/// at the ends enclose the others.
FOCAL_FUNCTION CrossedBlocks crossedBlocks(FOCAL_TAKES float cx, float cy, float softness, float t,
                                           float x0, float x1, float y0, float y1) {
  const float toLayer = focal_toLayer(p.scale);
  // The rays at a soft edge are not let past the lens' rim. Coverage is taken between the middles of cells.
  const float slack = 0.5f * softness * focal_abs(t) + 0.5f * FOCAL_FLOAT(p.scale) + 1.0f;
  const float ax = x0 - (x0 - cx) * t, bx = x1 - (x1 - cx) * t;
  const float ay = y0 - (y0 - cy) * t, by = y1 - (y1 - cy) * t;
  const int32_t left = focal_floor_int((focal_min(ax, bx) - slack) * toLayer);
  const int32_t right = focal_floor_int((focal_max(ax, bx) + slack) * toLayer);
  const int32_t top = focal_floor_int((focal_min(ay, by) - slack) * toLayer);
  const int32_t bottom = focal_floor_int((focal_max(ay, by) + slack) * toLayer);
  const int32_t last = p.layerRows - 1;
  CrossedBlocks crossed;
  crossed.left = left / FOCAL_BLOCK;
  crossed.right = right / FOCAL_BLOCK;
  crossed.top = focal_clamp_int(top - p.layerOriginY, 0, last) / FOCAL_BLOCK;
  crossed.bottom = focal_clamp_int(bottom - p.layerOriginY, 0, last) / FOCAL_BLOCK;
  crossed.isBeyond = left < 0 || right >= p.layerWidth || top < 0 || bottom >= p.layerHeight;
  return crossed;
}

/// Blocks of the layers whose slices may hide a light from some pixels of the picture.
FOCAL_FUNCTION CrossedBlocks blocksAround(FOCAL_TAKES int32_t left, int32_t right, int32_t top,
                                          int32_t bottom) {
  const float most = focal_max(focal_abs(focal_radiusOf(p.slicing, FOCAL_FLOAT(p.firstSlice))),
                               focal_abs(focal_radiusOf(p.slicing, FOCAL_FLOAT(p.lastSlice))));
  const int32_t apron = FOCAL_INT(most) + 2;
  const int32_t across = (p.layerWidth + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  const int32_t down = (p.layerRows + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  const int32_t above = top / p.scale - apron - p.layerOriginY;
  const int32_t below = bottom / p.scale + apron - p.layerOriginY;
  CrossedBlocks around;
  around.left = focal_max_int(left / p.scale - apron, 0) / FOCAL_BLOCK;
  around.right = focal_min_int((right / p.scale + apron) / FOCAL_BLOCK, across - 1);
  around.top = focal_max_int(above, 0) / FOCAL_BLOCK;
  around.bottom = focal_min_int(focal_max_int(below, 0) / FOCAL_BLOCK, down - 1);
  around.isBeyond = false;
  return around;
}

#define FOCAL_LIGHT_PLATE_RADII (2 * FOCAL_LIGHT_PLATE_STEPS + 1)

/// The radius of step `i` of the focus plate.
FOCAL_FUNCTION float plateStep(int32_t i) {
  return FOCAL_LIGHT_PLATE_STEP * FOCAL_FLOAT(i - FOCAL_LIGHT_PLATE_STEPS);
}

/// Steps at which a ray may cross a surface of the focus plate.
FOCAL_FUNCTION uint32_t stepsOf(FOCAL_TAKES float own) {
  uint32_t bits = 0u;
  for (int32_t i = 0; i < FOCAL_LIGHT_PLATE_RADII; i++) {
    bits |= focal_isCrossing(p.focus, own, plateStep(i)) ? 1u << FOCAL_UINT(i) : 0u;
  }
  return bits;
}

/// The steps that lie in front of a light.
FOCAL_FUNCTION uint32_t stepsBefore(float own) {
  uint32_t bits = 0u;
  for (int32_t i = 0; i < FOCAL_LIGHT_PLATE_RADII; i++) {
    bits |= own < 0.0f && plateStep(i) - own >= FOCAL_LIGHT_PLATE_STEP ? 1u << FOCAL_UINT(i) : 0u;
  }
  return bits;
}
