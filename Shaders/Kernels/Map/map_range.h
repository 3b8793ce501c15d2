// SPDX-License-Identifier: Apache-2.0
//
// Range and bend of the map around a cell, for the kernels that find its edges.
#pragma once

FOCAL_STRUCT(MapRange) { float low, high; };

// Smallest and largest of the 3 x 3 cells around (x, y).
FOCAL_FUNCTION MapRange rangeAround(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t l = focal_max_int(x - 1, 0), r = focal_min_int(x + 1, p.width - 1);
  const float own = map[y * p.width + x];
  MapRange range = {own, own};
  for (int32_t k = -1; k <= 1; k++) {
    const int32_t row = focal_clamp_int(y + k, 0, p.height - 1) * p.width;
    const float a = map[row + l], b = map[row + x], c = map[row + r];
    range.low = focal_min(range.low, focal_min(a, focal_min(b, c)));
    range.high = focal_max(range.high, focal_max(a, focal_max(b, c)));
  }
  return range;
}

// The range of the map within `radius` cells, the border left out.
FOCAL_FUNCTION MapRange rangeOfMap(FOCAL_TAKES int32_t x, int32_t y, int32_t radius) {
  const float own = map[y * p.width + x];
  MapRange range = {own, own};
  for (int32_t ny = focal_max_int(y - radius, 0); ny <= focal_min_int(y + radius, p.height - 1);
       ny++) {
    for (int32_t nx = focal_max_int(x - radius, 0); nx <= focal_min_int(x + radius, p.width - 1);
         nx++) {
      const float v = map[ny * p.width + nx];
      if (v < FOCAL_NO_LABEL) range.high = focal_max(range.high, v);
      if (v > -FOCAL_NO_LABEL) range.low = focal_min(range.low, v);
    }
  }
  return range;
}

// Largest |d(+v) + d(-v) - 2 d| over four directions v of `lag` cells: next to nothing on a slanted
// plane.
FOCAL_FUNCTION float bendAround(FOCAL_TAKES int32_t x, int32_t y, int32_t lag) {
  const int32_t l = focal_max_int(x - lag, 0), r = focal_min_int(x + lag, p.width - 1);
  const int32_t a = focal_max_int(y - lag, 0) * p.width, m = y * p.width;
  const int32_t b = focal_min_int(y + lag, p.height - 1) * p.width;
  const float d = 2.0f * map[m + x];
  return focal_max(
      focal_max(focal_abs(map[m + l] + map[m + r] - d), focal_abs(map[a + x] + map[b + x] - d)),
      focal_max(focal_abs(map[a + l] + map[b + r] - d), focal_abs(map[a + r] + map[b + l] - d)));
}
