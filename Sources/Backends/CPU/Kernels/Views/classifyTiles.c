// SPDX-License-Identifier: Apache-2.0
//
// Which slices can reach which tile: the sets of the blocks around it, each without the slices whose
// circle is too small to arrive.
#include "ShaderTypes.h"

/// Slices whose circle spans at least `distance` pixels.
FOCAL_FUNCTION uint64_t reachingSlices(const struct FocalClassifyTilesParameters *p,
                                       int32_t distance) {
  uint64_t bits = 0;
  for (int32_t k = p->firstSlice; k <= p->lastSlice; k++) {
    if (p->groups.split && k == 0) continue;
    if (focal_abs(focal_radiusOf(p->slicing, (float)k)) + 2.0f >= (float)distance) {
      bits |= (uint64_t)1 << (k - p->firstSlice);
    }
  }
  return bits;
}

/// Tiles: the list of slices, nearest first, the window and the lens set.
FOCAL_CLONES FOCAL_ENTRY_POINT(classifyTiles) {
  FOCAL_BUFFERS(classifyTiles)
  const uint64_t *known = (const uint64_t *)blocks;
  const int32_t across = (p->width + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  // Rows of blocks from the picture's top: those of the window.
  const int32_t above = p->originY / FOCAL_BLOCK;
  const int32_t down = above + (focal_rows(p->rows, p->height) + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  const int32_t apron = (int32_t)(p->maximumRadius + 2.0f) / FOCAL_BLOCK + 1;
  uint64_t reaching[64];
  for (int32_t d = 0; d <= apron && d < 64; d++)
    reaching[d] = reachingSlices(p, d > 0 ? (d - 1) * FOCAL_BLOCK + 1 : 0);
  for (uint32_t i = begin; i < end; i++) {
    struct FocalTile *t = tiles + i;
    const int32_t tx = (int32_t)i % p->tilesAcross;
    const int32_t ty = (int32_t)i / p->tilesAcross + p->firstTileRow;
    t->x = focal_tileBoundary(tx, p->tilesAcross, p->tileWidth, p->width);
    t->y = focal_tileBoundary(ty, p->tilesDown, p->tileHeight, p->height);
    t->width = focal_tileBoundary(tx + 1, p->tilesAcross, p->tileWidth, p->width) - t->x;
    t->height = focal_tileBoundary(ty + 1, p->tilesDown, p->tileHeight, p->height) - t->y;
    const int32_t x0 = t->x / FOCAL_BLOCK, x1 = (t->x + t->width - 1) / FOCAL_BLOCK;
    const int32_t y0 = t->y / FOCAL_BLOCK, y1 = (t->y + t->height - 1) / FOCAL_BLOCK;
    uint64_t bits = 0;
    for (int32_t y = y0 - apron; y <= y1 + apron; y++) {
      if (y < above || y >= down) continue;
      const int32_t dy = y < y0 ? y0 - y : (y > y1 ? y - y1 : 0);
      for (int32_t x = x0 - apron; x <= x1 + apron; x++) {
        if (x < 0 || x >= across) continue;
        const int32_t dx = x < x0 ? x0 - x : (x > x1 ? x - x1 : 0);
        const int32_t d = dx > dy ? dx : dy;
        bits |= known[(y - above) * across + x] & reaching[d < 63 ? d : 63];
      }
    }
    t->slots = 0;
    t->nearSlots = 0;
    float largest = 0.0f;
    for (int32_t k = p->lastSlice; k >= p->firstSlice; k--) {
      if (!(bits >> (k - p->firstSlice) & 1)) continue;
      t->slice[t->slots++] = k;
      if (!p->groups.split || k > 0) t->nearSlots = t->slots;
      largest = focal_max(largest, focal_abs(focal_radiusOf(p->slicing, (float)k)));
    }
    t->lensSet = 0;
    while (t->lensSet < p->lensSets - 1 && largest > p->lensSetRadius[t->lensSet]) t->lensSet++;
    // Room for the circle, the prefilter and the rounding.
    t->reach = (int32_t)(largest * p->apron) + 3;
    t->stride =
        (t->width + FOCAL_VIEW_LANES - 1) / FOCAL_VIEW_LANES * FOCAL_VIEW_LANES + 2 * t->reach;
    t->rows = t->height + 2 * t->reach;
  }
}
