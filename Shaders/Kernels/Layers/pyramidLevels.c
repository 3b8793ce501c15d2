// SPDX-License-Identifier: Apache-2.0
//
// Coarser levels of the background pyramid, several at once: the farther surface of each 2 x 2 cell. Grid:
// workgroups, one for FOCAL_PYRAMID_BLOCK x FOCAL_PYRAMID_BLOCK cells of the finest level.
//
// No cell of a block's levels looks beyond the block, so that a workgroup needs no other one's. The first two levels
// are made together, a cell of the second and its four by one lane; the others from the workgroup's memory.

#define FOCAL_BODY pyramidLevels
#include "kernel.h"
#include "farther_cell.h"

FOCAL_FUNCTION float4 surfaceAt(FOCAL_TAKES int32_t q, int32_t count) {
  return FOCAL_FLOAT4(levels[q], levels[count + q], levels[2 * count + q], levels[3 * count + q]);
}

FOCAL_FUNCTION void storeSurface(FOCAL_TAKES float4 surface, int32_t q, int32_t count) {
  levels[q] = surface.x;
  levels[count + q] = surface.y;
  levels[2 * count + q] = surface.z;
  levels[3 * count + q] = surface.w;
}

FOCAL_FUNCTION float edgeAt(FOCAL_TAKES int32_t level) {
  return focal_max(p.edge, p.slant * FOCAL_FLOAT(1 << level));
}

/// A cell of the first coarser level, stored there.
FOCAL_FUNCTION float4 firstCell(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t width = (p.width + 1) / 2, height = (p.height + 1) / 2;
  const int32_t count = p.width * p.height;
  const int32_t top = p.offset + 2 * y * p.width;
  const int32_t bottom = p.offset + focal_min_int(2 * y + 1, p.height - 1) * p.width;
  const int32_t left = 2 * x, right = focal_min_int(2 * x + 1, p.width - 1);
  const float4 surface = fartherOf(
      surfaceAt(FOCAL_PASSES top + left, count), surfaceAt(FOCAL_PASSES top + right, count),
      surfaceAt(FOCAL_PASSES bottom + left, count), surfaceAt(FOCAL_PASSES bottom + right, count),
      edgeAt(FOCAL_PASSES 0));
  storeSurface(FOCAL_PASSES surface, p.offset + FocalPyramidPlanes * count + y * width + x,
               width * height);
  return surface;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t groupX, int32_t groupY, int32_t z) {
  // The level that the next is made of.
  int32_t offset = p.offset + FocalPyramidPlanes * p.width * p.height;
  int32_t fineWidth = (p.width + 1) / 2, fineHeight = (p.height + 1) / 2;
  int32_t side = FOCAL_PYRAMID_BLOCK / 4, from = 0, to = 0;
  for (int32_t level = 1; level == 1 || level < p.levels; level++) {
    const int32_t width = (fineWidth + 1) / 2, height = (fineHeight + 1) / 2;
    offset += FocalPyramidPlanes * fineWidth * fineHeight;
    for (int32_t i = FOCAL_LANE(); i < side * side; i += FOCAL_LANES) {
      const int32_t localX = i % side, localY = i / side;
      const int32_t x = groupX * side + localX, y = groupY * side + localY;
      if (x >= width || y >= height) continue;
      const int32_t right = focal_min_int(2 * x + 1, fineWidth - 1) - 2 * x;
      const int32_t below = focal_min_int(2 * y + 1, fineHeight - 1) - 2 * y;
      float4 a, b, c, d;
      if (level == 1) {
        a = firstCell(FOCAL_PASSES 2 * x, 2 * y);
        b = firstCell(FOCAL_PASSES 2 * x + right, 2 * y);
        c = firstCell(FOCAL_PASSES 2 * x, 2 * y + below);
        d = firstCell(FOCAL_PASSES 2 * x + right, 2 * y + below);
      } else {
        const int32_t top = from + 4 * side * localY + 2 * localX;
        const int32_t bottom = top + 2 * side * below;
        a = cells[top];
        b = cells[top + right];
        c = cells[bottom];
        d = cells[bottom + right];
      }
      const float4 surface = fartherOf(a, b, c, d, edgeAt(FOCAL_PASSES level));
      cells[to + i] = surface;
      if (level < p.levels) {
        storeSurface(FOCAL_PASSES surface, offset + y * width + x, width * height);
      }
    }
    FOCAL_BARRIER();
    from = to;
    to = FOCAL_PYRAMID_CELLS - from;
    side /= 2;
    fineWidth = width;
    fineHeight = height;
  }
}

FOCAL_GROUP_ENTRY(pyramidLevels)
