// SPDX-License-Identifier: Apache-2.0
//
// The least and the greatest disparity of each piece of a map's rows, and its holes. Grid: pieces.

#define FOCAL_BODY measureRange
#include "kernel.h"
#include "focal_map.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t piece, int32_t y, int32_t z) {
  const int32_t pieces = (p.width + FOCAL_MAP_PIECE - 1) / FOCAL_MAP_PIECE;
  if (piece >= pieces || y >= p.height) return;
  const int32_t first = y * p.width + piece * FOCAL_MAP_PIECE;
  const int32_t count = focal_min_int(p.width - piece * FOCAL_MAP_PIECE, FOCAL_MAP_PIECE);
  float least = FOCAL_NO_DISPARITY, greatest = -FOCAL_NO_DISPARITY;
  int32_t holes = 0;
  for (int32_t i = 0; i < count; i++) {
    const float d = map[first + i];
    const bool isThere = focal_is_disparity(d);
    least = isThere ? focal_min(least, d) : least;
    greatest = isThere ? focal_max(greatest, d) : greatest;
    holes += isThere ? 0 : 1;
  }
  const int32_t o = y * pieces + piece;
  ranges[o].least = least;
  ranges[o].greatest = greatest;
  ranges[o].holes = FOCAL_FLOAT(holes);
}

FOCAL_ENTRY(measureRange)
