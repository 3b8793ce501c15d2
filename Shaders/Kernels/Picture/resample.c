// SPDX-License-Identifier: Apache-2.0
//
// A linear RGBA picture at another size, by a triangular filter in linear light. Grid: pixels of
// the destination.

#define FOCAL_BODY resample
#include "kernel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= focal_rows(p.rows, p.height)) return;
  // Centres: a destination pixel's centre in the source's pixel indices.
  const float centreX = (FOCAL_FLOAT(x) + 0.5f) * p.scaleX - 0.5f;
  const float centreY = (FOCAL_FLOAT(y + p.originY) + 0.5f) * p.scaleY - 0.5f;
  const int32_t top = focal_max_int(focal_floor_int(centreY - p.reachY) + 1, 0);
  const int32_t bottom = focal_min_int(focal_floor_int(centreY + p.reachY), p.sourceHeight - 1);
  const int32_t left = focal_max_int(focal_floor_int(centreX - p.reachX) + 1, 0);
  const int32_t right = focal_min_int(focal_floor_int(centreX + p.reachX), p.sourceWidth - 1);
  float4 sum = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  float weights = 0.0f;
  for (int32_t sy = top; sy <= bottom; sy++) {
    const float weightY =
        focal_max(1.0f - focal_abs(FOCAL_FLOAT(sy) - centreY) * p.inverseReachY, 0.0f);
    for (int32_t sx = left; sx <= right; sx++) {
      const float weight =
          weightY * focal_max(1.0f - focal_abs(FOCAL_FLOAT(sx) - centreX) * p.inverseReachX, 0.0f);
      sum += weight * source[(sy - p.sourceOriginY) * p.sourceWidth + sx];
      weights += weight;
    }
  }
  result[y * p.width + x] = sum * focal_reciprocal(focal_max(weights, 1e-6f));
}

FOCAL_ENTRY(resample)
