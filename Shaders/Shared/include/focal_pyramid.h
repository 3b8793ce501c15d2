// SPDX-License-Identifier: Apache-2.0
//
// What lies behind near surfaces: the background pyramid, in Shaders/Kernels/Layers.
#pragma once

#include "focal_blur.h"

/// Eight planes a level: farthest colour and radius, then hidden colour and radius. The finest level is half
/// the layers' size. Coarse levels lie in one buffer, each after the finer one.
FOCAL_CONSTANT(FocalPyramidPlanes, 8)
FOCAL_STRUCT(FocalPyramidParameters) {
  int32_t fineWidth, fineHeight, coarseWidth, coarseHeight;  ///< `fine` may be the layers
  float edge;
  int32_t last;  ///< pyramidUp, pyramidStore: 1 where there is no level below the coarser one
  /// Where levels hold windows: the fine level's row is twice the coarse one's plus `rowShift`.
  int32_t rowShift;
  int32_t firstRow, rows;  ///< pyramidBase, pyramidDown: rows of the coarse level that are made, 0 for all
  float nearLimit;         ///< pyramidStore: nearer surfaces are not of the focus plate, pixels of the layers
};
/// The finest level of what lies behind: the farther of the surfaces known in 2x2 pixels of the layers. Pixels of
/// the level.
#define FOCAL_KERNEL_pyramidBase(_)     \
  _(parameters, FocalPyramidParameters) \
  _(reads, float, layers)               \
  _(writes, float, coarse)
FOCAL_KERNEL(pyramidBase)

/// A coarser level: the farther surface of 2x2 cells. Pixels of the coarser level.
#define FOCAL_KERNEL_pyramidDown(_)     \
  _(parameters, FocalPyramidParameters) \
  _(reads, float, fine)                 \
  _(writes, float, coarse)
FOCAL_KERNEL(pyramidDown)

/// Steps of an edge over which hidden surfaces are averaged. 1: traced -0.36. None beyond which they are not: traced
/// with phone maps -0.08, sample -0.02, and specks beside near things.
#define FOCAL_HIDDEN_STEPS 8.0f
/// The surfaces hidden in each cell of a level, from the coarser level. Pixels of the finer level.
#define FOCAL_KERNEL_pyramidUp(_)       \
  _(parameters, FocalPyramidParameters) \
  _(writes, float, fine)                \
  _(reads, float, coarse)
FOCAL_KERNEL(pyramidUp)

/// How many near surfaces, one behind the other, are looked behind for one that the focus plate draws. 1 leaves dark
/// lines where a far surface in focus shows under two near ones; 8 makes no difference.
#define FOCAL_DEEP_STEPS 3
/// Steps of an edge up to which two near surfaces with a third behind them become one.
#define FOCAL_JOINED_STEPS 3.0f
/// The surfaces hidden behind the fronts that had no back, put there, and those hidden behind two. Pixels of the layers.
#define FOCAL_KERNEL_pyramidStore(_)    \
  _(parameters, FocalPyramidParameters) \
  _(writes, float, layers)              \
  _(reads, float, coarse)
FOCAL_KERNEL(pyramidStore)

/// Cells of the finest level from which a workgroup makes coarser ones, along each axis; the coarser levels that come
/// of them; and its memory: the second level's cells, and every other one after.
#define FOCAL_PYRAMID_BLOCK 64
#define FOCAL_PYRAMID_STEPS 6
#define FOCAL_PYRAMID_CELLS (FOCAL_PYRAMID_BLOCK / 4 * FOCAL_PYRAMID_BLOCK / 4)
FOCAL_STRUCT(FocalPyramidLevelsParameters) {
  int32_t width, height;  ///< of the finest level
  int32_t offset;         ///< its place in the buffer, floats
  int32_t levels;         ///< pyramidLevels: how many coarser ones are made; pyramidHidden: how many there are in all
  float edge;             ///< a step of radius above this is an edge, pixels of the layers
  float slant;            ///< the same for the finest level, where that is more; twice as much for each coarser one
};
/// Coarser levels, up to FOCAL_PYRAMID_STEPS: the farther surface of 2x2 cells each. Workgroups, one for
/// FOCAL_PYRAMID_BLOCK x FOCAL_PYRAMID_BLOCK cells of the finest level.
#define FOCAL_KERNEL_pyramidLevels(_)                    \
  _(parameters, FocalPyramidLevelsParameters)            \
  _(writes, float, levels)                               \
  _(shares, float4, cells, FOCAL_PYRAMID_CELLS * 5 / 4)
FOCAL_KERNEL(pyramidLevels)

/// Cells of the finest level for which a workgroup finds the hidden surfaces, and its memory: what is hidden in the
/// cells of the coarser levels that these look at. The next level has half as many along each axis and one on each side,
/// and so on.
#define FOCAL_HIDDEN_WIDTH 32
#define FOCAL_HIDDEN_HEIGHT 16
#define FOCAL_HIDDEN_FIRST ((FOCAL_HIDDEN_WIDTH / 2 + 2) * (FOCAL_HIDDEN_HEIGHT / 2 + 2))
#define FOCAL_HIDDEN_SECOND ((FOCAL_HIDDEN_WIDTH / 4 + 2) * (FOCAL_HIDDEN_HEIGHT / 4 + 2))
/// The surfaces hidden in each cell of the finest of several levels. Workgroups, one for FOCAL_HIDDEN_WIDTH x
/// FOCAL_HIDDEN_HEIGHT cells.
#define FOCAL_KERNEL_pyramidHidden(_)                                \
  _(parameters, FocalPyramidLevelsParameters)                        \
  _(writes, float, levels)                                           \
  _(shares, float4, hidden, FOCAL_HIDDEN_FIRST + FOCAL_HIDDEN_SECOND)
FOCAL_KERNEL(pyramidHidden)
