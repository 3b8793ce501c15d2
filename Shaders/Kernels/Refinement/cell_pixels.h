// SPDX-License-Identifier: Apache-2.0
//
// Common to the kernels over the pixels of edge cells: the sides that a pixel decides between, and
// the share of the way from back to front that the map itself gives it.
#pragma once

#include "cell_sides.h"
#include "cell_values.h"

// The share of the way from back to front, 0...1, of a pixel whose bilinear map is v.
FOCAL_FUNCTION float edgeShare(FocalCellSides sides, float v) {
  const bool has = sides.hasMiddle != 0, above = has && v > sides.middle;
  const float upper = has ? focal_reciprocal(sides.front - sides.middle) : 0.0f;
  const float lower = focal_reciprocal((has ? sides.middle : sides.front) - sides.back);
  return focal_unit(above ? (v - sides.middle) * upper : (v - sides.back) * lower);
}
