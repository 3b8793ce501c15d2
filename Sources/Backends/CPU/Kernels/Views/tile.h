// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ShaderTypes.h"

// The steps of blurTiles on a tile, one after the other while it is in the cache.

/// A tile, what it is made from, and the part of the pool that is its own.
struct TileWork {
  const struct FocalTile *tile;
  const float *layers, *lens;
  const uint64_t *blocks;
  float *pool;
};

/// Cuts the layers around the tile into slices, spreads them over their lens cell, and finds by how
/// much each lens point shifts them.
void focal_assembleTile(const struct TileWork *work, const struct FocalViewsParameters *p);

/// The mean over the lens points of the tile's slices, composed from near to far, into `views`.
void focal_viewTile(const struct TileWork *work, const struct FocalViewsParameters *p,
                    float *views);

/// The same where lens points weigh differently, see weightedViews.
void focal_viewWeighted(const struct TileWork *work, const struct FocalViewsParameters *p,
                        float *views);
