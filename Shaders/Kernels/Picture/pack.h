// SPDX-License-Identifier: Apache-2.0
//
// Linear RGBA to a picture of one plane: a quarter turn, the transfer function, a dither. Grid:
// pixels of the destination.

#include "linear_light.h"
#include "stored_codes.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t column, int32_t row, int32_t z) {
  packPixel(FOCAL_PASSES column, row);
}

FOCAL_ENTRY(pack)
