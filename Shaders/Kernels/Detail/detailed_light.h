// SPDX-License-Identifier: Apache-2.0
//
// The light of a picture that is packed as the rendered half with its detail.
#pragma once

#define FOCAL_STORED p.stored
#include "detailed_pixel.h"
#include "picture_modes.h"

// Rows around those that are packed are looked at and not used: the window's border repeats.
FOCAL_FUNCTION float4 lightAt(FOCAL_TAKES int32_t x, int32_t y) {
  // As the source is oriented, its rows are as long as the turned picture's columns.
  const int32_t width = (pictureTurn & 1) != 0 ? p.stored.height : p.stored.width;
  return detailedPixel(FOCAL_PASSES x, focal_clamp_int(y, 0, p.rows - 1), width);
}
