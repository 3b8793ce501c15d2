// SPDX-License-Identifier: Apache-2.0
//
// The rendered half with the picture's detail, to a picture of one plane. Grid: pixels of the destination.

#include "detailed_light.h"
#include "stored_codes.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t column, int32_t row, int32_t z) {
  packPixel(FOCAL_PASSES column, row);
}

FOCAL_ENTRY(packDetail)
