// SPDX-License-Identifier: Apache-2.0
//
// Front or back, pixel by pixel: log-odds from the colours of both sides around it plus log-odds from the map
// itself. Grid: pixels, in workgroups of FOCAL_GROUP_WIDTH x FOCAL_GROUP_HEIGHT, which find the neighbours' weights first.

#include "cell_pixels.h"

/// The weights of the neighbours by their distance, row by row; 0 for those that are not looked at.
FOCAL_FUNCTION void findWeights(FOCAL_TAKES int32_t columns, int32_t count) {
  for (int32_t n = FOCAL_LANE(); n < count; n += FOCAL_LANES) {
    const int32_t tapX = focal_tap(n % columns - p.across, p.dense);
    const int32_t tapY = focal_tap(n / columns - p.down, p.dense);
    const int32_t away = tapY * tapY + tapX * tapX;
    weights[n] = away == 0 || away > p.farthest
                     ? 0.0f
                     : focal_reciprocal(1.0f + FOCAL_COLOUR_FALLOFF * FOCAL_FLOAT(away));
  }
}

/// What the far surface in focus, on a ring around a pixel given to it, says about it.
FOCAL_FUNCTION float lookBeyond(FOCAL_TAKES FocalGuideColour own, int32_t x, int32_t row,
                                int32_t rows, float farther, float perEdge) {
  FocalRing ring = {0, 0, 0, 0, 0};
  for (int32_t i = 0; i < FOCAL_RING_PLACES; i++) {
    const int32_t ny = row + focal_ring_offset(i, p.ringY);
    const int32_t nx = x + focal_ring_offset(i + FOCAL_RING_PLACES / 4, p.ringX);
    if (ny < 0 || ny >= rows || nx < 0 || nx >= p.size.width) continue;
    const int32_t at = ny * p.size.width + nx;
    // No colour is known where there is no value.
    if (!(values[at] < FOCAL_NO_LABEL)) continue;
    ring = focal_with_place(ring, guide[at], (values[at] - farther) * perEdge);
  }
  return focal_beyond(ring, own);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t line, int32_t z) {
  const FocalRefineSize s = p.size;
  const int32_t columns = 2 * p.across + 1;
  findWeights(FOCAL_PASSES columns, columns * (2 * p.down + 1));
  FOCAL_BARRIER();
  const int32_t y = line + p.firstRow;
  if (x >= s.width || line >= p.decidedRows) return;
  const int32_t c = focal_cell_of(x, s.mapWidth, s.width);
  const int32_t i = focal_cell_of(y, s.mapHeight, s.height) * s.mapWidth + c;
  const int32_t row = y - s.originY, rows = focal_rows(s.rows, s.height);
  const float v = values[row * s.width + x];
  if (FOCAL_INT(kind[i]) == FocalCellFlat) {
    if (v < FOCAL_NO_LABEL) decision[line * s.width + x] = FOCAL_UNDECIDED;
    return;
  }
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
      const float weight = weights[(j + p.down) * columns + k + p.across];
      if (weight == 0.0f) continue;
      const int32_t nx = x + focal_tap(k, p.dense) * p.stepX;
      if (nx < 0 || nx >= s.width) continue;
      const int32_t at = ny * s.width + nx;
      sums = focal_with_neighbour(sums, weight, own, guide[at], (values[at] - farther) * perEdge);
    }
  }
  float decided = focal_decision(sums, edgeShare(sides, v), (nearer - farther) * p.perThreshold);
  const float shows = focal_rim_shows(focal_circleRadius(p.circles, nearer),
                                      focal_circleRadius(p.circles, farther));
  if (shows > 0.0f && decided <= 0.0f) {
    decided += shows * lookBeyond(FOCAL_PASSES own, x, row, rows, farther, perEdge);
  }
  decision[line * s.width + x] = decided;
}

FOCAL_ENTRY(decideSides)
