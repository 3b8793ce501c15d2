// SPDX-License-Identifier: Apache-2.0
//
// Decides which lights are drawn, and takes them out of the picture. Grid: workgroups of
// FOCAL_GROUP_WIDTH lanes, one for each block: they take its cells, then its pixels.
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

/// The light of a cell as it is drawn, with how far its disc goes, 0 where none is.
FOCAL_STRUCT(DrawnLight) {
  FocalSmallLight light;
  float share;  ///< of its excess that is taken
  float reach;
};

FOCAL_FUNCTION DrawnLight drawnLight(FOCAL_TAKES int32_t x, int32_t y, int32_t cell, float mean) {
  const int32_t across = cellsAcross(p.cell), cells = across * across;
  const int32_t o = (y * p.blocksAcross + x) * cells + cell;
  const FocalSmallLight none = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f};
  DrawnLight drawn = {none, 0.0f, 0.0f};
  if (!(energies[o] > 0.0f)) return drawn;
  FocalSmallLight light = found[o];
  const float size = focal_abs(light.radius);
  // Openings of tables have no sides.
  const float wide = light.softness * focal_reciprocal(focal_min(p.apothem, 1.0f) * size);
  light.softness = focal_min(light.softness, FOCAL_LIGHT_SOFTEST * p.apothem * size);
  light.outline = focal_discOutline(size, light.softness, p.apothem);
  const float area = p.area * size * size;
  const float around =
      energyAround(FOCAL_PASSES x * across + cell % across, y * across + cell / across, across);
  const float brightness = around * focal_reciprocal(area * mean);
  // The energy around a cell is that of all blocks around it, unless cells are small.
  const float own = p.cell == 4 ? around : energies[o];
  const float alone = own * focal_reciprocal(pixelsAround(FOCAL_PASSES x, y) * mean);
  light.image = 1.0f - focal_smooth_step(FOCAL_LIGHT_LEAST_ALONE, FOCAL_LIGHT_PER_ALONE, alone);
  const float share = light.free * focal_lightShare(brightness, wide, size, 1.0f - light.image);
  light.energy *= share;
  if (share > 0.0f) {
    const float level = share * focal_reciprocal(area);
    light.red *= level;
    light.green *= level;
    light.blue *= level;
    drawn.share = share;
    drawn.reach = focal_discReach(size, light.softness, p.rim) + 1.0f;
  }
  drawn.light = light;
  return drawn;
}

/// Takes a share of a light's excess out of a pixel, `i` of the block.
FOCAL_FUNCTION void take(FOCAL_TAKES int32_t block, int32_t i, int32_t x, int32_t y, float own,
                         float ceiling, float share) {
  const int32_t q = y * p.width + x;
  const float4 c = picture[q];
  const float excess = focal_excessShare(c, ceiling);
  if (!(excess > 0.0f)) return;
  const uint32_t word = rims[block * FOCAL_LIGHT_RIM_WORDS + (i >> 5)];
  const bool isRim = ((word >> FOCAL_UINT(i & 31)) & 1u) != 0u;
  if (!isOfLight(FOCAL_PASSES isRim, x, y, own)) return;
  float4 rest = (1.0f - share * excess) * c;
  rest.w = c.w;
  picture[q] = rest;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t block = y * p.blocksAcross + x;
  const int32_t across = cellsAcross(p.cell), cells = across * across;
  const int32_t o = (y + p.blockOrigin) * p.blocksAcross + x;
  const bool isKept = y >= p.firstKept && y < p.endKept;
  const float ceiling = ceilingOf(FOCAL_PASSES x, y);
  if (!(blocks[block].y > ceiling)) {
    if (isKept && FOCAL_LANE() == 0) reach[o] = 0.0f;
    return;
  }
  const float mean = meanAround(FOCAL_PASSES x, y);
  for (int32_t cell = FOCAL_LANE(); cell < cells; cell += FOCAL_ROW_LANES) {
    const DrawnLight drawn = drawnLight(FOCAL_PASSES x, y, cell, mean);
    cellRadius[cell] = drawn.light.radius;
    cellShare[cell] = drawn.share;
    cellReach[cell] = drawn.reach;
    if (isKept) lights[o * cells + cell] = drawn.light;
  }
  FOCAL_BARRIER();
  for (int32_t i = FOCAL_LANE(); i < FOCAL_LIGHT_PIXELS; i += FOCAL_ROW_LANES) {
    const int32_t cell = cellOf(p.cell, i);
    const int32_t px = x * FOCAL_LIGHT_BLOCK + i % FOCAL_LIGHT_BLOCK;
    const int32_t py = y * FOCAL_LIGHT_BLOCK + i / FOCAL_LIGHT_BLOCK;
    if (cellShare[cell] > 0.0f && px < p.width && py < p.height) {
      take(FOCAL_PASSES block, i, px, py, cellRadius[cell], ceiling, cellShare[cell]);
    }
  }
  if (isKept && FOCAL_LANE() == 0) {
    float farthest = 0.0f;
    for (int32_t cell = 0; cell < cells; cell++) farthest = focal_max(farthest, cellReach[cell]);
    reach[o] = farthest;
  }
}

FOCAL_GROUP_ENTRY(takeLights)
