// SPDX-License-Identifier: Apache-2.0
//
// Decides which lights are drawn, and takes them out of the picture. Grid: blocks.
//
// The shares are soft, and a light that moves from cell to cell is judged with its neighbours, so that nothing
// appears or vanishes at once. Light that is not taken is blurred with the layers.

#define FOCAL_BODY takeLights
#include "kernel.h"
#include "focal_lights.h"
#include "light_blocks.h"

/// The energy of a cell and its neighbours; cells count from the window's corner.
FOCAL_FUNCTION float energyAround(FOCAL_TAKES int32_t x, int32_t y, int32_t across) {
  const int32_t columns = p.blocksAcross * across, rows = p.blocksDown * across;
  float sum = 0.0f;
  for (int32_t j = focal_max_int(y - 1, 0); j <= focal_min_int(y + 1, rows - 1); j++) {
    for (int32_t i = focal_max_int(x - 1, 0); i <= focal_min_int(x + 1, columns - 1); i++) {
      const int32_t block = j / across * p.blocksAcross + i / across;
      sum += energies[block * across * across + j % across * across + i % across];
    }
  }
  return sum;
}

/// Takes a share of a light's excess out of its cell.
FOCAL_FUNCTION void take(FOCAL_TAKES int32_t block, int32_t left, int32_t top, float own,
                         float ceiling, float share) {
  const int32_t columns = focal_min_int(p.width - left, p.cell);
  const int32_t rows = focal_min_int(p.height - top, p.cell);
  for (int32_t j = 0; j < rows; j++) {
    for (int32_t i = 0; i < columns; i++) {
      const int32_t q = (top + j) * p.width + left + i;
      const float4 c = picture[q];
      const float excess = focal_excessShare(c, ceiling);
      if (!(excess > 0.0f) || !isOfLight(FOCAL_PASSES block, left + i, top + j, own)) continue;
      float4 rest = (1.0f - share * excess) * c;
      rest.w = c.w;
      picture[q] = rest;
    }
  }
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.blocksAcross || y >= p.blocksDown) return;
  const int32_t block = y * p.blocksAcross + x;
  const int32_t across = cellsAcross(p.cell), cells = across * across;
  const int32_t o = (y + p.blockOrigin) * p.blocksAcross + x;
  const bool isKept = y >= p.firstKept && y < p.endKept;
  const float ceiling = ceilingOf(FOCAL_PASSES x, y);
  float farthest = 0.0f;
  if (blocks[block].y > ceiling) {
    const float mean = meanAround(FOCAL_PASSES x, y);
    for (int32_t i = 0; i < cells; i++) {
      FocalSmallLight light = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f};
      if (energies[block * cells + i] > 0.0f) {
        light = found[block * cells + i];
        const int32_t cx = x * across + i % across, cy = y * across + i / across;
        const float size = focal_abs(light.radius);
        // Openings of tables have no sides.
        const float wide = light.softness * focal_reciprocal(focal_min(p.apothem, 1.0f) * size);
        light.softness = focal_min(light.softness, FOCAL_LIGHT_SOFTEST * p.apothem * size);
        light.outline = focal_discOutline(size, light.softness, p.apothem);
        const float area = p.area * size * size;
        const float around = energyAround(FOCAL_PASSES cx, cy, across);
        const float brightness = around * focal_reciprocal(area * mean);
        // The energy around a cell is that of all blocks around it, unless cells are small.
        const float own = p.cell == 4 ? around : energies[block * cells + i];
        const float alone = own * focal_reciprocal(pixelsAround(FOCAL_PASSES x, y) * mean);
        light.image = 1.0f - focal_smooth_step(FOCAL_LIGHT_LEAST_ALONE, FOCAL_LIGHT_PER_ALONE, alone);
        const float share = light.free * focal_lightShare(brightness, wide, size, 1.0f - light.image);
        light.energy *= share;
        if (share > 0.0f) {
          take(FOCAL_PASSES block, cx * p.cell, cy * p.cell, light.radius, ceiling, share);
          const float level = share * focal_reciprocal(area);
          light.red *= level;
          light.green *= level;
          light.blue *= level;
          farthest = focal_max(farthest, focal_discReach(size, light.softness, p.rim) + 1.0f);
        }
      }
      if (isKept) lights[o * cells + i] = light;
    }
  }
  if (isKept) reach[o] = farthest;
}

FOCAL_ENTRY(takeLights)
