// SPDX-License-Identifier: Apache-2.0
//
// Front or back, pixel by pixel: log-odds from the colours of both sides around it plus log-odds from the map
// itself. Grid: pixels, in workgroups of FOCAL_GROUP_WIDTH x FOCAL_GROUP_HEIGHT.
//
// Few cells have an edge: the workgroup lists its pixels that do, so that lanes side by side have one each.

#include "cell_pixels.h"
#include "place_among.h"

/// The cell of a pixel of the picture.
FOCAL_FUNCTION int32_t cellAt(FOCAL_TAKES int32_t x, int32_t y) {
  const FocalRefineSize s = p.size;
  return focal_cell_of(y, s.mapHeight, s.height) * s.mapWidth +
         focal_cell_of(x, s.mapWidth, s.width);
}

FOCAL_FUNCTION void decide(FOCAL_TAKES int32_t x, int32_t line) {
  const FocalRefineSize s = p.size;
  const int32_t y = line + p.firstRow, i = cellAt(FOCAL_PASSES x, y);
  const int32_t row = y - s.originY, rows = focal_rows(s.rows, s.height);
  const float v = values[row * s.width + x];
  const FocalCellSides sides = sidesOf(FOCAL_PASSES i);
  const FocalGuideColour own = focal_guide_colour(guide[row * s.width + x]);
  const bool has = sides.hasMiddle != 0, above = has && v > sides.middle;
  const float nearer = has && !above ? sides.middle : sides.front;
  const float farther = above ? sides.middle : sides.back;
  const float perEdge = FOCAL_PER_PURITY * focal_reciprocal(nearer - farther);
  FocalSideWeights sums = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int32_t j = -p.down; j <= p.down; j++) {
    const int32_t tapY = focal_tap(j, p.dense), ny = row + tapY * p.stepY;
    if (ny < 0 || ny >= rows) continue;
    for (int32_t k = -p.across; k <= p.across; k++) {
      const int32_t tapX = focal_tap(k, p.dense), nx = x + tapX * p.stepX;
      const int32_t away = tapY * tapY + tapX * tapX;
      if (nx < 0 || nx >= s.width || away == 0 || away > p.farthest) continue;
      const float weight = focal_reciprocal(1.0f + FOCAL_COLOUR_FALLOFF * FOCAL_FLOAT(away));
      const int32_t at = ny * s.width + nx;
      sums = focal_with_neighbour(sums, weight, own, guide[at], (values[at] - farther) * perEdge);
    }
  }
  decision[line * s.width + x] = focal_decision(
      sums, edgeShare(sides, v), (nearer - farther) * p.perThreshold);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t line, int32_t z) {
  const FocalRefineSize s = p.size;
  const int32_t lane = FOCAL_LANE();
  const int32_t firstX = x - FOCAL_LOCAL_X(), firstLine = line - FOCAL_LOCAL_Y();
  bool hasEdge = false;
  if (x < s.width && line < p.decidedRows) {
    const int32_t y = line + p.firstRow;
    hasEdge = FOCAL_INT(kind[cellAt(FOCAL_PASSES x, y)]) != FocalCellFlat;
    if (!hasEdge && values[(y - s.originY) * s.width + x] < FOCAL_NO_LABEL) {
      decision[line * s.width + x] = FOCAL_UNDECIDED;
    }
  }
  const Place edge = placeAmong(FOCAL_PASSES lane, hasEdge);
  edgeLanes[hasEdge ? edge.before : FOCAL_GROUP_SIZE] = lane;
  FOCAL_BARRIER();
  if (lane < edge.all) {
    const int32_t at = edgeLanes[lane];
    decide(FOCAL_PASSES firstX + at % FOCAL_GROUP_WIDTH, firstLine + at / FOCAL_GROUP_WIDTH);
  }
}

FOCAL_ENTRY(decideSides)
