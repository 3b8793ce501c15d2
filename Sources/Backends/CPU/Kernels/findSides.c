// SPDX-License-Identifier: Apache-2.0
//
// The two sides of every edge of the map, cell by cell: the disparity of what is in front and of
// what is behind.
//
// A sharp map has true values on both sides of an edge, so the 3x3 extremes are the sides. In a
// blurred one the cells of the edge hold averages that belong to neither; there the values of
// plateaus are spread into the edge from both sides, one cell a pass, each cell taking the nearest
// value above it and below it.
#include "CPUKernels.h"
FOCAL_FUNCTION void range3x3(const float *map, int32_t w, int32_t h, int32_t x, int32_t y,
                             float *low, float *high) {
  const int32_t l = x > 0 ? x - 1 : x, r = x + 1 < w ? x + 1 : x;
  const float *rows[3] = {map + (size_t)(y > 0 ? y - 1 : y) * w, map + (size_t)y * w,
                          map + (size_t)(y + 1 < h ? y + 1 : y) * w};
  float a = rows[1][x], b = a;
  for (int32_t k = 0; k < 3; k++) {
    a = focal_min(a, focal_min(rows[k][l], focal_min(rows[k][x], rows[k][r])));
    b = focal_max(b, focal_max(rows[k][l], focal_max(rows[k][x], rows[k][r])));
  }
  *low = a;
  *high = b;
}

/// Largest |d(+v) + d(-v) - 2 d| over four directions v of `lag` cells: next to nothing on a
/// slanted plane.
FOCAL_FUNCTION float bend(const float *map, int32_t w, int32_t h, int32_t x, int32_t y,
                          int32_t lag) {
  const int32_t l = x - lag > 0 ? x - lag : 0, r = x + lag < w ? x + lag : w - 1;
  const int32_t u = y - lag > 0 ? y - lag : 0, v = y + lag < h ? y + lag : h - 1;
  const float *a = map + (size_t)u * w, *m = map + (size_t)y * w, *b = map + (size_t)v * w;
  const float d = 2.0f * m[x];
  return focal_max(focal_max(focal_abs(m[l] + m[r] - d), focal_abs(a[x] + b[x] - d)),
                   focal_max(focal_abs(a[l] + b[r] - d), focal_abs(a[r] + b[l] - d)));
}

FOCAL_KERNEL void focal_findSidesSharp(void *const *buffers, const void *parameters, uint32_t begin,
                                       uint32_t end) {
  const struct FocalFindSidesParameters *p = parameters;
  const float *map = buffers[FocalFindSidesMap];
  float *front = buffers[FocalFindSidesFront], *back = buffers[FocalFindSidesBack];
  uint8_t *kind = buffers[FocalFindSidesKind];
  for (uint32_t y = begin; y < end; y++) {
    for (int32_t x = 0; x < p->width; x++) {
      const size_t i = (size_t)y * p->width + x;
      float low, high;
      range3x3(map, p->width, p->height, x, (int32_t)y, &low, &high);
      const float d = map[i], t = p->edgeThreshold;
      const int edge = high - low > t && bend(map, p->width, p->height, x, (int32_t)y, 1) >
                                             FOCAL_SLANT_BEND * (high - low);
      front[i] = edge ? high : d;
      back[i] = edge ? low : d;
      kind[i] = (uint8_t)(!edge                         ? FocalCellFlat
                          : high - d > t && d - low > t ? FocalCellEdgeWithMiddle
                                                        : FocalCellEdge);
    }
  }
}

/// Plateaus get their own value as both labels and kind flat; all else no label and kind edge.
FOCAL_KERNEL void focal_seedSides(void *const *buffers, const void *parameters, uint32_t begin,
                                  uint32_t end) {
  const struct FocalFindSidesParameters *p = parameters;
  const float *map = buffers[FocalFindSidesMap];
  float *front = buffers[FocalFindSidesFront], *back = buffers[FocalFindSidesBack];
  uint8_t *kind = buffers[FocalFindSidesKind];
  for (uint32_t y = begin; y < end; y++) {
    for (int32_t x = 0; x < p->width; x++) {
      const size_t i = (size_t)y * p->width + x;
      float low, high;
      range3x3(map, p->width, p->height, x, (int32_t)y, &low, &high);
      const int plateau = high - low < FOCAL_PLATEAU_SHARE * p->edgeThreshold;
      front[i] = plateau ? map[i] : FOCAL_NO_LABEL;
      back[i] = plateau ? map[i] : -FOCAL_NO_LABEL;
      kind[i] = (uint8_t)(plateau ? FocalCellFlat : FocalCellEdge);
    }
  }
}

struct Labels {
  const float *front[3], *back[3];
};

/// Labels of one cell after one pass, from its own and its eight neighbours' (columns l, x, r of
/// three rows).
FOCAL_FUNCTION void spreadCell(struct Labels in, float d, float slack, int32_t l, int32_t x,
                               int32_t r, float *front, float *back) {
  const float least = d - slack, most = d + slack;
  float f = FOCAL_NO_LABEL, b = -FOCAL_NO_LABEL;
  for (int32_t k = 0; k < 3; k++) {
    const float f0 = in.front[k][l], f1 = in.front[k][x], f2 = in.front[k][r];
    const float b0 = in.back[k][l], b1 = in.back[k][x], b2 = in.back[k][r];
    f = focal_min(f, focal_min(f0 >= least ? f0 : FOCAL_NO_LABEL,
                               focal_min(f1 >= least ? f1 : FOCAL_NO_LABEL,
                                         f2 >= least ? f2 : FOCAL_NO_LABEL)));
    b = focal_max(b, focal_max(b0 <= most ? b0 : -FOCAL_NO_LABEL,
                               focal_max(b1 <= most ? b1 : -FOCAL_NO_LABEL,
                                         b2 <= most ? b2 : -FOCAL_NO_LABEL)));
  }
  *front = in.front[1][x] < FOCAL_NO_LABEL ? in.front[1][x] : f;
  *back = in.back[1][x] > -FOCAL_NO_LABEL ? in.back[1][x] : b;
}

/// One pass: a cell without a front takes the smallest front of its neighbours that is not below
/// it, a cell without a back the largest back that is not above it. At the border the outermost
/// cells stand in for the missing ones.
FOCAL_KERNEL void focal_spreadSides(void *const *buffers, const void *parameters, uint32_t begin,
                                    uint32_t end) {
  const struct FocalFindSidesParameters *p = parameters;
  const float *restrict map = buffers[FocalFindSidesMap];
  const float *frontIn = buffers[FocalFindSidesFrontIn], *backIn = buffers[FocalFindSidesBackIn];
  float *restrict front = buffers[FocalFindSidesFront], *restrict back =
                                                            buffers[FocalFindSidesBack];
  const float slack = FOCAL_LABEL_SLACK * p->edgeThreshold;
  const int32_t w = p->width;
  for (uint32_t y = begin; y < end; y++) {
    const size_t i = (size_t)y * w;
    struct Labels in;
    for (int32_t k = 0; k < 3; k++) {
      int32_t row = (int32_t)y + k - 1;
      row = row < 0 ? 0 : row < p->height ? row : p->height - 1;
      in.front[k] = frontIn + (size_t)row * w;
      in.back[k] = backIn + (size_t)row * w;
    }
    spreadCell(in, map[i], slack, 0, 0, w > 1 ? 1 : 0, &front[i], &back[i]);
    for (int32_t x = 1; x < w - 1; x++)
      spreadCell(in, map[i + x], slack, x - 1, x, x + 1, &front[i + x], &back[i + x]);
    if (w > 1)
      spreadCell(in, map[i + w - 1], slack, w - 2, w - 1, w - 1, &front[i + w - 1],
                 &back[i + w - 1]);
  }
}

FOCAL_FUNCTION void rangeOfLabels(const float *front, const float *back, const float *map,
                                  int32_t w, int32_t h, int32_t x, int32_t y, int32_t radius,
                                  float *low, float *high) {
  for (int32_t j = -radius; j <= radius; j++) {
    for (int32_t k = -radius; k <= radius; k++) {
      const int32_t nx = x + k, ny = y + j;
      if (nx < 0 || ny < 0 || nx >= w || ny >= h) continue;
      const size_t o = (size_t)ny * w + nx;
      const float f = front ? front[o] : map[o], b = back ? back[o] : map[o];
      if (f < FOCAL_NO_LABEL) *high = focal_max(*high, f);
      if (b > -FOCAL_NO_LABEL) *low = focal_min(*low, b);
    }
  }
}

/// Completes the labels: a side that no plateau has reached (a thing narrower than the blur) is the
/// extreme of the 7x7 cells; a cell at the foot of an edge, with the same plateau as both labels,
/// takes its other side from the 3x3 neighbours' labels. What spans less than the threshold, or
/// lies on a slanted surface, is flat after all.
FOCAL_KERNEL void focal_finishSides(void *const *buffers, const void *parameters, uint32_t begin,
                                    uint32_t end) {
  const struct FocalFindSidesParameters *p = parameters;
  const float *map = buffers[FocalFindSidesMap];
  const float *frontIn = buffers[FocalFindSidesFrontIn], *backIn = buffers[FocalFindSidesBackIn];
  float *front = buffers[FocalFindSidesFront], *back = buffers[FocalFindSidesBack];
  uint8_t *kind = buffers[FocalFindSidesKind];
  const int32_t w = p->width, h = p->height;
  for (uint32_t y = begin; y < end; y++) {
    for (int32_t x = 0; x < w; x++) {
      const size_t i = (size_t)y * w + x;
      front[i] = back[i] = map[i];
      if (kind[i] == FocalCellFlat) continue;
      float f = frontIn[i], b = backIn[i], low = map[i], high = map[i];
      if (f >= FOCAL_NO_LABEL || b <= -FOCAL_NO_LABEL) {
        rangeOfLabels(0, 0, map, w, h, x, (int32_t)y, 3, &low, &high);
        if (f >= FOCAL_NO_LABEL) f = high;
        if (b <= -FOCAL_NO_LABEL) b = low;
      }
      if (f - b <= p->edgeThreshold) {
        low = b;
        high = f;
        rangeOfLabels(frontIn, backIn, map, w, h, x, (int32_t)y, 1, &low, &high);
        if (high - f > b - low)
          f = high;
        else
          b = low;
      }
      float low7 = map[i], high7 = map[i];
      rangeOfLabels(0, 0, map, w, h, x, (int32_t)y, 3, &low7, &high7);
      range3x3(map, w, h, x, (int32_t)y, &low, &high);
      const float span = high7 - low7;
      const int slanted = span > FOCAL_SLANT_SPAN * (high - low) &&
                          bend(map, w, h, x, (int32_t)y, 3) < FOCAL_WIDE_BEND * span;
      const int edge = f - b > p->edgeThreshold && !slanted;
      kind[i] = (uint8_t)(edge ? FocalCellEdge : FocalCellFlat);
      if (edge) {
        front[i] = f;
        back[i] = b;
      }
    }
  }
}

/// Reach 1 where an edge cell lies within `radius` cells, else 0.
FOCAL_KERNEL void focal_markReach(void *const *buffers, const void *parameters, uint32_t begin,
                                  uint32_t end) {
  const struct FocalMarkReachParameters *p = parameters;
  const uint8_t *kind = buffers[FocalMarkReachKind];
  uint8_t *reach = buffers[FocalMarkReachReach];
  const int32_t w = p->width;
  for (uint32_t y = begin; y < end; y++) {
    uint8_t *row = reach + (size_t)y * w;
    for (int32_t x = 0; x < w; x++) row[x] = 0;
    for (int32_t j = -p->radius; j <= p->radius; j++) {
      const int32_t ny = (int32_t)y + j;
      if (ny < 0 || ny >= p->height) continue;
      const uint8_t *kinds = kind + (size_t)ny * w;
      for (int32_t k = -p->radius; k <= p->radius; k++) {
        const int32_t first = k < 0 ? -k : 0, last = k > 0 ? w - k : w;
        for (int32_t x = first; x < last; x++) row[x] |= kinds[x + k] != FocalCellFlat;
      }
    }
  }
}
