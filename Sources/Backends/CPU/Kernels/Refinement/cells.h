// SPDX-License-Identifier: Apache-2.0
//
// Common to the kernels over the pixels of edge cells: groups of eight pixels of one row inside
// one cell, the pair of sides that a pixel decides between, and the share of the way from back to
// front that the map itself gives it.
#pragma once

#include "focal_refine.h"

/// Walks the cells of a row from the left without divisions: `end` is the first pixel after the
/// cell.
struct FocalCellWalk {
  int32_t end, whole;
  uint32_t rest, step, unit;
};
FOCAL_FUNCTION struct FocalCellWalk focal_cell_walk(int32_t cells, int32_t pixels) {
  const uint32_t unit = 2u * (uint32_t)cells;
  const struct FocalCellWalk k = {0, pixels / cells, (uint32_t)cells - 1u,
                                  2u * (uint32_t)(pixels % cells), unit};
  return k;
}
FOCAL_FUNCTION void focal_cell_next(struct FocalCellWalk *k) {
  k->end += k->whole;
  k->rest += k->step;
  if (k->rest >= k->unit) {
    k->rest -= k->unit;
    k->end += 1;
  }
}

/// The bilinear map along row pair `r` in cell `c`.
FOCAL_FUNCTION FocalCellSlope focal_cell_slope(const float *map, int32_t w, const FocalRowPair *r,
                                               int32_t c) {
  const float *a = map + (size_t)r->first * w, *b = map + (size_t)r->second * w;
  const int32_t l = c > 0 ? c - 1 : c, n = c + 1 < w ? c + 1 : c;
  const float vc = a[c] + (b[c] - a[c]) * r->weight;
  const float vl = a[l] + (b[l] - a[l]) * r->weight;
  const float vr = a[n] + (b[n] - a[n]) * r->weight;
  const FocalCellSlope s = {vc, vc - vl, vr - vc};
  return s;
}

/// The sides of cell `i`.
FOCAL_FUNCTION struct FocalCellSides focal_cell_sides(const float *map, const float *front,
                                                      const float *back, const uint8_t *kind,
                                                      size_t i) {
  const int has = kind[i] == FocalCellEdgeWithMiddle;
  const struct FocalCellSides s = {front[i], back[i], has ? map[i] : back[i], has};
  return s;
}

/// Share of the way from back to front, 0...1, of `count` <= FOCAL_CELL_LANES pixels from x on: the
/// blurred edge's own estimate of the front's coverage. Also the map's bilinear values. Lanes past
/// `count` hold the same formula's values.
FOCAL_FUNCTION void focal_edge_shares(const struct FocalRefineSize *s, struct FocalCellSlope slope,
                                      struct FocalCellSides sides, int32_t c, int32_t x,
                                      float *values, float *shares) {
  const float upper = sides.hasMiddle ? focal_reciprocal(sides.front - sides.middle) : 0.0f;
  const float lower = focal_reciprocal((sides.hasMiddle ? sides.middle : sides.front) - sides.back);
  const float origin = ((float)x + 0.5f) * s->cellsPerPixelX - ((float)c + 0.5f);
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
    const float v = focal_slope_at(slope, origin + (float)k * s->cellsPerPixelX);
    const int above = sides.hasMiddle & (v > sides.middle);
    values[k] = v;
    shares[k] = focal_unit(above ? (v - sides.middle) * upper : (v - sides.back) * lower);
  }
}

/// Writes `count` lanes, or all of them where `room` allows: cells are done from left to right, so
/// that what spills into the next cell of the row is overwritten in its turn.
FOCAL_FUNCTION void focal_store_lanes(float *to, const float *lanes, int32_t count, int32_t room) {
  if (room >= FOCAL_CELL_LANES) {
    FOCAL_LANE_LOOP
    for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) to[k] = lanes[k];
  } else {
    for (int32_t k = 0; k < count; k++) to[k] = lanes[k];
  }
}
