// SPDX-License-Identifier: Apache-2.0
//
// The body of drawLights and, with FOCAL_SHAPES, of drawShapes.
#pragma once

#include "focal_lights.h"
#include "light_shape.h"

/// How far outside `first`...`last` a block's pixels from `low` on lie.
FOCAL_FUNCTION int32_t outside(int32_t low, int32_t first, int32_t last) {
  const int32_t high = low + FOCAL_LIGHT_BLOCK - 1;
  return high < first ? first - high : (low > last ? low - last : 0);
}

/// The share that surfaces of the focus plate let through of what the slices do: step by step, as the
/// processor multiplies.
FOCAL_FUNCTION float throughPlate(FOCAL_TAKES int32_t x, int32_t y, float dx, float dy, float own,
                                  float perRadius, float through) {
  for (int32_t i = -FOCAL_LIGHT_PLATE_STEPS; i <= FOCAL_LIGHT_PLATE_STEPS; i++) {
    const float step = FOCAL_LIGHT_PLATE_STEP * FOCAL_FLOAT(i);
    if (step - own < FOCAL_LIGHT_PLATE_STEP) continue;
    const float t = step * perRadius;
    const int32_t column =
        focal_clamp_int(focal_floor_int(FOCAL_FLOAT(x) + 0.5f - dx * t), 0, p.width - 1);
    const int32_t row =
        focal_clamp_int(focal_floor_int(FOCAL_FLOAT(y) + 0.5f - dy * t), 0, p.height - 1);
    const int32_t q = row * p.width + column;
    const int32_t edge = p.width * p.height + q * FocalMatteRecordFloats;
    const float alpha = matte[q];
    const bool isPlain = alpha == FOCAL_PLAIN;
    const float front = isPlain ? radius[q] : matte[edge + FocalMatteFrontRadius];
    float opacity = focal_plateCrossing(p.focus, p.focusLow, p.focusInverseWidth, front, step);
    if (!isPlain) {
      opacity = alpha * opacity + (1.0f - alpha) * focal_plateCrossing(
                                                       p.focus, p.focusLow, p.focusInverseWidth,
                                                       matte[edge + FocalMatteBackRadius], step);
    }
    through *= 1.0f - opacity;
  }
  return through;
}

/// The share of a light that surfaces nearer than it let through to a pixel of the window, (dx, dy)
/// from the disc's centre.
FOCAL_FUNCTION float throughSlices(FOCAL_TAKES int32_t x, int32_t y, float dx, float dy, float own,
                                   uint32_t low, uint32_t high) {
  const float toLayer = focal_toLayer(p.scale);
  const float positive = focal_reciprocal(focal_abs(own));
  const float perRadius = own < 0.0f ? -positive : positive;
  const float nearer = focal_sliceOf(p.slicing, own * toLayer) + FOCAL_LIGHT_OWN_SLICES;
  const int32_t count = p.layerWidth * p.layerRows;
  float through = 1.0f;
  for (int32_t k = p.lastSlice; k >= p.firstSlice && FOCAL_FLOAT(k) >= nearer; k--) {
    if (!focal_hasBit(low, high, k - p.firstSlice)) continue;
    const float moved = focal_radiusOf(p.slicing, FOCAL_FLOAT(k)) * FOCAL_FLOAT(p.scale);
    const float most = focal_abs(moved), t = moved * perRadius;
    const float column = FOCAL_FLOAT(x) + 0.5f - focal_clamp(dx * t, -most, most);
    const float row = FOCAL_FLOAT(y + p.originY) + 0.5f - focal_clamp(dy * t, -most, most);
    const int32_t lx = focal_mirrored(focal_floor_int(column * toLayer), p.layerWidth);
    const int32_t ly = focal_mirrored(focal_floor_int(row * toLayer), p.layerHeight);
    const int32_t o =
        focal_clamp_int(ly - p.layerOriginY, 0, p.layerRows - 1) * p.layerWidth + lx;
    through *= 1.0f - focal_layerCoverage(p.slicing, p.groups, layers[FocalLayerAlpha * count + o],
                                          layers[FocalLayerFrontRadius * count + o],
                                          layers[FocalLayerBackRadius * count + o],
                                          layers[FocalLayerReach * count + o], k);
  }
  if (p.groups.split != 0 && own < 0.0f && through > 0.0f) {
    through = throughPlate(FOCAL_PASSES x, y, dx, dy, own, perRadius, through);
  }
  return through;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_GROUP_WIDTH + FOCAL_LOCAL_X();
  // Rows count from the first tile's.
  y += p.firstTile / p.tilesAcross * FOCAL_COMPOSITE_HEIGHT;
  const int32_t left = x - FOCAL_LOCAL_X(), top = y - FOCAL_LOCAL_Y() + p.originY;
  const int32_t right = left + FOCAL_GROUP_WIDTH - 1, bottom = top + FOCAL_GROUP_HEIGHT - 1;
  if (lane < 2) slices[lane] = 0u;
  FOCAL_BARRIER();

  // The slices that may hide a light from a pixel of the group.
  {
    const float most = focal_max(focal_abs(focal_radiusOf(p.slicing, FOCAL_FLOAT(p.firstSlice))),
                                 focal_abs(focal_radiusOf(p.slicing, FOCAL_FLOAT(p.lastSlice))));
    const int32_t apron = FOCAL_INT(most) + 2;
    const int32_t across = (p.layerWidth + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
    const int32_t rows = (p.layerRows + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
    const int32_t x0 = focal_max_int(left / p.scale - apron, 0) / FOCAL_BLOCK;
    const int32_t x1 = focal_min_int((right / p.scale + apron) / FOCAL_BLOCK, across - 1);
    const int32_t y0 =
        focal_max_int(top / p.scale - apron - p.layerOriginY, 0) / FOCAL_BLOCK;
    const int32_t y1 = focal_min_int(
        focal_max_int(bottom / p.scale + apron - p.layerOriginY, 0) / FOCAL_BLOCK, rows - 1);
    const int32_t columns = focal_max_int(x1 - x0 + 1, 0);
    const int32_t count = columns * focal_max_int(y1 - y0 + 1, 0);
    uint32_t low = 0u, high = 0u;
    for (int32_t i = lane; i < count; i += FOCAL_GROUP_SIZE) {
      const int32_t o = 2 * ((y0 + i / columns) * across + x0 + i % columns);
      low |= blocks[o];
      high |= blocks[o + 1];
    }
    if (low != 0u) FOCAL_ATOMIC_OR(slices[0], low);
    if (high != 0u) FOCAL_ATOMIC_OR(slices[1], high);
  }
  FOCAL_BARRIER();
  uint32_t low = slices[0], high = slices[1];
  // The focus is drawn by the plate.
  if (p.groups.split != 0 && p.firstSlice <= 0) {
    if (p.firstSlice > -32) {
      low &= ~(1u << FOCAL_UINT(-p.firstSlice));
    } else {
      high &= ~(1u << FOCAL_UINT(-p.firstSlice - 32));
    }
  }

  float red = 0.0f, green = 0.0f, blue = 0.0f;
  const int32_t far = FOCAL_INT(p.farthest) + 1;
  for (int32_t side = 0; side < 9; side++) {
    const int32_t across = side % 3, down = side / 3;
    // The group where the mirror image shows it.
    const int32_t first = across == 0 ? left : (across == 1 ? -1 - right : 2 * p.width - 1 - right);
    const int32_t line =
        down == 0 ? top : (down == 1 ? -1 - bottom : 2 * p.pictureHeight - 1 - bottom);
    const int32_t last = first + FOCAL_GROUP_WIDTH - 1, lastLine = line + FOCAL_GROUP_HEIGHT - 1;
    if (last + far < 0 || lastLine + far < 0) continue;
    const int32_t x0 = focal_max_int(first - far, 0) / FOCAL_LIGHT_BLOCK;
    const int32_t x1 = focal_min_int((last + far) / FOCAL_LIGHT_BLOCK, p.blocksAcross - 1);
    const int32_t y0 =
        focal_max_int(focal_max_int(line - far, 0) / FOCAL_LIGHT_BLOCK, p.firstBlockRow);
    const int32_t y1 = focal_min_int((lastLine + far) / FOCAL_LIGHT_BLOCK,
                                     p.firstBlockRow + p.blocksDown - 1);
    if (x1 < x0 || y1 < y0) continue;
    const int32_t columns = x1 - x0 + 1, count = columns * (y1 - y0 + 1);
    for (int32_t portion = 0; portion < count; portion += FOCAL_GROUP_SIZE) {
      const int32_t i = portion + lane;
      int32_t own = -1;
      if (i < count) {
        const int32_t bx = x0 + i % columns, by = y0 + i / columns;
        const int32_t block = (by - p.firstBlockRow) * p.blocksAcross + bx;
        const float d =
            FOCAL_FLOAT(focal_max_int(outside(bx * FOCAL_LIGHT_BLOCK, first, last),
                                      outside(by * FOCAL_LIGHT_BLOCK, line, lastLine)));
        if (reach[block] > 0.0f && d <= reach[block]) own = block;
      }
      listed[lane] = own;
      FOCAL_BARRIER();
      const int32_t held = focal_min_int(count - portion, FOCAL_GROUP_SIZE);
      for (int32_t j = 0; j < held; j++) {
        if (listed[j] < 0) continue;
        for (int32_t c = 0; c < p.cells; c++) {
          const FocalSmallLight light = lights[listed[j] * p.cells + c];
          if (!(light.energy > 0.0f)) continue;
          const float cx =
              across == 0 ? light.x
                          : (across == 1 ? -light.x : FOCAL_FLOAT(2 * p.width) - light.x);
          const float cy =
              down == 0 ? light.y
                        : (down == 1 ? -light.y : FOCAL_FLOAT(2 * p.pictureHeight) - light.y);
          const float dx = FOCAL_FLOAT(x) + 0.5f - cx;
          const float dy = FOCAL_FLOAT(y + p.originY) + 0.5f - cy;
          const float most = focal_discReach(focal_abs(light.radius), light.softness, p.rim);
          if (focal_abs(dx) >= most || focal_abs(dy) >= most) continue;
#if defined(FOCAL_SHAPES)
          const LightShape shape = shapeOf(FOCAL_PASSES light, cx, cy);
          float weight = shapeCoverage(FOCAL_PASSES shape, dx, dy);
#else
          float weight = focal_discCoverage(insideOf(FOCAL_PASSES dx, dy, light.radius),
                                            focal_reciprocal(light.softness));
#endif
          if (!(weight > 0.0f)) continue;
          weight *= throughSlices(FOCAL_PASSES x, y, dx, dy, light.radius, low, high);
#if defined(FOCAL_SHAPES)
          const float away = shapeDistance(FOCAL_PASSES shape, dx, dy);
          red += weight * shapeLight(shape.base.x, shape.slope.x, away) * light.red;
          green += weight * shapeLight(shape.base.y, shape.slope.y, away) * light.green;
          blue += weight * shapeLight(shape.base.z, shape.slope.z, away) * light.blue;
#else
          red += weight * light.red;
          green += weight * light.green;
          blue += weight * light.blue;
#endif
        }
      }
      FOCAL_BARRIER();
    }
  }
  const int32_t item = y / FOCAL_COMPOSITE_HEIGHT * p.tilesAcross + x / FOCAL_COMPOSITE_WIDTH -
                       p.firstTile;
  if (x >= p.width || y >= p.height || item >= p.tileCount) return;
  const int32_t o = y * p.width + x;
  float4 result = destination[o];
  result.x += red;
  result.y += green;
  result.z += blue;
  if (red != 0.0f || green != 0.0f || blue != 0.0f) destination[o] = result;
}
