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

/// Side of the grid of a block's cells.
FOCAL_FUNCTION int32_t cellsAcross(int32_t cell) {
  return cell == 4 ? 4 : (cell == 8 ? 2 : 1);
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

/// The pixels that it is the mean of.
FOCAL_FUNCTION float pixelsAround(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t columns = focal_min_int(x + 1, p.blocksAcross - 1) - focal_max_int(x - 1, 0) + 1;
  const int32_t rows = focal_min_int(y + 1, p.blocksDown - 1) - focal_max_int(y - 1, 0) + 1;
  return FOCAL_FLOAT(columns * rows * FOCAL_LIGHT_BLOCK * FOCAL_LIGHT_BLOCK);
}
