// SPDX-License-Identifier: Apache-2.0
//
// The blurred layers and what is in focus, put together: the kernels in Shaders/Kernels/Composite.
#pragma once

#include "focal_blur.h"

FOCAL_STRUCT(FocalCompositeParameters) {
  int32_t width, height, layerWidth, layerHeight;
  int32_t scale;
  int32_t tilesAcross;
  int32_t split;                      ///< 0: the views are the whole picture
  float focusLow, focusInverseWidth;  ///< far side fades out from here, pixels
  float nearLow, nearInverseWidth;    ///< near group fades in from here, pixels
  FocalFocusRange focus;
  float edge;        ///< a step of radius above this is an edge, pixels
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

/// Where the length of a step of whole pixels stands in the table of lengths. An oval opening's are longer
/// along its narrow axis.
FOCAL_FUNCTION int32_t focal_plateStep(int32_t x, int32_t y) {
  return (y < 0 ? -y : y) * (FOCAL_COMPOSITE_APRON + 1) + (x < 0 ? -x : x);
}

/// The content of a tile of the composition, a word: bits, and from FOCAL_FOCUS_TAPS on how far the
/// largest small circle reaches.
FOCAL_CONSTANT(FocalFocusNear, 1)     // something of the near group
FOCAL_CONSTANT(FocalFocusFar, 2)      // the far group shows
FOCAL_CONSTANT(FocalFocusDrawn, 4)    // something of the focus plate
FOCAL_CONSTANT(FocalFocusSolid, 8)    // the plate is opaque everywhere
FOCAL_CONSTANT(FocalFocusSoft, 16)    // the plate has small circles
FOCAL_CONSTANT(FocalFocusSource, 32)  // everything sharp: the source itself
FOCAL_CONSTANT(FocalFocusBefore, 64)  // something before the plate
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
