// SPDX-License-Identifier: Apache-2.0
//
// From the picture and its disparities to layers: the kernels in Shaders/Kernels/Layers.
#pragma once

#include "focal_matte.h"

FOCAL_STRUCT(FocalCircleOfConfusionParameters) {
  int32_t width, height;
  float focusDisparity;
  float nearScale, farScale;  ///< pixels of radius per unit of disparity, in front of the focus and behind it
  float maximumRadius;  ///< pixels; larger radii are clamped
  int32_t originY;      ///< row of the disparities that belongs to the first row of the radii
};
/// Disparities to signed radii in pixels. Pixels.
#define FOCAL_KERNEL_circleOfConfusion(_)         \
  _(parameters, FocalCircleOfConfusionParameters) \
  _(reads, float, disparity)                      \
  _(writes, float, radius)
FOCAL_KERNEL(circleOfConfusion)

FOCAL_STRUCT(FocalMatteParameters) {
  int32_t width, height;
  FocalFocusRange focus;
  float edge;      ///< a step of radius above this is an edge, pixels
  float trust;     ///< how much the scatter of the colours weakens the estimate
  float impure;    ///< weight of pixels that touch the other side
  int32_t window;  ///< half width of the colour window, pixels
};
#define FOCAL_LARGEST_MATTE_WINDOW 7
/// At edges, how much of each pixel belongs to the nearer surface, and what lies behind; and a byte
/// of flags for each FOCAL_FLAG_BLOCK pixels of a row, rows of ceil(width / block). Pixels.
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
  int32_t scale;  ///< 1, 2, 4 or 8
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
/// then hidden colour and radius. The finest level is half the layers' size.
FOCAL_CONSTANT(FocalPyramidPlanes, 8)
FOCAL_STRUCT(FocalPyramidParameters) {
  int32_t fineWidth, fineHeight, coarseWidth, coarseHeight;  ///< `fine` may be the layers
  float edge;
  int32_t last;  ///< pyramidUp, pyramidStore: 1 where there is no level below the coarser one
  /// Where levels hold windows: the fine level's row is twice the coarse one's plus `rowShift`.
  int32_t rowShift;
  int32_t firstRow, rows;  ///< pyramidBase, pyramidDown: rows of the coarse level that are made, 0 for all
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

/// The surfaces hidden behind the fronts that had no back, put there. Pixels of the layers.
#define FOCAL_KERNEL_pyramidStore(_)    \
  _(parameters, FocalPyramidParameters) \
  _(writes, float, layers)              \
  _(reads, float, coarse)
FOCAL_KERNEL(pyramidStore)
FOCAL_STRUCT(FocalConnectSlicesParameters) {
  int32_t width, height;
  float edge;
  FocalSlicing slicing;
};
/// How far each surface goes on below its own slice, and its alpha at outlines. Pixels of the
/// layers; in place.
#define FOCAL_KERNEL_connectSlices(_)         \
  _(parameters, FocalConnectSlicesParameters) \
  _(writes, float, layers)
FOCAL_KERNEL(connectSlices)
