// SPDX-License-Identifier: Apache-2.0
//
// Blurs tile after tile: the slices of a tile are assembled and at once viewed through the lens,
// while they are still in the cache. An item does every tilesAtOnce-th tile and owns tileCapacity
// floats of the pool.

#include "tile.h"

FOCAL_ENTRY_POINT(blurTiles) {
  FOCAL_BUFFERS(blurTiles)
  for (uint32_t item = begin; item < end; item++) {
    struct TileWork work = {tiles, layers, lens, (const uint64_t *)blocks,
                            pool + (size_t)item * (size_t)p->tileCapacity};
    for (uint32_t tile = item; tile < (uint32_t)p->tileCount; tile += (uint32_t)p->tilesAtOnce) {
      work.tile = tiles + tile;
      focal_assembleTile(&work, p);
      if (p->isWeighted) {
        focal_viewWeighted(&work, p, views);
      } else {
        focal_viewTile(&work, p, views);
      }
    }
  }
}
