// SPDX-License-Identifier: Apache-2.0
//
// Rows of a stored picture to linear RGBA, four floats a pixel, rows without padding. Grid: pixels
// of the rows.

#include "stored_pixel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t line, int32_t z) {
  if (x >= p.width || line >= focal_rows(p.rows, p.height)) return;
  linear[line * p.width + x] = storedPixel(FOCAL_PASSES x, line + p.top);
}

FOCAL_ENTRY(unpack)
