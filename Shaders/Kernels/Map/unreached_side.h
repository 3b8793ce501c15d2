// SPDX-License-Identifier: Apache-2.0
//
// The sides that no plateau has reached: finishSides of every device completes a blurred map's edges by them. On the
// processor FOCAL_TAKES is a map and the parameters.
#pragma once

#include "focal_sides.h"

/// The side of a cell that no plateau has reached: of a thing narrower than the blur the extreme of the 7x7 cells. Where
/// the values go on beyond it, twice and three times as far, the cell lies on a slope, and has no label. A cell
/// that is the extreme itself, as where a map overshoots at an edge, is its own side.
FOCAL_FUNCTION float unreachedSide(FOCAL_TAKES int32_t x, int32_t y, float sign) {
  const float own = map[y * p.width + x];
  float most = own;
  int32_t mx = x, my = y;
  for (int32_t ny = focal_max_int(y - 3, 0); ny <= focal_min_int(y + 3, p.height - 1); ny++) {
    for (int32_t nx = focal_max_int(x - 3, 0); nx <= focal_min_int(x + 3, p.width - 1); nx++) {
      const float v = map[ny * p.width + nx];
      if (focal_abs(v) < FOCAL_NO_LABEL && sign * v > sign * most) {
        most = v;
        mx = nx;
        my = ny;
      }
    }
  }
  if (most == own) return own;
  const float least = FOCAL_SLOPE_SHARE * (sign * (most - own));
  float last = most;
  for (int32_t n = 1; n <= 2; n++) {
    const int32_t bx = focal_clamp_int(mx + n * (mx - x), 0, p.width - 1);
    const int32_t by = focal_clamp_int(my + n * (my - y), 0, p.height - 1);
    const float beyond = map[by * p.width + bx];
    if (!(sign * (beyond - last) > least)) return most;
    last = beyond;
  }
  return sign * FOCAL_NO_LABEL;
}
