// SPDX-License-Identifier: Apache-2.0
//
// Values of a block from the blocks around it: findLights and takeLights share it.
#pragma once

/// Light above which a block's pixels have excess.
FOCAL_FUNCTION float ceilingOf(FOCAL_TAKES int32_t x, int32_t y) {
  float ceiling = 0.0f;
  for (int32_t j = focal_max_int(y - 1, 0); j <= focal_min_int(y + 1, p.blocksDown - 1); j++) {
    for (int32_t i = focal_max_int(x - 1, 0); i <= focal_min_int(x + 1, p.blocksAcross - 1); i++) {
      ceiling = focal_max(ceiling, blocks[j * p.blocksAcross + i].x);
    }
  }
  return FOCAL_LIGHT_CONTRAST * ceiling + FOCAL_LIGHT_FLOOR;
}

/// The side of a cell as a power of two.
FOCAL_FUNCTION int32_t cellShift(int32_t cell) { return cell == 4 ? 2 : (cell == 8 ? 3 : 4); }

/// Side of the grid of a block's cells.
FOCAL_FUNCTION int32_t cellsAcross(int32_t cell) { return FOCAL_LIGHT_BLOCK >> cellShift(cell); }

/// The cell that holds a pixel of a block; pixels and cells are counted row by row.
FOCAL_FUNCTION int32_t cellOf(int32_t cell, int32_t pixel) {
  const int32_t x = pixel % FOCAL_LIGHT_BLOCK, y = pixel / FOCAL_LIGHT_BLOCK;
  return (y >> cellShift(cell)) * cellsAcross(cell) + (x >> cellShift(cell));
}

/// The mean light around a block.
FOCAL_FUNCTION float meanAround(FOCAL_TAKES int32_t x, int32_t y) {
  float sum = 0.0f, count = 0.0f;
  for (int32_t j = focal_max_int(y - 1, 0); j <= focal_min_int(y + 1, p.blocksDown - 1); j++) {
    for (int32_t i = focal_max_int(x - 1, 0); i <= focal_min_int(x + 1, p.blocksAcross - 1); i++) {
      sum += blocks[j * p.blocksAcross + i].z;
      count += 1.0f;
    }
  }
  return sum * focal_reciprocal(count) + FOCAL_LIGHT_FLOOR;
}

/// Whether the excess of a pixel of a block may be of the light whose brightest pixel has the radius `light`: at the rim
/// of a nearer light the nearer surfaces beside the pixel tell.
FOCAL_FUNCTION bool isOfLight(FOCAL_TAKES bool isRim, int32_t x, int32_t y, float light) {
  const float own = radius[y * p.width + x];
  if (!isRim) return focal_isOfLight(own, light, p.edge);
  const float limit = own + focal_edgeStep(p.edge, own, own);
  bool isOf = false;
  for (int32_t j = focal_max_int(y - 1, 0); j <= focal_min_int(y + 1, p.height - 1); j++) {
    for (int32_t i = focal_max_int(x - 1, 0); i <= focal_min_int(x + 1, p.width - 1); i++) {
      const float beside = radius[j * p.width + i];
      isOf = isOf || (beside > limit && focal_isOfLight(beside, light, p.edge));
    }
  }
  return isOf;
}

/// The pixels that it is the mean of.
FOCAL_FUNCTION float pixelsAround(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t columns = focal_min_int(x + 1, p.blocksAcross - 1) - focal_max_int(x - 1, 0) + 1;
  const int32_t rows = focal_min_int(y + 1, p.blocksDown - 1) - focal_max_int(y - 1, 0) + 1;
  return FOCAL_FLOAT(columns * rows * FOCAL_LIGHT_BLOCK * FOCAL_LIGHT_BLOCK);
}
