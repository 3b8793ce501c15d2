// SPDX-License-Identifier: Apache-2.0
//
// How far above or below it each pixel's nearest covered one is. Grid: columns, by runs of FocalMaskRun pixels.
//
// The first of the two passes of a distance transform (A. Meijster, J. B. T. M. Roerdink, W. H. Hesselink, A General
// Algorithm for Computing Distance Transforms in Linear Time, 2000), within a reach.

#define FOCAL_BODY reachDown
#include "kernel.h"
#include "focal_effects.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t run, int32_t z) {
  const int32_t first = run * FocalMaskRun;
  if (x >= p.width || first >= p.height) return;
  const int32_t end = focal_min_int(first + FocalMaskRun, p.height), far = p.reach + 1;
  int32_t away = far;
  for (int32_t y = focal_max_int(first - p.reach, 0); y < end; y++) {
    away = mask[y * p.stride + x] > p.from ? 0 : focal_min_int(away + 1, far);
    if (y >= first) ways[y * p.width + x] = away;
  }
  away = far;
  for (int32_t y = focal_min_int(end + p.reach, p.height) - 1; y >= first; y--) {
    away = mask[y * p.stride + x] > p.from ? 0 : focal_min_int(away + 1, far);
    if (y < end) {
      ways[y * p.width + x] = focal_min_int(ways[y * p.width + x], away);
    }
  }
}

FOCAL_ENTRY(reachDown)
