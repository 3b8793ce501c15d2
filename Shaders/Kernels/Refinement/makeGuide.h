// SPDX-License-Identifier: Apache-2.0
//
// The picture in eight bits a channel, in reach of edges: red | green << 8 | blue << 16 | alpha <<
// 24, at half the size with `halve`; and the bilinear map. Grid: pixels of the guide.

#include "cell_values.h"

FOCAL_FUNCTION uint32_t guideCode(float light) {
  return FOCAL_UINT(
      FOCAL_INT(focal_sqrt(focal_clamp(light, 0.0f, 2.0f)) * FOCAL_GUIDE_SCALE + 0.5f));
}

// Mean of 2 x 2 pixels; past an odd border the last pixel stands in for the missing one.
FOCAL_FUNCTION float4 halved(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t upper = (2 * y - p.sourceOriginY) * p.sourceWidth;
  const int32_t lower = 2 * y + 1 < p.sourceHeight ? upper + p.sourceWidth : upper;
  if (x >= p.sourceWidth / 2) return 0.5f * (source[upper + 2 * x] + source[lower + 2 * x]);
  return 0.25f * ((source[upper + 2 * x] + source[upper + 2 * x + 1]) +
                  (source[lower + 2 * x] + source[lower + 2 * x + 1]));
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t line, int32_t z) {
  const int32_t y = line + p.firstRow;
  if (x >= p.size.width || line >= focal_rows(p.rows, p.size.height)) return;
  const int32_t c = focal_cell_of(x, p.size.mapWidth, p.size.width);
  const int32_t cy = focal_cell_of(y, p.size.mapHeight, p.size.height);
  const int32_t at = (y - p.size.originY) * p.size.width + x;
  if (FOCAL_INT(reach[cy * p.size.mapWidth + c]) == 0) {
    values[at] = FOCAL_NO_LABEL;
    return;
  }
  const FocalCellSlope slope = slopeOf(FOCAL_PASSES focal_row_pair(p.size, FOCAL_UINT(y)), c);
  values[at] = mapAt(p.size, slope, c, focal_cell_begin(c, p.size.mapWidth, p.size.width), x);
  const float4 light =
      p.halve != 0 ? halved(FOCAL_PASSES x, y) : source[(y - p.sourceOriginY) * p.sourceWidth + x];
  guide[at] = guideCode(light.x) | guideCode(light.y) << 8 | guideCode(light.z) << 16 |
              guideCode(light.w) << 24;
}

FOCAL_ENTRY(makeGuide)
