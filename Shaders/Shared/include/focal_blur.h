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
enum FocalLayerPlane {
  FocalLayerFrontR,
  FocalLayerFrontG,
  FocalLayerFrontB,
  FocalLayerAlpha,
  FocalLayerFrontRadius,
  FocalLayerBackR,
  FocalLayerBackG,
  FocalLayerBackB,
  FocalLayerBackRadius,
  FocalLayerReach,  ///< lowest slice of the connected surface, see connectSlices
  FocalLayerPlanes
};

/// A matte at picture resolution: first a plane of alpha, width * height
/// floats (coverage of the front, or FOCAL_PLAIN), then a record for every
/// pixel, written only at edges: together, so that an edge pixel costs one
/// line of the cache.
enum FocalMatteRecord {
  FocalMatteFrontRadius,
  FocalMatteBackR,
  FocalMatteBackG,
  FocalMatteBackB,
  FocalMatteBackRadius,
  FocalMatteRecordFloats
};

/// Planes of the blurred groups at layer resolution.
enum FocalViewPlane {
  FocalViewNearR,
  FocalViewNearG,
  FocalViewNearB,
  FocalViewNearAlpha,
  FocalViewFarR,
  FocalViewFarG,
  FocalViewFarB,
  FocalViewFarWeight,
  FocalViewPlanes
};

/// circleOfConfusion: rows. disparity, radius: width * height floats.
struct FocalCircleOfConfusionParameters {
  int32_t width, height;
  float focusDisparity;
  float radiusScale;    ///< pixels of radius per unit of disparity
  float maximumRadius;  ///< pixels; larger radii are clamped
};
enum {
  FocalCircleOfConfusionDisparity,
  FocalCircleOfConfusionRadius
};

/// Which radii the focus plate draws, pixels of the picture.
struct FocalFocusRange {
  float smallest;   ///< radii up to this are sharp
  float farLimit;   ///< negative: farther surfaces are not of the plate
  float nearLimit;  ///< nearer surfaces are not of the plate
};

/// What a block of FOCAL_FLAG_BLOCK pixels of a row holds.
enum FocalFlag {
  FocalFlagEdge = 1,     ///< a pixel that is not plain
  FocalFlagFocused = 2,  ///< a radius that the plate draws, or a nearer one
  FocalFlagSoft = 4,     ///< a radius that is not sharp
  FocalFlagCircle = 8,   ///< a small circle of the plate
};
#define FOCAL_FLAG_BLOCK 16

/// matte: rows. source RGBA interleaved; radius; matte; flags: a byte
/// for each FOCAL_FLAG_BLOCK pixels of a row, rows of ceil(width / block).
struct FocalMatteParameters {
  int32_t width, height;
  struct FocalFocusRange focus;
  float edge;      ///< a step of radius above this is an edge, pixels
  float trust;     ///< how much the scatter of the colours weakens the estimate
  float impure;    ///< weight of pixels that touch the other side
  int32_t window;  ///< half width of the colour window, pixels
};
#define FOCAL_LARGEST_MATTE_WINDOW 7
enum { FocalMatteSource, FocalMatteRadius, FocalMatteMatte, FocalMatteFlags };

/// gatherLayers: rows of the layers. matte and source -> layers, scale 1, 2 or 4.
struct FocalGatherLayersParameters {
  int32_t width, height;  ///< of the picture
  int32_t layerWidth, layerHeight;
  int32_t scale;  ///< 1, 2 or 4
  float edge;     ///< pixels of the picture
};
enum {
  FocalGatherLayersSource,
  FocalGatherLayersRadius,
  FocalGatherLayersMatte,
  FocalGatherLayersLayers,
  FocalGatherLayersFlags
};

/// Background pyramid: eight planes a level: farthest colour and radius,
/// then hidden colour and radius.
enum { FocalPyramidPlanes = 8 };
struct FocalPyramidParameters {
  int32_t fineWidth, fineHeight, coarseWidth, coarseHeight;
  float edge;
  int32_t last;  ///< pyramidUp: 1 where there is no coarser level
};
enum { FocalPyramidLayers, FocalPyramidFine, FocalPyramidCoarse };

/// Radii to slice coordinates: `density` slices a pixel up to `knee` pixels,
/// half as many beyond. A wrong radius shows where circles are small.
struct FocalSlicing {
  float density, knee;
};

/// connectSlices: rows of the layers.
struct FocalConnectSlicesParameters {
  int32_t width, height;
  float edge;
  struct FocalSlicing slicing;
};
enum { FocalConnectSlicesLayers };

/// Groups: radii in pixels of the layers.
/// Sliced surfaces: everything where `split` is 0 (one group, "near");
/// otherwise near ones fade in between nearLow and nearHigh, far ones count
/// below -farLow, and the focus between is drawn at picture resolution.
struct FocalGroups {
  int32_t split;
  float nearLow, nearInverseWidth, farLow;
};

/// One tile of the blurred layers.
struct FocalTile {
  int32_t x, y, width, height;  ///< destination, pixels of the layers
  int32_t reach;                ///< apron of the window, pixels
  int32_t stride, rows;         ///< of the window
  int32_t slots;                ///< slices present, nearest first
  int32_t nearSlots;            ///< how many of them are of the near group
  int32_t lensSet;              ///< which set of lens points
  int32_t slice[FOCAL_MAXIMUM_SLOTS];
};

/// classifyTiles: tiles.
struct FocalClassifyTilesParameters {
  int32_t width, height;  ///< of the layers
  int32_t tileWidth, tileHeight;
  int32_t tilesAcross, tilesDown;  ///< odd
  struct FocalSlicing slicing;
  int32_t firstSlice, lastSlice;  ///< range of slices of the frame
  float maximumRadius;            ///< of the frame, pixels of the layers
  struct FocalGroups groups;
  float lensSetRadius[4];  ///< largest radius of each set but the last
  int32_t lensSets;
  float apron;  ///< pixels around a tile that its views and the prefilter read, a pixel of radius
};
enum { FocalClassifyTilesLayers, FocalClassifyTilesTiles, FocalClassifyTilesBlocks };

/// assembleSlices and lensViews: tiles of a batch; tile i of the batch uses
/// the pool from (i - firstTile) * tileCapacity floats.
struct FocalViewsParameters {
  int32_t width, height;  ///< of the layers
  struct FocalSlicing slicing;
  struct FocalGroups groups;
  int32_t firstSlice;            ///< bit 0 of the blocks
  int32_t firstTile;             ///< of the batch
  int64_t tileCapacity;          ///< floats of the pool a tile owns
  int32_t tileCount, laneCount;  ///< blurTiles: tiles, and how many are in work at once
  int32_t lensCount[4], lensStart[4];
  float cell[4];        ///< side of a lens cell, share of the radius
  float extraVariance;  ///< 4 * variance of sampling, pixels squared
};
enum {
  FocalViewsLayers,
  FocalViewsTiles,
  FocalViewsPool,
  FocalViewsLens,
  FocalViewsViews,
  FocalViewsBlocks,
  FocalViewsBindings
};

/// composite: tiles of 64 x 16 picture pixels.
struct FocalCompositeParameters {
  int32_t width, height, layerWidth, layerHeight;
  int32_t scale;
  int32_t tilesAcross;
  int32_t split;                      ///< 0: the views are the whole picture
  float focusLow, focusInverseWidth;  ///< far side fades out from here, pixels
  struct FocalFocusRange focus;
  float tableScale;  ///< entries of the circle table per pixel of radius
  int32_t tableCount;
};
enum {
  FocalCompositeSource,
  FocalCompositeRadius,
  FocalCompositeMatte,
  FocalCompositeLayers,
  FocalCompositeViews,
  FocalCompositeTable,
  FocalCompositeDestination,
  FocalCompositeFlags
};
#define FOCAL_COMPOSITE_WIDTH 64
#define FOCAL_COMPOSITE_HEIGHT 16
/// Largest circle drawn at picture resolution, and the apron it needs.
#define FOCAL_COMPOSITE_APRON 5

// Where a tile keeps its slices. Floats, in this order:
//   slots * 4 planes (premultiplied R, G, B, alpha) of rows * stride,
//   1 plane for the prefilter,
//   slots * rows pairs of int32: first and one past the last covered column,
//   lens points * slots pairs of int32: the shift of a slice, columns and rows.
// A tile that would not fit does not occur: the driver sizes the pool by
// focal_tilePoolFloats of the frame's largest tile.

FOCAL_FUNCTION size_t focal_tilePlane(const struct FocalTile *t) {
  return (size_t)t->stride * (size_t)t->rows;
}
FOCAL_FUNCTION size_t focal_tileExtents(const struct FocalTile *t) {
  return focal_tilePlane(t) * (size_t)(4 * t->slots + 1);
}
FOCAL_FUNCTION size_t focal_tileShifts(const struct FocalTile *t) {
  return focal_tileExtents(t) + 2 * (size_t)t->slots * (size_t)t->rows;
}
FOCAL_FUNCTION size_t focal_tilePoolFloats(const struct FocalTile *t, int32_t lensCount) {
  return focal_tileShifts(t) + 2 * (size_t)t->slots * (size_t)lensCount;
}
