// SPDX-License-Identifier: Apache-2.0
//
// The sides of a blurred map's edges, completed.
#include "ShaderTypes.h"

#define FOCAL_TAKES const float *restrict map, const FocalFindSidesParameters p,
#include <Map/unreached_side.h>

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

/// Completes the labels: a side that no plateau has reached is `unreachedSide`; a cell at the foot of an
/// edge, with the same plateau as both labels, takes its other side from the 3x3 neighbours' labels. A
/// cell that spans less than the threshold, or lies on a slope or a slanted surface, is flat after all.
FOCAL_CLONES FOCAL_ENTRY_POINT(finishSides) {
  FOCAL_BUFFERS(finishSides)
  const int32_t w = p->width, h = p->height;
  for (uint32_t y = begin; y < end; y++) {
    for (int32_t x = 0; x < w; x++) {
      const size_t i = (size_t)y * w + x;
      front[i] = back[i] = map[i];
      if (kind[i] == FocalCellFlat) continue;
      float f = frontIn[i], b = backIn[i], low = map[i], high = map[i];
      if (f >= FOCAL_NO_LABEL) f = unreachedSide(map, *p, x, (int32_t)y, 1.0f);
      if (b <= -FOCAL_NO_LABEL) b = unreachedSide(map, *p, x, (int32_t)y, -1.0f);
      const bool isSlope = f >= FOCAL_NO_LABEL || b <= -FOCAL_NO_LABEL;
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
      const int edge = f - b > p->edgeThreshold && !slanted && !isSlope;
      kind[i] = (uint8_t)(edge ? FocalCellEdge : FocalCellFlat);
      if (edge) {
        front[i] = f;
        back[i] = b;
      }
    }
  }
}
