// SPDX-License-Identifier: Apache-2.0
//
// The circles of confusion of the refined map, which is bilinear where the map is flat, and the decided side's
// disparity inside edges. Never a mean of two sides: an averaged disparity would make a circle of confusion that
// neither surface has, seen as a rim.
#include "ShaderTypes.h"
#include "cells.h"

FOCAL_CLONES FOCAL_ENTRY_POINT(resolveDisparity) {
  FOCAL_BUFFERS(resolveDisparity)
  const struct FocalRefineSize *s = &p->size;
  const int32_t w = s->mapWidth;
  for (uint32_t line = begin; line < end; line++) {
    const int32_t y = (int32_t)line + s->originY;
    const struct FocalRowPair rows = focal_row_pair(*s, (uint32_t)y);
    const int32_t cy = focal_cell_of(y, s->mapHeight, s->height);
    const float *from = decision + (size_t)((y >> p->decisionShift) - p->decisionOriginY) *
                                       (size_t)p->decisionWidth;
    struct FocalCellWalk walk = focal_cell_walk(w, s->width);
    const float *first = map + (size_t)rows.first * w, *second = map + (size_t)rows.second * w;
    float here = first[0] + (second[0] - first[0]) * rows.weight, left = here;
    for (int32_t c = 0; c < w; c++) {
      const size_t i = (size_t)cy * w + c;
      const int32_t next = c + 1 < w ? c + 1 : c;
      const float right = first[next] + (second[next] - first[next]) * rows.weight;
      const struct FocalCellSlope slope = {here, here - left, right - here};
      left = here;
      here = right;
      const int32_t x0 = walk.end;
      focal_cell_next(&walk);
      const int32_t x1 = walk.end;
      if (kind[i] == FocalCellFlat) {
        for (int32_t x = x0; x < x1; x += FOCAL_CELL_LANES) {
          const float origin = ((float)x + 0.5f) * s->cellsPerPixelX - ((float)c + 0.5f);
          float v[FOCAL_CELL_LANES];
          FOCAL_LANE_LOOP
          for (int32_t k = 0; k < FOCAL_CELL_LANES; k++)
            v[k] = focal_circleRadius(
                p->circles, focal_slope_at(slope, origin + (float)k * s->cellsPerPixelX));
          focal_store_lanes(radius + (size_t)line * s->width + x, v, x1 - x, s->width - x);
        }
        continue;
      }
      const struct FocalCellSides sides = focal_cell_sides(map, front, back, kind, i);
      for (int32_t x = x0; x < x1; x += FOCAL_CELL_LANES) {
        const int32_t n = x1 - x < FOCAL_CELL_LANES ? x1 - x : FOCAL_CELL_LANES;
        const size_t at = (size_t)line * s->width + x;
        float v[FOCAL_CELL_LANES], t[FOCAL_CELL_LANES], odds[FOCAL_CELL_LANES] = {0};
        focal_edge_shares(s, slope, sides, c, x, v, t);
        if (p->decisionShift == 0 && s->width - x >= FOCAL_CELL_LANES) {
          FOCAL_LANE_LOOP
          for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) odds[k] = from[x + k];
        } else {
          for (int32_t k = 0; k < n; k++) odds[k] = from[(x + k) >> p->decisionShift];
        }
        FOCAL_LANE_LOOP
        for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
          const int above = sides.hasMiddle & (v[k] > sides.middle);
          const float nearer = (sides.hasMiddle & !above) ? sides.middle : sides.front;
          const float farther = above ? sides.middle : sides.back;
          const int inFront = focal_is_in_front(odds[k], t[k]);
          const float side = inFront ? nearer : farther;
          const int whole = inFront ? t[k] > 1.0f - FOCAL_WHOLE : t[k] < FOCAL_WHOLE;
          v[k] = focal_circleRadius(p->circles, whole ? v[k] : side);
        }
        focal_store_lanes(radius + at, v, n, s->width - x);
      }
    }
  }
}
