// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the rendering kernels share: buffers, parameters, conventions.
//
// Pixel (x, y) covers [x, x+1) x [y, y+1), origin top-left. The circle of
// confusion is a signed RADIUS in pixels of the picture it belongs to,
// positive = nearer than the focus. A point at y seen through the lens point
// u (unit disc) falls on y + u * radius. Colours are linear light.
//
// "Layers" are two surfaces a pixel: a front (premultiplied colour, alpha,
// radius) and the back that it hides (colour, radius).

#include "focal_math.h"

/// Radius that says "there is no surface".
#define FOCAL_NO_SURFACE (-1.0e9f)
/// Alpha that says "one plain surface, no edge near": the other planes of
/// the matte are not written there.
#define FOCAL_PLAIN 2.0f
/// Destination pixels that lensViews works on at once.
#define FOCAL_VIEW_LANES 16
/// Side of the blocks whose slices are known, pixels of the layers.
#define FOCAL_BLOCK 8
/// Most slices in one tile.
#define FOCAL_MAXIMUM_SLOTS 64

/// Two surfaces whose radii are alike to this share of the smaller are blurred alike: one.
#define FOCAL_ALIKE 0.08f

/// The step of radius from which `low` and `high` are two surfaces, `edge` where circles are small.
FOCAL_FUNCTION float focal_edgeStep(float edge, float low, float high) {
  // The smaller size of two of one sign, nothing otherwise.
  const float size = focal_max(0.0f, focal_max(low, -high));
  return focal_max(edge, FOCAL_ALIKE * size);
}

/// Planes of layers, in this order, each width * height floats.
FOCAL_CONSTANT(FocalLayerFrontR, 0)
FOCAL_CONSTANT(FocalLayerFrontG, 1)
FOCAL_CONSTANT(FocalLayerFrontB, 2)
FOCAL_CONSTANT(FocalLayerAlpha, 3)
FOCAL_CONSTANT(FocalLayerFrontRadius, 4)
FOCAL_CONSTANT(FocalLayerBackR, 5)
FOCAL_CONSTANT(FocalLayerBackG, 6)
FOCAL_CONSTANT(FocalLayerBackB, 7)
FOCAL_CONSTANT(FocalLayerBackRadius, 8)
FOCAL_CONSTANT(FocalLayerReach, 9)  // lowest slice of the connected surface, see connectSlices
FOCAL_CONSTANT(FocalLayerPlanes, 10)

/// A matte at picture resolution: first a plane of alpha, width * height
/// floats (coverage of the front, or FOCAL_PLAIN), then a record for every
/// pixel, written only at edges: together, so that an edge pixel costs one
/// line of the cache.
FOCAL_CONSTANT(FocalMatteFrontRadius, 0)
FOCAL_CONSTANT(FocalMatteBackR, 1)
FOCAL_CONSTANT(FocalMatteBackG, 2)
FOCAL_CONSTANT(FocalMatteBackB, 3)
FOCAL_CONSTANT(FocalMatteBackRadius, 4)
FOCAL_CONSTANT(FocalMatteRecordFloats, 5)

/// Planes of the blurred groups at layer resolution.
FOCAL_CONSTANT(FocalViewNearR, 0)
FOCAL_CONSTANT(FocalViewNearG, 1)
FOCAL_CONSTANT(FocalViewNearB, 2)
FOCAL_CONSTANT(FocalViewNearAlpha, 3)
FOCAL_CONSTANT(FocalViewFarR, 4)
FOCAL_CONSTANT(FocalViewFarG, 5)
FOCAL_CONSTANT(FocalViewFarB, 6)
FOCAL_CONSTANT(FocalViewFarWeight, 7)
FOCAL_CONSTANT(FocalViewPlanes, 8)

FOCAL_STRUCT(FocalCircleOfConfusionParameters) {
  int32_t width, height;
  float focusDisparity;
  float radiusScale;    ///< pixels of radius per unit of disparity
  float maximumRadius;  ///< pixels; larger radii are clamped
  int32_t originY;      ///< row of the disparities that belongs to the first row of the radii
};
/// Disparities to signed radii in pixels. Pixels.
#define FOCAL_KERNEL_circleOfConfusion(_)         \
  _(parameters, FocalCircleOfConfusionParameters) \
  _(reads, float, disparity)                      \
  _(writes, float, radius)
FOCAL_KERNEL(circleOfConfusion)

/// Which radii the focus plate draws, pixels of the picture.
FOCAL_STRUCT(FocalFocusRange) {
  float smallest;   ///< radii up to this are sharp
  float farLimit;   ///< negative: farther surfaces are not of the plate
  float nearLimit;  ///< nearer surfaces are not of the plate
};

/// What a block of FOCAL_FLAG_BLOCK pixels of a row holds.
FOCAL_CONSTANT(FocalFlagEdge, 1)     // a pixel that is not plain
FOCAL_CONSTANT(FocalFlagFocused, 2)  // a radius that the plate draws, or a nearer one
FOCAL_CONSTANT(FocalFlagSoft, 4)     // a radius that is not sharp
FOCAL_CONSTANT(FocalFlagCircle, 8)   // a small circle of the plate
#define FOCAL_FLAG_BLOCK 16

FOCAL_STRUCT(FocalMatteParameters) {
  int32_t width, height;
  FocalFocusRange focus;
  float edge;      ///< a step of radius above this is an edge, pixels
  float trust;     ///< how much the scatter of the colours weakens the estimate
  float impure;    ///< weight of pixels that touch the other side
  int32_t window;  ///< half width of the colour window, pixels
};
#define FOCAL_LARGEST_MATTE_WINDOW 7
/// Alphas up to the sliver, and as far below one, count as all or nothing: a sliver costs a slice a
/// pixel and shows nothing. The rest is stretched over 0...1; the scale is 1 / (1 - 2 * sliver),
/// written out, since a compiler of shaders may fold a division in double precision.
#define FOCAL_SLIVER 0.02f
#define FOCAL_PER_NO_SLIVER 1.04166675f
/// Workgroups of a graphics device that join the flags of their blocks: whole blocks wide.
#define FOCAL_GROUP_WIDTH 32
#define FOCAL_GROUP_HEIGHT 4
#define FOCAL_GROUP_SIZE (FOCAL_GROUP_WIDTH * FOCAL_GROUP_HEIGHT)
/// At edges, how much of each pixel belongs to the nearer surface, and what lies behind; and a byte of
/// flags for each FOCAL_FLAG_BLOCK pixels of a row, rows of ceil(width / block). Pixels.
#define FOCAL_KERNEL_matte(_)                      \
  _(parameters, FocalMatteParameters)              \
  _(reads, float4, source)                         \
  _(reads, float, radius)                          \
  _(writes, float, matte)                          \
  _(writes, uint8_t, flags)                        \
  _(shares, int32_t, pixelFlags, FOCAL_GROUP_SIZE)
FOCAL_KERNEL(matte)

FOCAL_STRUCT(FocalGatherLayersParameters) {
  int32_t width, height;  ///< of the picture
  int32_t layerWidth, layerHeight;
  int32_t scale;  ///< 1, 2 or 4
  float edge;     ///< pixels of the picture
  /// Of a window, `height` rows of the picture: the row of the layers' buffer that its first row
  /// falls into, and which of its rows of layers are made: the first, and how many, 0 for all.
  int32_t layerOriginY, firstRow, rows;
};
/// Two surfaces a pixel at the layers' resolution. Pixels of the layers.
#define FOCAL_KERNEL_gatherLayers(_)         \
  _(parameters, FocalGatherLayersParameters) \
  _(reads, float4, source)                   \
  _(reads, float, radius)                    \
  _(reads, float, matte)                     \
  _(writes, float, layers)                   \
  _(reads, uint8_t, flags)
FOCAL_KERNEL(gatherLayers)

/// Background pyramid: eight planes a level: farthest colour and radius,
/// then hidden colour and radius.
FOCAL_CONSTANT(FocalPyramidPlanes, 8)
FOCAL_STRUCT(FocalPyramidParameters) {
  int32_t fineWidth, fineHeight, coarseWidth, coarseHeight;
  float edge;
  int32_t last;  ///< pyramidUp: 1 where there is no coarser level
  /// Where levels hold windows: the fine level's row is twice the coarse one's plus `rowShift`.
  int32_t rowShift;
  int32_t firstRow, rows;  ///< pyramidDown: rows of the coarse level that are made, 0 for all
  int32_t finest;          ///< pyramidUp: 1 where the layers are bound, for graphics devices
};
/// The finest level of what lies behind: the deepest surface known. Pixels of the layers.
#define FOCAL_KERNEL_pyramidBase(_)     \
  _(parameters, FocalPyramidParameters) \
  _(reads, float, layers)               \
  _(writes, float, fine)
FOCAL_KERNEL(pyramidBase)

/// A coarser level: the farther surface of 2x2 cells. Pixels of the coarser level.
#define FOCAL_KERNEL_pyramidDown(_)     \
  _(parameters, FocalPyramidParameters) \
  _(reads, float, fine)                 \
  _(writes, float, coarse)
FOCAL_KERNEL(pyramidDown)

/// What each cell of a level hides, from the coarser level. Pixels of the finer level.
#define FOCAL_KERNEL_pyramidUp(_)       \
  _(parameters, FocalPyramidParameters) \
  _(reads, float, layers)               \
  _(writes, float, fine)                \
  _(reads, float, coarse)
FOCAL_KERNEL(pyramidUp)

/// What was found, put behind the fronts that had no back. Pixels of the layers.
#define FOCAL_KERNEL_pyramidStore(_)    \
  _(parameters, FocalPyramidParameters) \
  _(reads, float, fine)                 \
  _(writes, float, layers)
FOCAL_KERNEL(pyramidStore)

/// Radii to slice coordinates: `density` slices a pixel up to `knee` pixels,
/// half as many beyond. A wrong radius shows where circles are small.
FOCAL_STRUCT(FocalSlicing) { float density, knee; };

FOCAL_STRUCT(FocalConnectSlicesParameters) {
  int32_t width, height;
  float edge;
  FocalSlicing slicing;
};
/// How far each surface goes on below its own slice. Pixels of the layers; in place.
#define FOCAL_KERNEL_connectSlices(_)         \
  _(parameters, FocalConnectSlicesParameters) \
  _(writes, float, layers)
FOCAL_KERNEL(connectSlices)

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
  /// rows; the first row of tiles, and how many; 0 for all.
  int32_t originY, rows, firstTileRow, tileRows;
};
/// The set of slices of each block of the layers: 64 bits, two words, the lower first. Rows of blocks;
/// on a graphics device columns of the layers by rows of blocks.
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
  int32_t tileCount, laneCount;  ///< blurTiles: tiles, and how many are in work at once
  int32_t lensCount[4], lensStart[4];
  float cell[4];        ///< side of a lens cell, share of the radius
  float extraVariance;  ///< 4 * variance of sampling, pixels squared
  /// Of a window: the row that the buffers of layers and views begin with, and their rows, 0 for
  /// all.
  int32_t originY, rows;
  // Of graphics devices only.
  int32_t cellsAcross, cellsDown;  ///< cells of the largest window
  int32_t axis;                    ///< prefilterSlices: 0 along columns, 1 along rows
};
/// Sides of a cell of a tile's window: the workgroup that assembles it. A cell knows which slots
/// hold something, two words, the lower first.
#define FOCAL_CELL_WIDTH 16
#define FOCAL_CELL_HEIGHT 8
#define FOCAL_CELL_PIXELS (FOCAL_CELL_WIDTH * FOCAL_CELL_HEIGHT)
/// How many offsets of slots, as lens points see them, a workgroup of lensViews holds at a time.
#define FOCAL_VIEW_OFFSETS 1024
/// A tile's slices, viewed from every lens point and averaged. Lanes, each of which takes one tile after
/// the other.
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
  _(writes, uint32_t, cells)                        \
  _(reads, uint32_t, blocks)                        \
  _(shares, uint32_t, occupied, 2)
FOCAL_PART_KERNEL(assembleSlices)

/// Second part: slices spread over their lens cell, along one axis. Pixels of the largest window by
/// tiles.
#define FOCAL_KERNEL_prefilterSlices(_)             \
  _(parameters, FocalViewsParameters)               \
  _(workgroup, FOCAL_CELL_WIDTH, FOCAL_CELL_HEIGHT) \
  _(reads, FocalTile, tiles)                        \
  _(reads, float4, source)                          \
  _(writes, float4, result)                         \
  _(reads, uint32_t, cells)
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
  _(shares, int32_t, slotPlane, FOCAL_MAXIMUM_SLOTS)  \
  _(shares, int32_t, isPresent, FOCAL_MAXIMUM_SLOTS)  \
  _(shares, int32_t, slotCounts, 2)                   \
  _(shares, int32_t, slotOffsets, FOCAL_VIEW_OFFSETS)
FOCAL_PART_KERNEL(lensViews)

FOCAL_STRUCT(FocalCompositeParameters) {
  int32_t width, height, layerWidth, layerHeight;
  int32_t scale;
  int32_t tilesAcross;
  int32_t split;                      ///< 0: the views are the whole picture
  float focusLow, focusInverseWidth;  ///< far side fades out from here, pixels
  FocalFocusRange focus;
  float tableScale;  ///< entries of the circle table per pixel of radius
  int32_t tableCount;
  /// Of a window, `height` rows of the picture: the row of the layers' buffer that its first row
  /// falls into, the first tile that is made, and how many, 0 for all.
  int32_t layerOriginY, firstTile, tileCount;
};
#define FOCAL_COMPOSITE_WIDTH 64
#define FOCAL_COMPOSITE_HEIGHT 16
/// Largest circle drawn at picture resolution, and the apron it needs.
#define FOCAL_COMPOSITE_APRON 5

/// What a tile of the composition holds, a word: bits, and from FOCAL_FOCUS_TAPS on how far the
/// largest small circle reaches.
FOCAL_CONSTANT(FocalFocusNear, 1)     // something of the near group
FOCAL_CONSTANT(FocalFocusFar, 2)      // the far group shows
FOCAL_CONSTANT(FocalFocusDrawn, 4)    // something of the focus plate
FOCAL_CONSTANT(FocalFocusSolid, 8)    // the plate is opaque everywhere
FOCAL_CONSTANT(FocalFocusSoft, 16)    // the plate has small circles
FOCAL_CONSTANT(FocalFocusSource, 32)  // everything sharp: the source itself
#define FOCAL_FOCUS_TAPS 8

/// Invocations of the workgroup that classifies a tile; size of the one that composes a part of it,
/// and pixels of the plate that the latter needs at most.
#define FOCAL_FOCUS_GROUP 128
#define FOCAL_COMPOSE_WIDTH 32
#define FOCAL_COMPOSE_HEIGHT 4
#define FOCAL_PART_WIDTH (FOCAL_COMPOSE_WIDTH + 2 * FOCAL_COMPOSITE_APRON)
#define FOCAL_PART_PIXELS (FOCAL_PART_WIDTH * (FOCAL_COMPOSE_HEIGHT + 2 * FOCAL_COMPOSITE_APRON))

/// The blurred layers and what is in focus, put together. Tiles of FOCAL_COMPOSITE_WIDTH x
/// FOCAL_COMPOSITE_HEIGHT pixels.
#define FOCAL_KERNEL_composite(_)         \
  _(parameters, FocalCompositeParameters) \
  _(reads, float4, source)                \
  _(reads, float, radius)                 \
  _(reads, float, matte)                  \
  _(reads, float, layers)                 \
  _(reads, float, views)                  \
  _(reads, float, table)                  \
  _(writes, float4, destination)          \
  _(reads, uint8_t, flags)
FOCAL_FUSED_KERNEL(composite)

/// First part of composite: what each tile holds, a word. A workgroup a tile.
#define FOCAL_KERNEL_classifyFocus(_)     \
  _(parameters, FocalCompositeParameters) \
  _(workgroup, FOCAL_FOCUS_GROUP, 1)      \
  _(reads, float4, source)                \
  _(reads, float, radius)                 \
  _(reads, float, matte)                  \
  _(reads, float, layers)                 \
  _(reads, float, views)                  \
  _(reads, float, table)                  \
  _(writes, uint32_t, tiles)              \
  _(reads, uint8_t, flags)                \
  _(shares, uint32_t, found, 1)           \
  _(shares, int32_t, lowest, 1)           \
  _(shares, int32_t, highest, 1)          \
  _(shares, int32_t, largest, 1)
FOCAL_PART_KERNEL(classifyFocus)

/// Second part: the pixels of the tiles.
#define FOCAL_KERNEL_compose(_)                           \
  _(parameters, FocalCompositeParameters)                 \
  _(workgroup, FOCAL_COMPOSE_WIDTH, FOCAL_COMPOSE_HEIGHT) \
  _(reads, float4, source)                                \
  _(reads, float, radius)                                 \
  _(reads, float, matte)                                  \
  _(reads, float, layers)                                 \
  _(reads, float, views)                                  \
  _(reads, float, table)                                  \
  _(writes, float4, destination)                          \
  _(reads, uint32_t, tiles)                               \
  _(shares, float4, plateColour, FOCAL_PART_PIXELS)       \
  _(shares, float, plateCircle, FOCAL_PART_PIXELS)        \
  _(shares, float, plateOpacity, FOCAL_PART_PIXELS)
FOCAL_PART_KERNEL(compose)

#if defined(FOCAL_HOST)
// Where a tile keeps its slices. Floats, in this order:
//   slots * 4 planes (premultiplied R, G, B, alpha) of rows * stride,
//   1 plane for the prefilter,
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
