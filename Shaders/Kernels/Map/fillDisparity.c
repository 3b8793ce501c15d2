// SPDX-License-Identifier: Apache-2.0
//
// Each hole takes the coarser level's cell over it; every other value stays. Grid: cells.

#define FOCAL_BODY fillDisparity
#include "kernel.h"
#include "focal_pixel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t i = y * p.width + x;
  if (focal_is_disparity(map[i])) return;
  const float c = coarse[(y >> 1) * p.coarseWidth + (x >> 1)];
  map[i] = focal_is_disparity(c) ? c : 0.0f;
}

FOCAL_ENTRY(fillDisparity)
