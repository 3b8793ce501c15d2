// SPDX-License-Identifier: Apache-2.0
//
// The list of slices of each tile, nearest first, its window and its lens set. Grid: a workgroup of
// FOCAL_CLASSIFY_GROUP invocations a tile, tiles across by tiles down.
//
// The group tabulates which slices span which distance, spreads the blocks around the tile over its
// invocations, joins their sets in its memory (bits, in any order), and one invocation writes the
// record.

#include "focal_views.h"

/// How far outside `first`...`last` index `i` lies.
FOCAL_FUNCTION int32_t distanceTo(int32_t i, int32_t first, int32_t last) {
  return i < first ? first - i : (i > last ? i - last : 0);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t lane = FOCAL_LOCAL_X();
  const int32_t tile = FOCAL_GROUP_Y() * p.tilesAcross + FOCAL_GROUP_X();
  const int32_t slices = p.lastSlice - p.firstSlice + 1;
  if (lane < slices) {
    const int32_t k = p.firstSlice + lane;
    spans[lane] = focal_abs(focal_radiusOf(p.slicing, FOCAL_FLOAT(k))) + 2.0f;
  }
  if (lane < 2) present[lane] = 0u;
  FOCAL_BARRIER();
  // Slices whose circle spans the distance of `lane` blocks.
  const float distance = lane > 0 ? FOCAL_FLOAT((lane - 1) * FOCAL_BLOCK + 1) : 0.0f;
  uint32_t low = 0u, high = 0u;
  for (int32_t i = 0; i < slices; i++) {
    const bool isFocus = p.groups.split != 0 && p.firstSlice + i == 0;
    if (isFocus || spans[i] < distance) continue;
    if (i < 32) {
      low |= 1u << FOCAL_UINT(i);
    } else {
      high |= 1u << FOCAL_UINT(i - 32);
    }
  }
  reachingLow[lane] = low;
  reachingHigh[lane] = high;
  FOCAL_BARRIER();

  const int32_t across = (p.width + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  // Rows of blocks from the picture's top: those of the window.
  const int32_t above = p.originY / FOCAL_BLOCK;
  const int32_t down = above + (focal_rows(p.rows, p.height) + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  const int32_t apron = FOCAL_INT(p.maximumRadius + 2.0f) / FOCAL_BLOCK + 1;
  const int32_t tx = tile % p.tilesAcross, ty = tile / p.tilesAcross + p.firstTileRow;
  const int32_t left = focal_tileBoundary(tx, p.tilesAcross, p.tileWidth, p.width);
  const int32_t top = focal_tileBoundary(ty, p.tilesDown, p.tileHeight, p.height);
  const int32_t width = focal_tileBoundary(tx + 1, p.tilesAcross, p.tileWidth, p.width) - left;
  const int32_t height = focal_tileBoundary(ty + 1, p.tilesDown, p.tileHeight, p.height) - top;
  const int32_t x0 = left / FOCAL_BLOCK, x1 = (left + width - 1) / FOCAL_BLOCK;
  const int32_t y0 = top / FOCAL_BLOCK, y1 = (top + height - 1) / FOCAL_BLOCK;
  const int32_t firstColumn = focal_max_int(x0 - apron, 0);
  const int32_t firstRow = focal_max_int(y0 - apron, above);
  const int32_t columns = focal_min_int(x1 + apron, across - 1) - firstColumn + 1;
  const int32_t rows = focal_min_int(y1 + apron, down - 1) - firstRow + 1;
  low = 0u;
  high = 0u;
  for (int32_t i = lane; i < columns * rows; i += FOCAL_CLASSIFY_GROUP) {
    const int32_t bx = firstColumn + i % columns, by = firstRow + i / columns;
    const int32_t d = focal_max_int(distanceTo(bx, x0, x1), distanceTo(by, y0, y1));
    const int32_t block = 2 * ((by - above) * across + bx);
    low |= blocks[block] & reachingLow[d];
    high |= blocks[block + 1] & reachingHigh[d];
  }
  if (low != 0u) FOCAL_ATOMIC_OR(present[0], low);
  if (high != 0u) FOCAL_ATOMIC_OR(present[1], high);
  FOCAL_BARRIER();
  if (lane != 0) return;

  int32_t slots = 0, nearSlots = 0;
  float largest = 0.0f;
  for (int32_t i = slices - 1; i >= 0; i--) {
    const uint32_t word = i < 32 ? present[0] : present[1];
    if (((word >> FOCAL_UINT(i & 31)) & 1u) == 0u) continue;
    const int32_t k = p.firstSlice + i;
    tiles[tile].slice[slots] = k;
    slots += 1;
    if (p.groups.split == 0 || k > 0) nearSlots = slots;
    largest = focal_max(largest, focal_abs(focal_radiusOf(p.slicing, FOCAL_FLOAT(k))));
  }
  int32_t lensSet = 0;
  while (lensSet < p.lensSets - 1 && largest > p.lensSetRadius[lensSet]) lensSet++;
  // Room for the circle, the prefilter and the rounding.
  const int32_t reach = FOCAL_INT(largest * p.apron) + 3;
  tiles[tile].x = left;
  tiles[tile].y = top;
  tiles[tile].width = width;
  tiles[tile].height = height;
  tiles[tile].reach = reach;
  tiles[tile].stride =
      (width + FOCAL_VIEW_LANES - 1) / FOCAL_VIEW_LANES * FOCAL_VIEW_LANES + 2 * reach;
  tiles[tile].rows = height + 2 * reach;
  tiles[tile].slots = slots;
  tiles[tile].nearSlots = nearSlots;
  tiles[tile].lensSet = lensSet;
}

FOCAL_ENTRY(classifyTiles)
