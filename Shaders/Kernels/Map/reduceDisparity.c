// SPDX-License-Identifier: Apache-2.0
//
// A map at half its size: the mean of the 2 x 2 cells that are of the farthest one's side, so that an
// edge stays one. Holes count for nothing. Grid: cells of the result.

#define FOCAL_BODY reduceDisparity
#include "kernel.h"
#include "focal_pixel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t left = focal_min_int(2 * x, p.sourceWidth - 1);
  const int32_t right = focal_min_int(2 * x + 1, p.sourceWidth - 1);
  const int32_t top = focal_min_int(2 * y, p.sourceHeight - 1) * p.sourceWidth;
  const int32_t bottom = focal_min_int(2 * y + 1, p.sourceHeight - 1) * p.sourceWidth;
  const float4 v = FOCAL_FLOAT4(source[top + left], source[top + right], source[bottom + left],
                                source[bottom + right]);
  float low = FOCAL_NO_LABEL;
  if (focal_is_disparity(v.x)) low = focal_min(low, v.x);
  if (focal_is_disparity(v.y)) low = focal_min(low, v.y);
  if (focal_is_disparity(v.z)) low = focal_min(low, v.z);
  if (focal_is_disparity(v.w)) low = focal_min(low, v.w);
  const float most = low + p.spread;
  float sum = 0.0f, count = 0.0f;
  if (focal_is_disparity(v.x) && v.x <= most) sum += v.x, count += 1.0f;
  if (focal_is_disparity(v.y) && v.y <= most) sum += v.y, count += 1.0f;
  if (focal_is_disparity(v.z) && v.z <= most) sum += v.z, count += 1.0f;
  if (focal_is_disparity(v.w) && v.w <= most) sum += v.w, count += 1.0f;
  result[y * p.width + x] = count > 0.0f ? sum * focal_reciprocal(count) : FOCAL_INVALID_DISPARITY;
}

FOCAL_ENTRY(reduceDisparity)
