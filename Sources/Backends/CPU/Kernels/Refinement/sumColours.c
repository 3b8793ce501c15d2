// SPDX-License-Identifier: Apache-2.0
//
// Colour sums of the two or three sides of each cell, a lane a column.
#include "ShaderTypes.h"
#include "cells.h"

/// Running sums of one side, lane by lane: count, red, green, blue, squares.
struct LaneSums {
  float lane[5][FOCAL_CELL_LANES];
};

FOCAL_FUNCTION void addLanes(struct LaneSums *s, const float *weight, const float *r,
                             const float *g, const float *b, const float *q) {
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) s->lane[0][k] += weight[k];
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) s->lane[1][k] += weight[k] * r[k];
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) s->lane[2][k] += weight[k] * g[k];
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) s->lane[3][k] += weight[k] * b[k];
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) s->lane[4][k] += weight[k] * q[k];
}

FOCAL_FUNCTION struct FocalSideSums collect(const struct LaneSums *s) {
  float total[5];
  for (int32_t n = 0; n < 5; n++) {
    const float *v = s->lane[n];
    total[n] = ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
  }
  const struct FocalSideSums r = {total[0], total[1], total[2], total[3], total[4], 0, 0, 0};
  return r;
}

/// Flat cells out of reach of any edge are left as they were: no edge cell
/// reads them.
FOCAL_CLONES FOCAL_ENTRY_POINT(sumColours) {
  FOCAL_BUFFERS(sumColours)
  const struct FocalRefineSize *s = &p->size;
  const int32_t w = s->mapWidth;
  for (uint32_t line = begin; line < end; line++) {
    const int32_t cy = (int32_t)line + s->mapOriginY;
    const int32_t y0 = focal_max_int(focal_cell_begin(cy, s->mapHeight, s->height), s->originY);
    const int32_t y1 =
        focal_min_int(focal_cell_begin(cy + 1, s->mapHeight, s->height), focal_window_end(*s));
    for (int32_t c = 0; c < w; c++) {
      const size_t i = (size_t)cy * w + c;
      if (!reach[i]) continue;
      struct FocalSideSums *own = sums + ((size_t)line * w + c) * FocalSideCount;
      struct LaneSums total[FocalSideCount] = {{{{0}}}};
      const int32_t x0 = focal_cell_begin(c, w, s->width),
                    x1 = focal_cell_begin(c + 1, w, s->width);
      const struct FocalCellSides sides = focal_cell_sides(map, front, back, kind, i);
      for (int32_t y = y0; y < y1; y++) {
        const struct FocalRowPair rows = focal_row_pair(*s, (uint32_t)y);
        const struct FocalCellSlope slope = focal_cell_slope(map, w, &rows, c);
        for (int32_t x = x0; x < x1; x += FOCAL_CELL_LANES) {
          const int32_t n = x1 - x;
          const size_t at = (size_t)(y - s->originY) * s->width + x;
          const int32_t room = s->width - x;
          float r[FOCAL_CELL_LANES], g[FOCAL_CELL_LANES], b[FOCAL_CELL_LANES], q[FOCAL_CELL_LANES],
              v[FOCAL_CELL_LANES], t[FOCAL_CELL_LANES];
          float a[FOCAL_CELL_LANES], z[FOCAL_CELL_LANES], m[FOCAL_CELL_LANES];
          focal_load_colours(guide + at, room, r, g, b);
          FOCAL_LANE_LOOP
          for (int32_t k = 0; k < FOCAL_CELL_LANES; k++)
            q[k] = r[k] * r[k] + g[k] * g[k] + b[k] * b[k];
          if (kind[i] == FocalCellFlat) {
            FOCAL_LANE_LOOP
            for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) a[k] = k < n ? 1.0f : 0.0f;
            addLanes(&total[FocalSideFront], a, r, g, b, q);
            continue;
          }
          focal_edge_shares(s, slope, sides, c, x, v, t);
          if (p->decided) {
            float d[FOCAL_CELL_LANES] = {0};
            if (room >= FOCAL_CELL_LANES) {
              FOCAL_LANE_LOOP
              for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) d[k] = decision[at + k];
            } else
              for (int32_t k = 0; k < room; k++) d[k] = decision[at + k];
            // Near the posterior; squared so that the undecided count little.
            FOCAL_LANE_LOOP
            for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
              const float f = focal_unit(0.5f + FOCAL_DECIDED_SLOPE * d[k]);
              a[k] = f * f;
              z[k] = (1.0f - f) * (1.0f - f);
            }
          } else {
            FOCAL_LANE_LOOP
            for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
              a[k] = focal_unit((t[k] - FOCAL_PURE_FROM) * FOCAL_PER_PURITY);
              z[k] = focal_unit((1.0f - FOCAL_PURE_FROM - t[k]) * FOCAL_PER_PURITY);
            }
          }
          FOCAL_LANE_LOOP
          for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
            a[k] = k < n ? a[k] : 0.0f;
            z[k] = k < n ? z[k] : 0.0f;
          }
          if (sides.hasMiddle) {
            FOCAL_LANE_LOOP
            for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
              const int above = v[k] > sides.middle;
              m[k] = above ? z[k] : a[k];
              a[k] = above ? a[k] : 0.0f;
              z[k] = above ? 0.0f : z[k];
            }
            addLanes(&total[FocalSideMiddle], m, r, g, b, q);
          }
          addLanes(&total[FocalSideFront], a, r, g, b, q);
          addLanes(&total[FocalSideBack], z, r, g, b, q);
        }
      }
      own[FocalSideFront] = collect(&total[FocalSideFront]);
      own[FocalSideBack] = collect(&total[FocalSideBack]);
      own[FocalSideMiddle] = collect(&total[FocalSideMiddle]);
    }
  }
}
