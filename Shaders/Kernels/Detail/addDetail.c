// SPDX-License-Identifier: Apache-2.0
//
// The rendered half at the picture's size, with the picture's detail, in the picture's place. Grid: pixels of the
// rows.

#define FOCAL_BODY addDetail
#include "kernel.h"
#include "detailed_pixel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t row, int32_t z) {
  if (x >= p.width || row >= p.rows) return;
  const int32_t y = p.firstRow + row;
  picture[y * p.width + x] = detailedPixel(FOCAL_PASSES x, y, p.width);
}

FOCAL_ENTRY(addDetail)
