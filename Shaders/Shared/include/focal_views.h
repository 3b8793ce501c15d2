// SPDX-License-Identifier: Apache-2.0
//
// How slices are cut from the layers, spread and moved, for the kernels that blur tiles.
#pragma once

#include "focal_slices.h"

/// Slices of circles up to this radius, in layer pixels, are not spread: the lens points are close
/// to each other there. Half: traced -0.10. Twice: at preview quality sample -0.61.
#define FOCAL_LARGEST_UNSPREAD 5.0f
/// Nor are those whose lens cells are up to this wide, in layer pixels: shifts are whole pixels, so that
/// their rounding is the ripple, not the cell, and small lights are not in the slices. At export quality
/// that is a radius of 10, with 1.4 in place of it from 5 on: traced -0.02, sample -0.06; at
/// export-high one of 23, against 5: traced -0.06.
#define FOCAL_WIDEST_UNSPREAD 1.8f
/// A view of which less than this share is left open counts as closed: what lies behind adds less
/// than that. Larger saves slices behind near objects and loses what shines through their outlines:
/// ten times makes no difference, a hundred times traced -0.30.
#define FOCAL_NO_LIGHT 1.0e-3f

/// The widest box, in layer pixels: what a graphics device's workgroup has memory for. Where cells would be wider there
/// are more lens points (`BlurSettings`).
#define FOCAL_WIDEST_SPREAD 14.9f

/// How wide a box a slice of this radius is filtered with, twice; 1 is none.
///
/// A lens point stands for a cell of the lens, of which `cell` is the side as a share of the
/// radius. Two boxes of that width make a triangle, which spreads each source over its own cell and
/// its neighbours'.
FOCAL_FUNCTION float focal_spreadWidth(float radius, int32_t lensCount, float cell) {
  const float size = focal_abs(radius), width = size * cell;
  const bool isSpread =
      lensCount > 1 && size > FOCAL_LARGEST_UNSPREAD && width > FOCAL_WIDEST_UNSPREAD;
  return isSpread ? focal_min(width, FOCAL_WIDEST_SPREAD) : 1.0f;
}

/// The same of a surface whose tile has no larger circles, by the lens cells of circles up to `limit` and of larger ones.
FOCAL_FUNCTION float focal_ownSpreadWidth(float radius, float cell, float limit, float wideCell) {
  return focal_spreadWidth(radius, 2, focal_abs(radius) > limit ? wideCell : cell);
}

/// How far to each side one box of this width reaches.
FOCAL_FUNCTION int32_t focal_spreadTaps(float width) {
  return width > 1.0f ? FOCAL_INT(0.5f * (width - 1.0f)) + 1 : 0;
}

/// How far a slice moves at the lens' edge: less than its radius, by what spreading and sampling
/// widen the disc.
///
/// A uniform disc of radius R has the variance R²/4 along each axis; a box of width w has w²/12,
/// and two of them w²/6. Variances of independent offsets add, so the moved disc must have
/// (R² - 4 w²/6 - 4 v)/4: its radius squared is R² - (2/3) w² - extraVariance, where extraVariance
/// is four times the variance v that sampling adds. Without (2/3) w²: traced -0.08, bench
/// +0.01, sample +0.02, with the small map -0.15; at preview quality bench +0.38, sample +0.18, with
/// the small map -0.46. Twice as much: bench -0.14; at preview quality bench -1.01, sample -0.50.
///
/// Another opening has another variance: `narrowness` is a disc's over that of the opening, along one axis.
FOCAL_FUNCTION float focal_movedRadius(float radius, float width, float extraVariance,
                                       float narrowness) {
  const float squared = radius * radius - narrowness * extraVariance -
                        narrowness * (width > 1.0f ? width * width * 0.666666687f : 0.0f);
  const float factor =
      radius != 0.0f && squared > 0.0f ? squared * focal_reciprocal_sqrt(squared) : 0.0f;
  return radius < 0.0f ? -factor : factor;
}

/// To the nearest whole number, halves away from zero, so that opposite lens points shift alike.
FOCAL_FUNCTION int32_t focal_roundedAway(float v) {
  return v < 0.0f ? -FOCAL_INT(0.5f - v) : FOCAL_INT(v + 0.5f);
}

/// Coordinate mirrored at the picture's border, so that the lens sees a plausible continuation
/// there and no rim appears.
FOCAL_FUNCTION int32_t focal_mirrored(int32_t v, int32_t size) {
  if (v < 0) v = -1 - v;
  if (v >= size) v = 2 * size - 1 - v;
  return focal_clamp_int(v, 0, size - 1);
}

/// Where tile `i` of an odd `count` begins. The grid is its own mirror image, so that a mirrored
/// picture is cut the same way.
FOCAL_FUNCTION int32_t focal_tileBoundary(int32_t i, int32_t count, int32_t tile, int32_t size) {
  return 2 * i < count ? i * tile : size - (count - i) * tile;
}

