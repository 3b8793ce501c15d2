// SPDX-License-Identifier: Apache-2.0
//
// From the picture and its disparities to layers: the kernels in Shaders/Kernels/Layers.
#pragma once

#include "focal_matte.h"

FOCAL_STRUCT(FocalCircleOfConfusionParameters) {
  int32_t width, height;
  FocalCircles circles;
  int32_t originY;  ///< row of the disparities that belongs to the first row of the radii
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

FOCAL_STRUCT(FocalConnectSlicesParameters) {
  int32_t width, height;
  float edge;
  FocalSlicing slicing;
  /// Far surfaces pass from the focus plate to the layers from here on, in pixels of the layers; a width of 0: there is
  /// no plate.
  float focusLow, focusInverseWidth;
  /// Sides of a lens cell, shares of the radius: of circles up to `cellLimit`, in pixels of the layers, that are spread,
  /// and of larger ones.
  float cell, cellLimit, wideCell;
};
/// How far each surface goes on below its own slice, and its alpha at outlines. Pixels of the
/// layers; in place.
#define FOCAL_KERNEL_connectSlices(_)         \
  _(parameters, FocalConnectSlicesParameters) \
  _(writes, float, layers)
FOCAL_KERNEL(connectSlices)
