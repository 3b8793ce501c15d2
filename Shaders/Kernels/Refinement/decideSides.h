// SPDX-License-Identifier: Apache-2.0
//
// Front or back, pixel by pixel: log-odds from the colour models plus log-odds from the map itself.
// Grid: pixels.

#include "cell_pixels.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t line, int32_t z) {
  const FocalRefineSize s = p.size;
  const int32_t y = line + s.originY;
  if (x >= s.width || line >= focal_rows(s.rows, s.height)) return;
  const int32_t c = focal_cell_of(x, s.mapWidth, s.width);
  const int32_t i = focal_cell_of(y, s.mapHeight, s.height) * s.mapWidth + c;
  const int32_t at = line * s.width + x;
  if (FOCAL_INT(kind[i]) == FocalCellFlat) {
    // Beside an edge the smoothing looks in here.
    if (FOCAL_INT(reach[i]) != 0) decision[at] = FOCAL_UNDECIDED;
    return;
  }
  const FocalCellSides sides = sidesOf(FOCAL_PASSES i);
  const FocalCellSlope slope = slopeOf(FOCAL_PASSES focal_row_pair(s, FOCAL_UINT(y)), c);
  const float v = mapAt(s, slope, c, focal_cell_begin(c, s.mapWidth, s.width), x);
  const int32_t record = (i - s.mapOriginY * s.mapWidth) * FocalSideCount;
  const uint32_t code = guide[at];
  const bool has = sides.hasMiddle != 0, above = has && v > sides.middle;
  const int32_t nearer = has && !above ? FocalSideMiddle : FocalSideFront;
  const int32_t farther = above ? FocalSideMiddle : FocalSideBack;
  const float odds = focal_colourOdds(models[record + nearer], models[record + farther], guideRed(code),
                                guideGreen(code), guideBlue(code));
  const float share = focal_clamp(edgeShare(sides, v), FOCAL_SHARE_LEAST, 1.0f - FOCAL_SHARE_LEAST);
  const float mapOdds = FOCAL_LN2 * (focal_log2(share) - focal_log2(1.0f - share));
  decision[at] = p.colourWeight * odds + p.mapWeight * mapOdds;
}

FOCAL_ENTRY(decideSides)
