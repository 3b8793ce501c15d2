// SPDX-License-Identifier: Apache-2.0
//
// Blurs tile after tile: the slices of a tile are assembled and at once viewed through the lens,
// while they are still in the cache. Buffers: as assembleSlices and lensViews. Range: lanes; a lane
// does every laneCount-th tile and owns tileCapacity floats of the pool.

#include "CPUKernels.h"

void focal_blurTiles(void *const *buffers, const void *parameters, uint32_t begin, uint32_t end) {
  const struct FocalViewsParameters *p = parameters;
  struct FocalViewsParameters one = *p;
  void *bound[FocalViewsBindings];
  for (int i = 0; i < FocalViewsBindings; i++) bound[i] = buffers[i];
  for (uint32_t lane = begin; lane < end; lane++) {
    bound[FocalViewsPool] =
        (float *)buffers[FocalViewsPool] + (size_t)lane * (size_t)p->tileCapacity;
    for (uint32_t tile = lane; tile < (uint32_t)p->tileCount; tile += (uint32_t)p->laneCount) {
      one.firstTile = (int32_t)tile;
      focal_assembleSlices(bound, &one, tile, tile + 1);
      focal_lensViews(bound, &one, tile, tile + 1);
    }
  }
}
