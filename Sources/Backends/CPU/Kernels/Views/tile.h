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

/// States of a cell of FOCAL_CELL_WIDTH x FOCAL_CELL_HEIGHT pixels of a slot.
enum CellState {
  CellHolds = 1,     ///< something is in it
  CellIsOpaque = 2,  ///< nothing shines through any of it
};

/// Alpha from which on nothing shines through: less than FOCAL_NO_LIGHT is left, however much is open, and however it
/// is rounded.
#define FOCAL_OPAQUE (1.0f - 0.9f * FOCAL_NO_LIGHT)

/// Cells along an axis of so many pixels.
FOCAL_FUNCTION int32_t tileCells(int32_t pixels, int32_t side) {
  return (pixels + side - 1) / side;
}

/// The states of the cells of a tile, slot by slot, row by row. They lie where slices are spread, in the plane behind
/// all others, since they are found when all are spread. A plane is at least 22 x 7 pixels, so it has room for
/// FOCAL_MAXIMUM_SLOTS slots.
FOCAL_FUNCTION uint8_t *tileCellStates(const float *pool, int32_t slots, size_t plane) {
  return (uint8_t *)(pool + 4 * (size_t)slots * plane);
}

/// Cuts the layers around the tile into slices, spreads them over their lens cell, and finds by how
/// much each lens point shifts them.
void focal_assembleTile(const struct TileWork *work, const struct FocalViewsParameters *p);

/// The mean over the lens points of the tile's slices, composed from near to far, into `views`.
void focal_viewTile(const struct TileWork *work, const struct FocalViewsParameters *p,
                    float *views);

/// The same where lens points weigh differently, see weightedViews.
void focal_viewWeighted(const struct TileWork *work, const struct FocalViewsParameters *p,
                        float *views);
