// SPDX-License-Identifier: Apache-2.0
//
// Colour models of the two or three sides of each edge cell: first the sums inside every cell, then
// a Gaussian from the sums of all neighbours whose side lies at about the same disparity.
#include "CPUKernels.h"
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

/// Every `step`th row of a cell goes into the sums (2 in the cheap qualities: the models need
/// means, not every pixel). Flat cells out of reach of any edge are left as they were: no edge cell
/// reads them.
FOCAL_KERNEL void focal_sumColours(void *const *buffers, const void *parameters, uint32_t begin,
                                   uint32_t end) {
  const struct FocalSumColoursParameters *p = parameters;
  const float *map = buffers[FocalSumColoursMap], *front = buffers[FocalSumColoursFront];
  const float *back = buffers[FocalSumColoursBack], *decision = buffers[FocalSumColoursDecision];
  const uint8_t *kind = buffers[FocalSumColoursKind], *reach = buffers[FocalSumColoursReach];
  const uint32_t *guide = buffers[FocalSumColoursGuide];
  struct FocalSideSums *sums = buffers[FocalSumColoursSums];
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
      for (int32_t y = y0; y < y1; y += p->step) {
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
              const float f = focal_unit(0.5f + 0.125f * d[k]);
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

/// Weighted sums of one side over a neighbourhood. The disparity is a mean over less than the
/// colours are: only over labels within the edge threshold of the cell's own, lest two surfaces of
/// like depth give a third between them.
struct SideTotal {
  float sums[8], disparity, disparityCount;
};

FOCAL_FUNCTION void addScaled(struct SideTotal *total, const struct FocalSideSums *sums,
                              float weight, float disparity, float own, float threshold) {
  const float *v = (const float *)sums;
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < 8; k++) total->sums[k] += weight * v[k];
  if (focal_abs(disparity - own) < threshold) {
    total->disparity += weight * sums->count * disparity;
    total->disparityCount += weight * sums->count;
  }
}

FOCAL_FUNCTION struct FocalSideModel finishModel(const struct SideTotal *side, float ownDisparity) {
  const float *total = side->sums;
  struct FocalSideModel m = {0, 0, 0, 0, 0, 0, ownDisparity, 0};
  if (total[0] < 1e-3f) return m;
  const float in = focal_reciprocal(total[0]);
  m.count = total[0];
  m.red = total[1] * in;
  m.green = total[2] * in;
  m.blue = total[3] * in;
  const float spread = total[4] * in - (m.red * m.red + m.green * m.green + m.blue * m.blue);
  const float variance = focal_max(spread, 0.0f) * (1.0f / 3.0f) + FOCAL_LEAST_VARIANCE;
  m.perVariance = 0.5f * focal_reciprocal(variance);
  m.logNorm = -1.0397208f * focal_log2(variance);  // -1.5 ln 2
  if (side->disparityCount > 1e-3f)
    m.disparity = side->disparity * focal_reciprocal(side->disparityCount);
  return m;
}

FOCAL_KERNEL void focal_fitSides(void *const *buffers, const void *parameters, uint32_t begin,
                                 uint32_t end) {
  const struct FocalFitSidesParameters *p = parameters;
  const float *map = buffers[FocalFitSidesMap], *front = buffers[FocalFitSidesFront],
              *back = buffers[FocalFitSidesBack];
  const uint8_t *kind = buffers[FocalFitSidesKind];
  const struct FocalSideSums *sums = buffers[FocalFitSidesSums];
  struct FocalSideModel *models = buffers[FocalFitSidesModels];
  const int32_t w = p->width,
                r = p->radius < FOCAL_MOST_FIT_RADIUS ? p->radius : FOCAL_MOST_FIT_RADIUS;
  float weights[(FOCAL_MOST_FIT_RADIUS + 1) * (FOCAL_MOST_FIT_RADIUS + 1)];
  for (int32_t j = 0; j <= r; j++) {
    for (int32_t k = 0; k <= r; k++)
      weights[j * (r + 1) + k] =
          focal_reciprocal(1.0f + FOCAL_FIT_FALLOFF * (float)(j * j + k * k));
  }
  const int32_t first = p->originY, past = first + focal_rows(p->rows, p->height);
  for (uint32_t line = begin; line < end; line++) {
    const int32_t y = (int32_t)line + first;
    for (int32_t x = 0; x < w; x++) {
      const size_t i = (size_t)y * w + x;
      if (kind[i] == FocalCellFlat) continue;
      const struct FocalCellSides own = focal_cell_sides(map, front, back, kind, i);
      const float threshold = p->edgeThreshold;
      const float reach = FOCAL_SAME_SURFACE * (own.front - own.back);
      const float middleReach =
          FOCAL_SAME_SURFACE * focal_min(own.front - own.middle, own.middle - own.back);
      struct SideTotal total[FocalSideCount] = {{{0}, 0, 0}};
      for (int32_t j = -r; j <= r; j++) {
        for (int32_t k = -r; k <= r; k++) {
          const int32_t nx = x + k, ny = y + j;
          if (nx < 0 || ny < first || nx >= w || ny >= past) continue;
          const size_t o = (size_t)ny * w + nx;
          const float weight = weights[(j < 0 ? -j : j) * (r + 1) + (k < 0 ? -k : k)];
          const float disparity[FocalSideCount] = {front[o], back[o], map[o]};
          for (int32_t n = 0; n < FocalSideCount; n++) {
            const struct FocalSideSums *s =
                &sums[(o - (size_t)first * w) * FocalSideCount + (size_t)n];
            const float d = disparity[n];
            if (s->count <= 0) continue;
            if (own.hasMiddle && focal_abs(d - own.middle) < middleReach)
              addScaled(&total[FocalSideMiddle], s, weight, d, own.middle, threshold);
            else if (focal_abs(d - own.front) < reach)
              addScaled(&total[FocalSideFront], s, weight, d, own.front, threshold);
            else if (focal_abs(d - own.back) < reach)
              addScaled(&total[FocalSideBack], s, weight, d, own.back, threshold);
          }
        }
      }
      const float disparity[FocalSideCount] = {own.front, own.back, own.middle};
      for (int32_t n = 0; n < FocalSideCount; n++)
        models[((size_t)line * w + x) * FocalSideCount + n] = finishModel(&total[n], disparity[n]);
    }
  }
}
