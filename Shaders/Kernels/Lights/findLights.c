// SPDX-License-Identifier: Apache-2.0
//
// The excess of each cell of a block as one light. Grid: blocks.
//
// A cell at an edge may have pixels of two surfaces: those like its brightest pixel count. A light's rim may lie in
// cells of its own, and is a light there.

#define FOCAL_BODY findLights
#include "kernel.h"
#include "focal_lights.h"
#include "light_blocks.h"

/// Whether a pixel of radius `own` has no nearer surface beside it: such a light may go on behind it.
FOCAL_FUNCTION bool isFree(FOCAL_TAKES int32_t x, int32_t y, float own) {
  const float limit = own + focal_edgeStep(p.edge, own, own);
  bool isFree = true;
  for (int32_t j = -FOCAL_LIGHT_FREE; j <= FOCAL_LIGHT_FREE; j++) {
    const int32_t row = focal_clamp_int(y + j, 0, p.height - 1) * p.width;
    for (int32_t i = -FOCAL_LIGHT_FREE; i <= FOCAL_LIGHT_FREE; i++) {
      isFree = isFree && radius[row + focal_clamp_int(x + i, 0, p.width - 1)] <= limit;
    }
  }
  return isFree;
}

/// The radius of the brightest surface beside a pixel that is nearer and so much brighter that the pixel's light, the
/// largest component, is that of a rim; otherwise the pixel's own.
FOCAL_FUNCTION float radiusOfLight(FOCAL_TAKES int32_t x, int32_t y, float light) {
  const float own = radius[y * p.width + x];
  const float limit = own + focal_edgeStep(p.edge, own, own);
  float result = own, most = FOCAL_LIGHT_RIM * light;
  for (int32_t j = focal_max_int(y - 1, 0); j <= focal_min_int(y + 1, p.height - 1); j++) {
    for (int32_t i = focal_max_int(x - 1, 0); i <= focal_min_int(x + 1, p.width - 1); i++) {
      const int32_t q = j * p.width + i;
      const float4 c = source[q];
      const float beside = focal_max(c.x, focal_max(c.y, c.z));
      if (radius[q] > limit && beside >= most) {
        most = beside;
        result = radius[q];
      }
    }
  }
  return result;
}

FOCAL_FUNCTION void markRim(FOCAL_TAKES int32_t block, int32_t x, int32_t y) {
  const int32_t at = placeIn(x, y);
  rims[block * FOCAL_LIGHT_RIM_WORDS + (at >> 5)] |= 1u << FOCAL_UINT(at & 31);
}

FOCAL_FUNCTION FocalSmallLight lightOf(FOCAL_TAKES int32_t block, int32_t left, int32_t top,
                                        float ceiling, float mean) {
  FocalSmallLight light = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f};
  const int32_t columns = focal_min_int(p.width - left, p.cell);
  const int32_t rows = focal_min_int(p.height - top, p.cell);
  float peak = 0.0f;
  for (int32_t j = 0; j < rows; j++) {
    for (int32_t i = 0; i < columns; i++) {
      const int32_t q = (top + j) * p.width + left + i;
      const float4 c = source[q];
      const float brightest = focal_max(c.x, focal_max(c.y, c.z));
      const float excess = brightest - ceiling;
      if (!(excess > 0.0f)) continue;
      const float own = radiusOfLight(FOCAL_PASSES left + i, top + j, brightest);
      if (own != radius[q]) markRim(FOCAL_PASSES block, left + i, top + j);
      if (excess > peak && focal_abs(own) >= FOCAL_LIGHT_LEAST_RADIUS_ALONE) {
        peak = excess;
        light.radius = own;
      }
    }
  }
  if (!(peak > 0.0f)) return light;
  float energy = 0.0f, x = 0.0f, y = 0.0f, squares = 0.0f;
  for (int32_t j = 0; j < rows; j++) {
    for (int32_t i = 0; i < columns; i++) {
      const int32_t q = (top + j) * p.width + left + i;
      const float4 c = source[q];
      const float share = focal_excessShare(c, ceiling);
      if (!(share > 0.0f) || !isOfLight(FOCAL_PASSES block, left + i, top + j, light.radius)) {
        continue;
      }
      const float e = share * focal_max(c.x, focal_max(c.y, c.z));
      energy += e;
      light.red += share * c.x;
      light.green += share * c.y;
      light.blue += share * c.z;
      x += e * FOCAL_FLOAT(i);
      y += e * FOCAL_FLOAT(j);
      squares += e * FOCAL_FLOAT(i * i + j * j);
    }
  }
  const float share = focal_reciprocal(energy);
  light.energy = energy;
  x = x * share;
  y = y * share;
  light.x = FOCAL_FLOAT(left) + x + 0.5f;
  light.y = FOCAL_FLOAT(p.originY + top) + y + 0.5f;
  // A box of width w has the variance w²/12 along each axis; a pixel is one of width 1.
  const float twice = focal_max(squares * share - (x * x + y * y), 0.0f);
  light.softness = focal_sqrt(6.0f * twice + 1.0f);
  // If all its neighbours were as bright, the disc would not be drawn.
  const float size = focal_abs(light.radius);
  if (9.0f * energy <= FOCAL_LIGHT_LEAST_SHARE * mean * p.area * size * size) return light;
  float free = 0.0f;
  for (int32_t j = 0; j < rows; j++) {
    for (int32_t i = 0; i < columns; i++) {
      const int32_t q = (top + j) * p.width + left + i;
      const float4 c = source[q];
      const float part = focal_excessShare(c, ceiling);
      if (!(part > 0.0f) || !isOfLight(FOCAL_PASSES block, left + i, top + j, light.radius)) {
        continue;
      }
      if (isFree(FOCAL_PASSES left + i, top + j, light.radius)) {
        free += part * focal_max(c.x, focal_max(c.y, c.z));
      }
    }
  }
  light.free = free * share;
  return light;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.blocksAcross || y >= p.blocksDown) return;
  const int32_t block = y * p.blocksAcross + x;
  const int32_t across = cellsAcross(p.cell), cells = across * across;
  const float ceiling = ceilingOf(FOCAL_PASSES x, y);
  const bool isLit = blocks[block].y > ceiling;
  const float mean = isLit ? meanAround(FOCAL_PASSES x, y) : 0.0f;
  for (int32_t i = 0; i < FOCAL_LIGHT_RIM_WORDS; i++) rims[block * FOCAL_LIGHT_RIM_WORDS + i] = 0u;
  for (int32_t i = 0; i < cells; i++) {
    const int32_t left = x * FOCAL_LIGHT_BLOCK + i % across * p.cell;
    const int32_t top = y * FOCAL_LIGHT_BLOCK + i / across * p.cell;
    float energy = 0.0f;
    if (isLit) {
      const FocalSmallLight light = lightOf(FOCAL_PASSES block, left, top, ceiling, mean);
      energy = light.energy;
      found[block * cells + i] = light;
    }
    energies[block * cells + i] = energy;
  }
}

FOCAL_ENTRY(findLights)
