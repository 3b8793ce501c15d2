// SPDX-License-Identifier: Apache-2.0
//
// Front or back, pixel by pixel: log-odds from the colour models plus log-odds from the map itself.
#include "ShaderTypes.h"
#include "cells.h"

/// focal_colourOdds of the lanes' colours.
FOCAL_FUNCTION void colourOdds(const struct FocalSideModel *front,
                               const struct FocalSideModel *back, const float *r, const float *g,
                               const float *b, float *odds) {
  const struct FocalSideModel nearer = *front, farther = *back;
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
    odds[k] = focal_colourOdds(nearer, farther, r[k], g[k], b[k]);
  }
}

/// One past the last pixel that whole groups of cell c may spill over: what they leave in the cells
/// to the right is overwritten in its turn, but only where a cell is in reach of an edge.
FOCAL_FUNCTION int32_t spillEnd(const uint8_t *reach, const struct FocalRefineSize *s, int32_t c,
                                int32_t end) {
  const int32_t w = s->mapWidth, ahead = FOCAL_CELL_LANES * w / s->width + 1;
  for (int32_t n = c + 1; n < w && n <= c + ahead; n++) {
    if (!reach[n]) return n == c + 1 ? end : focal_cell_begin(n, w, s->width);
  }
  return s->width;
}

FOCAL_CLONES FOCAL_ENTRY_POINT(decideSides) {
  FOCAL_BUFFERS(decideSides)
  const struct FocalRefineSize *s = &p->size;
  const int32_t w = s->mapWidth;
  for (uint32_t line = begin; line < end; line++) {
    const int32_t y = (int32_t)line + s->originY;
    const struct FocalRowPair rows = focal_row_pair(*s, (uint32_t)y);
    const int32_t cy = focal_cell_of(y, s->mapHeight, s->height);
    const struct FocalSideModel *rowModels =
        models + (size_t)(cy - s->mapOriginY) * w * FocalSideCount;
    struct FocalCellWalk walk = focal_cell_walk(w, s->width);
    for (int32_t c = 0; c < w; c++) {
      const size_t i = (size_t)cy * w + c;
      const int32_t x0 = walk.end;
      focal_cell_next(&walk);
      const int32_t x1 = walk.end;
      if (kind[i] == FocalCellFlat) {
        // Beside an edge the smoothing looks in here.
        if (reach[i]) {
          for (int32_t x = x0; x < x1; x++) decision[(size_t)line * s->width + x] = FOCAL_UNDECIDED;
        }
        continue;
      }
      const struct FocalSideModel *m = rowModels + (size_t)c * FocalSideCount;
      const struct FocalCellSides sides = focal_cell_sides(map, front, back, kind, i);
      const struct FocalCellSlope slope = focal_cell_slope(map, w, &rows, c);
      const int32_t room = spillEnd(reach + (size_t)cy * w, s, c, x1);
      for (int32_t x = x0; x < x1; x += FOCAL_CELL_LANES) {
        const int32_t n = x1 - x < FOCAL_CELL_LANES ? x1 - x : FOCAL_CELL_LANES;
        const size_t at = (size_t)line * s->width + x;
        float r[FOCAL_CELL_LANES], g[FOCAL_CELL_LANES], b[FOCAL_CELL_LANES], v[FOCAL_CELL_LANES],
            t[FOCAL_CELL_LANES];
        float upper[FOCAL_CELL_LANES], lower[FOCAL_CELL_LANES], odds[FOCAL_CELL_LANES];
        // Whole groups read into the next cell's colours, but not past the row.
        focal_load_colours(guide + at, s->width - x, r, g, b);
        focal_edge_shares(s, slope, sides, c, x, v, t);
        if (sides.hasMiddle) {
          colourOdds(m + FocalSideFront, m + FocalSideMiddle, r, g, b, upper);
          colourOdds(m + FocalSideMiddle, m + FocalSideBack, r, g, b, lower);
          FOCAL_LANE_LOOP
          for (int32_t k = 0; k < FOCAL_CELL_LANES; k++)
            odds[k] = v[k] > sides.middle ? upper[k] : lower[k];
        } else {
          colourOdds(m + FocalSideFront, m + FocalSideBack, r, g, b, odds);
        }
        FOCAL_LANE_LOOP
        for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
          const float share = focal_clamp(t[k], FOCAL_SHARE_LEAST, 1.0f - FOCAL_SHARE_LEAST);
          const float mapOdds = FOCAL_LN2 * (focal_log2(share) - focal_log2(1.0f - share));
          odds[k] = p->colourWeight * odds[k] + p->mapWeight * mapOdds;
        }
        focal_store_lanes(decision + at, odds, n, room - x);
      }
    }
  }
}
// x
