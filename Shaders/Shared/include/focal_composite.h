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
  FocalFocusRange focus;
  float nearLow;     ///< near surfaces pass into the views from here on, up to the focus' limit, pixels
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

/// Surfaces of the plate whose radii differ by more lie one before the other, as at edges (BlurSettings.edge).
#define FOCAL_PLATE_DEPTH 0.8f

/// About the radius that a circle's soft radius stands for, both negative behind the focus: within a fifth of a pixel from a
/// radius of .8 on.
FOCAL_FUNCTION float focal_plateDepth(float circle) {
  const float soft = focal_abs(circle) - 1.0f, size = focal_min(soft + 0.6f, 7.0f * soft);
  return circle < 0.0f ? -size : size;
}

/// The factors of the plate's light at a pixel: of what is nearer than its surface, of that surface, of what is
/// behind it, and of what they hide.
FOCAL_STRUCT(FocalPlateShares) { float nearer, same, behind, hidden; };

/// Nearer surfaces cover what is behind them: alphas that exceed one together are cut from the back. What is missing is
/// what they hide.
///
/// - `nearer`, `same`, `behind`, `hidden`: alphas.
/// - `nearerViewed`, `sameViewed`: the parts of the first two that the near group's views draw, too, and `nearAlpha` is that
///   group's alpha here. It is drawn over the plate, (1 - viewed) of which shows; so that (1 - alpha) of what is
///   behind is seen in the end, the plate shows (1 - alpha) / (1 - viewed) of it. That does not change the plate's alpha.
FOCAL_FUNCTION FocalPlateShares focal_plateShares(float nearer, float same, float behind,
                                                  float hidden, float nearerViewed,
                                                  float sameViewed, float nearAlpha) {
  const float first = focal_min(nearer, 1.0f);
  const float second = focal_min(same, 1.0f - first);
  const float third = focal_min(behind, focal_max(1.0f - first - second, 0.0f));
  const float open = focal_max(1.0f - first - second - third, 0.0f);
  // Alphas that fit stay to the bit.
  FocalPlateShares shares = {1.0f, 1.0f, 1.0f, open};
  if (nearer > first) shares.nearer = first * focal_reciprocal(nearer);
  if (same > second) shares.same = second * focal_reciprocal(same);
  if (behind > third) shares.behind = third * focal_reciprocal(behind);
  const float viewed = nearerViewed + sameViewed, fourth = open * hidden;
  if (viewed <= 0.0f || second + third + fourth <= 0.0f) return shares;
  const float fit = viewed > nearAlpha ? nearAlpha * focal_reciprocal(viewed) : 1.0f;
  const float least = 1.0e-3f;
  const float throughNearer =
      focal_reciprocal(focal_max(1.0f - fit * nearerViewed, least));
  const float throughBoth = focal_reciprocal(focal_max(1.0f - fit * viewed, least));
  // What is seen behind the nearer surfaces, and behind the pixel's own.
  const float all = first + second + third + fourth;
  const float far = focal_min((second + third + fourth) * throughNearer, all);
  const float farther = focal_min((third + fourth) * throughBoth, far);
  if (nearer > 0.0f) shares.nearer = (all - far) * focal_reciprocal(nearer);
  if (same > 0.0f) shares.same = (far - farther) * focal_reciprocal(same);
  if (third + fourth > 0.0f) {
    const float k = farther * focal_reciprocal(third + fourth);
    shares.behind = shares.behind * k;
    shares.hidden = open * k;
  }
  return shares;
}

/// The least alpha of the plate under a near object, whose own hidden surface may be a farther one still: a surface that
/// reaches there with `nearer` of its light goes on under it, and nothing shines through between both.
FOCAL_FUNCTION float focal_plateContinues(float nearer) { return focal_min(4.0f * nearer, 1.0f); }

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
