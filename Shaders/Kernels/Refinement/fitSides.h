// SPDX-License-Identifier: Apache-2.0
//
// Colour models of the sides of each edge cell, from the sums of all neighbours whose side lies at
// about the same disparity. Grid: cells.

#include "cell_sides.h"

FOCAL_STRUCT(SideTotal) {
  float4 colour;  // count, red, green, blue
  float squares, disparity, disparityCount;
};

FOCAL_FUNCTION SideTotal withSums(SideTotal total, FocalSideSums s, float weight, float disparity,
                                  float own, float threshold) {
  SideTotal sum = total;
  sum.colour += weight * FOCAL_FLOAT4(s.count, s.red, s.green, s.blue);
  sum.squares += weight * s.squares;
  if (focal_abs(disparity - own) < threshold) {
    sum.disparity += weight * s.count * disparity;
    sum.disparityCount += weight * s.count;
  }
  return sum;
}

FOCAL_FUNCTION FocalSideModel modelOf(SideTotal total, float ownDisparity) {
  const FocalSideSums sums = {total.colour.x, total.colour.y, total.colour.z, total.colour.w,
                              total.squares,  0.0f,           0.0f,           0.0f};
  return focal_sideModel(sums, total.disparity, total.disparityCount, ownDisparity);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t line, int32_t z) {
  const int32_t y = line + p.originY, past = p.originY + focal_rows(p.rows, p.height);
  if (x >= p.width || y >= past) return;
  const int32_t i = y * p.width + x;
  if (FOCAL_INT(kind[i]) == FocalCellFlat) return;
  const FocalCellSides own = sidesOf(FOCAL_PASSES i);
  const float threshold = p.edgeThreshold;
  const float near = FOCAL_SAME_SURFACE * (own.front - own.back);
  const float nearMiddle =
      FOCAL_SAME_SURFACE * focal_min(own.front - own.middle, own.middle - own.back);
  const SideTotal none = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), 0.0f, 0.0f, 0.0f};
  SideTotal inFront = none, behind = none, between = none;
  const int32_t r = focal_min_int(p.radius, FOCAL_MOST_FIT_RADIUS);
  for (int32_t j = -r; j <= r; j++) {
    for (int32_t k = -r; k <= r; k++) {
      const int32_t nx = x + k, ny = y + j;
      if (nx < 0 || ny < p.originY || nx >= p.width || ny >= past) continue;
      const int32_t o = ny * p.width + nx;
      const float weight = focal_reciprocal(1.0f + FOCAL_FIT_FALLOFF * FOCAL_FLOAT(j * j + k * k));
      for (int32_t n = 0; n < FocalSideCount; n++) {
        const FocalSideSums s = sums[(o - p.originY * p.width) * FocalSideCount + n];
        if (s.count <= 0.0f) continue;
        const float d = n == FocalSideFront ? front[o] : n == FocalSideBack ? back[o] : map[o];
        if (own.hasMiddle != 0 && focal_abs(d - own.middle) < nearMiddle) {
          between = withSums(between, s, weight, d, own.middle, threshold);
        } else if (focal_abs(d - own.front) < near) {
          inFront = withSums(inFront, s, weight, d, own.front, threshold);
        } else if (focal_abs(d - own.back) < near) {
          behind = withSums(behind, s, weight, d, own.back, threshold);
        }
      }
    }
  }
  const int32_t record = (line * p.width + x) * FocalSideCount;
  models[record + FocalSideFront] = modelOf(inFront, own.front);
  models[record + FocalSideBack] = modelOf(behind, own.back);
  models[record + FocalSideMiddle] = modelOf(between, own.middle);
}

FOCAL_ENTRY(fitSides)
