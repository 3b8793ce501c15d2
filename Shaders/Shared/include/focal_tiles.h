// SPDX-License-Identifier: Apache-2.0
//
// Tiles of the layers, cut into slices and viewed: the kernels in Shaders/Kernels/Views.
#pragma once

#include "focal_blur.h"
#include "focal_opening.h"

/// Destination pixels that the processor's lensViews works on at once.
#define FOCAL_VIEW_LANES 16
/// Side of the blocks whose slices are known, pixels of the layers.
#define FOCAL_BLOCK 8
/// Most slices in one tile: a set of them is two words.
#define FOCAL_MAXIMUM_SLOTS 64

/// Groups: radii in pixels of the layers.
/// Sliced surfaces: everything where `split` is 0 (one group, "near");
/// otherwise near ones fade in between nearLow and nearHigh, far ones count
/// below -farLow, and the focus between is drawn at picture resolution.
FOCAL_STRUCT(FocalGroups) {
  int32_t split;
  float nearLow, nearInverseWidth, farLow;
};

/// One tile of the blurred layers.
FOCAL_STRUCT(FocalTile) {
  int32_t x, y, width, height;  ///< destination, pixels of the layers
  int32_t reach;                ///< apron of the window, pixels
  int32_t stride, rows;         ///< of the window
  int32_t slots;                ///< slices present, nearest first
  int32_t nearSlots;            ///< how many of them are of the near group
  int32_t lensSet;              ///< which set of lens points
  int32_t slice[FOCAL_MAXIMUM_SLOTS];
};

/// Invocations of a graphics device's workgroup that lists a tile's slices.
#define FOCAL_CLASSIFY_GROUP 64
FOCAL_STRUCT(FocalClassifyTilesParameters) {
  int32_t width, height;  ///< of the layers
  int32_t tileWidth, tileHeight;
  int32_t tilesAcross, tilesDown;  ///< odd
  FocalSlicing slicing;
  int32_t firstSlice, lastSlice;  ///< range of slices of the frame
  float maximumRadius;            ///< of the frame, pixels of the layers
  FocalGroups groups;
  float lensSetRadius[4];  ///< largest radius of each set but the last
  int32_t lensSets;
  float apron;  ///< pixels around a tile that its views and the prefilter read, a pixel of radius
  /// Of a window: the row that the layers' buffer begins with, a multiple of FOCAL_BLOCK, and its
  /// rows, 0 for all; the first row of tiles.
  int32_t originY, rows, firstTileRow;
};
/// The set of slices of each block of the layers: 64 bits, two words, the lower first. Rows of
/// blocks; on a graphics device columns of the layers by rows of blocks.
#define FOCAL_KERNEL_classifyBlocks(_)              \
  _(parameters, FocalClassifyTilesParameters)       \
  _(reads, float, layers)                           \
  _(writes, uint32_t, blocks)                       \
  _(shares, uint32_t, columnLow, FOCAL_GROUP_SIZE)  \
  _(shares, uint32_t, columnHigh, FOCAL_GROUP_SIZE)
FOCAL_KERNEL(classifyBlocks)

/// Which slices and lens points each tile needs. Tiles; on a graphics device a workgroup a tile.
#define FOCAL_KERNEL_classifyTiles(_)                     \
  _(parameters, FocalClassifyTilesParameters)             \
  _(workgroup, FOCAL_CLASSIFY_GROUP, 1)                   \
  _(writes, FocalTile, tiles)                             \
  _(reads, uint32_t, blocks)                              \
  _(shares, float, spans, FOCAL_MAXIMUM_SLOTS)            \
  _(shares, uint32_t, reachingLow, FOCAL_CLASSIFY_GROUP)  \
  _(shares, uint32_t, reachingHigh, FOCAL_CLASSIFY_GROUP) \
  _(shares, uint32_t, present, 2)
FOCAL_KERNEL(classifyTiles)

/// Tile i of a batch uses the pool from (i - firstTile) * tileCapacity elements on.
FOCAL_STRUCT(FocalViewsParameters) {
  int32_t width, height;  ///< of the layers
  FocalSlicing slicing;
  FocalGroups groups;
  int32_t firstSlice;            ///< bit 0 of the blocks
  int32_t firstTile;             ///< of the batch
  int32_t tileCapacity;          ///< floats of the pool a tile owns
  int32_t tileCount, tilesAtOnce;  ///< blurTiles: tiles, and how many are in work at once
  int32_t lensCount[4], lensStart[4];
  float cell[4];        ///< side of a lens cell, share of the radius
  float extraVariance;  ///< 4 * variance of sampling, pixels squared
  /// A disc's variance over that of the opening along x and y, see focal_movedRadius.
  float narrowX, narrowY;
  int32_t isWeighted;   ///< 0: all lens points weigh the same, everywhere
  int32_t isColoured;   ///< whether the channels' weights differ
  int32_t weightStart;  ///< of the lens points' weights in `lens`, floats
  FocalBarrel barrel;
  /// Of a window: the row that the buffers of layers and views begin with, and their rows, 0 for
  /// all.
  int32_t originY, rows;
  // Of graphics devices only.
  int32_t cellsAcross, cellsDown;  ///< cells of the largest window
  int32_t twinCapacity, twinSlots;  ///< of the pool's twin: elements a tile owns, slots it has room for
  /// The boxes that one pass of prefilterSlices goes through, and whether it reads the pool and writes the twin.
  /// Both at once read the twin, and assembleSlices puts there what they read.
  int32_t boxes, isFromPool;
};
/// Sides of a cell of a tile's window: the workgroup that assembles it. A cell knows which slots
/// hold something, two words, the lower first.
#define FOCAL_CELL_WIDTH 16
#define FOCAL_CELL_HEIGHT 8
#define FOCAL_CELL_PIXELS (FOCAL_CELL_WIDTH * FOCAL_CELL_HEIGHT)
/// How many offsets of slots, as lens points see them, a workgroup of lensViews holds at a time.
#define FOCAL_VIEW_OFFSETS 1024
/// The offset of a slot of which a lens point shows the workgroup nothing.
#define FOCAL_NO_SLOT 0x7FFFFFFF
/// A tile's slices, viewed from every lens point and averaged. Items are the tiles that are in work
/// at once; each goes through its share of the tiles.
#define FOCAL_KERNEL_blurTiles(_)     \
  _(parameters, FocalViewsParameters) \
  _(reads, float, layers)             \
  _(reads, FocalTile, tiles)          \
  _(workspace, float, pool)           \
  _(reads, float, lens)               \
  _(writes, float, views)             \
  _(reads, uint32_t, blocks)
FOCAL_FUSED_KERNEL(blurTiles)

/// First part of blurTiles: slices cut from the layers. Pixels of the largest window by tiles.
#define FOCAL_KERNEL_assembleSlices(_)              \
  _(parameters, FocalViewsParameters)               \
  _(workgroup, FOCAL_CELL_WIDTH, FOCAL_CELL_HEIGHT) \
  _(reads, float, layers)                           \
  _(reads, FocalTile, tiles)                        \
  _(writes, float4, pool)                           \
  _(writes, float4, twin)                           \
  _(writes, uint32_t, cells)                        \
  _(reads, uint32_t, blocks)                        \
  _(shares, uint32_t, occupied, 2)
FOCAL_PART_KERNEL(assembleSlices)

/// Elements of a workgroup's memory for what it spreads: a cell with its surroundings, as they are and filtered along
/// columns. All that a device need have, but for a little; with both boxes at once 3 taps fit, with one 7.
#define FOCAL_SPREAD_ELEMENTS 960
/// The slots that a workgroup filters and those in which it clears its cell, a bit each.
#define FOCAL_SPREAD_WORDS 4
/// Second part: slices spread over their lens cell. Pixels of the largest window by tiles.
#define FOCAL_KERNEL_prefilterSlices(_)             \
  _(parameters, FocalViewsParameters)               \
  _(workgroup, FOCAL_CELL_WIDTH, FOCAL_CELL_HEIGHT) \
  _(reads, FocalTile, tiles)                        \
  _(reads, float4, source)                          \
  _(writes, float4, result)                         \
  _(reads, uint32_t, cells)                         \
  _(shares, float4, spread, FOCAL_SPREAD_ELEMENTS)  \
  _(shares, uint32_t, spreadSlots, FOCAL_SPREAD_WORDS)
FOCAL_PART_KERNEL(prefilterSlices)

/// Third part: the slices seen from every lens point. Pixels of the largest tile by tiles.
#define FOCAL_KERNEL_lensViews(_)                     \
  _(parameters, FocalViewsParameters)                 \
  _(workgroup, FOCAL_CELL_WIDTH, FOCAL_CELL_HEIGHT)   \
  _(reads, FocalTile, tiles)                          \
  _(reads, float4, pool)                              \
  _(reads, uint32_t, cells)                           \
  _(reads, float, lens)                               \
  _(writes, float, views)                             \
  _(shares, float, slotMoved, FOCAL_MAXIMUM_SLOTS)    \
  _(shares, int32_t, slotIndex, FOCAL_MAXIMUM_SLOTS)  \
  _(shares, int32_t, slotHalo, FOCAL_MAXIMUM_SLOTS)   \
  _(shares, int32_t, isPresent, FOCAL_MAXIMUM_SLOTS)  \
  _(shares, int32_t, slotCounts, 2)                   \
  _(shares, int32_t, slotOffsets, FOCAL_VIEW_OFFSETS)
FOCAL_PART_KERNEL(lensViews)

/// The same where lens points weigh differently.
#define FOCAL_KERNEL_weightedViews(_)                 \
  _(parameters, FocalViewsParameters)                 \
  _(workgroup, FOCAL_CELL_WIDTH, FOCAL_CELL_HEIGHT)   \
  _(reads, FocalTile, tiles)                          \
  _(reads, float4, pool)                              \
  _(reads, uint32_t, cells)                           \
  _(reads, float, lens)                               \
  _(writes, float, views)                             \
  _(shares, float, slotMoved, FOCAL_MAXIMUM_SLOTS)    \
  _(shares, float, slotMovedDown, FOCAL_MAXIMUM_SLOTS) \
  _(shares, int32_t, slotIndex, FOCAL_MAXIMUM_SLOTS)  \
  _(shares, int32_t, slotHalo, FOCAL_MAXIMUM_SLOTS)   \
  _(shares, int32_t, isPresent, FOCAL_MAXIMUM_SLOTS)  \
  _(shares, int32_t, slotCounts, 2)                   \
  _(shares, int32_t, slotOffsets, FOCAL_VIEW_OFFSETS)
FOCAL_PART_KERNEL(weightedViews)
#if defined(FOCAL_HOST)
// Where a tile keeps its slices. Floats, in this order:
//   slots * 4 planes (premultiplied R, G, B, alpha) of rows * stride,
//   1 plane for the prefilter, then for the states of the slots' cells (tileCellStates),
//   slots * rows pairs of int32: first and one past the last covered column,
//   lens points * slots pairs of int32: the shift of a slice, columns and rows.
// A tile that would not fit does not occur: the driver sizes the pool by
// focal_tilePoolFloats of the frame's largest tile.

FOCAL_FUNCTION size_t focal_tilePlane(const FocalTile *t) {
  return (size_t)t->stride * (size_t)t->rows;
}
FOCAL_FUNCTION size_t focal_tileExtents(const FocalTile *t) {
  return focal_tilePlane(t) * (size_t)(4 * t->slots + 1);
}
FOCAL_FUNCTION size_t focal_tileShifts(const FocalTile *t) {
  return focal_tileExtents(t) + 2 * (size_t)t->slots * (size_t)t->rows;
}
FOCAL_FUNCTION size_t focal_tilePoolFloats(const FocalTile *t, int32_t lensCount) {
  return focal_tileShifts(t) + 2 * (size_t)t->slots * (size_t)lensCount;
}
#endif
