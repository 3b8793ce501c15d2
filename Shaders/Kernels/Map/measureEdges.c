// SPDX-License-Identifier: Apache-2.0
//
// How sharp the edges of each piece of a map's rows are. Grid: pieces.

#define FOCAL_BODY measureEdges
#include "kernel.h"
#include "focal_map.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t piece, int32_t y, int32_t z) {
  const int32_t pieces = (p.width + FOCAL_MAP_PIECE - 1) / FOCAL_MAP_PIECE;
  if (piece >= pieces || y >= p.height) return;
  const int32_t left = piece * FOCAL_MAP_PIECE;
  const int32_t width = focal_min_int(p.width - left, FOCAL_MAP_PIECE);
  float near[FOCAL_MAP_SUMS], far[FOCAL_MAP_SUMS];
  for (int32_t s = 0; s < FOCAL_MAP_SUMS; s++) {
    near[s] = 0.0f;
    far[s] = 0.0f;
  }
  // Along the row, then down the columns.
  for (int32_t way = 0; way < 2; way++) {
    const int32_t step = way == 0 ? 1 : p.width;
    const int32_t across = focal_min_int(width, p.width - 3 - left);
    const int32_t count = way == 0 ? across : (y + 3 < p.height ? width : 0);
    const int32_t first = y * p.width + left;
    for (int32_t i = 0; i < count; i += FOCAL_MAP_SUMS) {
      for (int32_t s = 0; s < FOCAL_MAP_SUMS; s++) {
        // Past the end a cell is compared with itself.
        const int32_t at = first + focal_min_int(i + s, count - 1);
        const bool isThere = i + s < count;
        const float d = map[at];
        const float far3 = map[at + 3 * step] - d, near1 = map[at + step] - d;
        // Not where a hole makes a difference huge.
        const bool isEdge = isThere && focal_abs(far3) > p.edgeThreshold &&
                            focal_is_disparity(far3) && focal_is_disparity(near1);
        near[s] = near[s] + (isEdge ? near1 * near1 : 0.0f);
        far[s] = far[s] + (isEdge ? far3 * far3 : 0.0f);
      }
    }
  }
  const int32_t o = y * pieces + piece;
  edges[o].near = ((near[0] + near[1]) + (near[2] + near[3])) +
                  ((near[4] + near[5]) + (near[6] + near[7]));
  edges[o].far =
      ((far[0] + far[1]) + (far[2] + far[3])) + ((far[4] + far[5]) + (far[6] + far[7]));
}

FOCAL_ENTRY(measureEdges)
