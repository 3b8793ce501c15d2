// SPDX-License-Identifier: Apache-2.0
//
// Rows of a stored disparity map to floats, rows without padding. Values that are not finite or absurdly
// large becomes FOCAL_INVALID_DISPARITY, which the refinement fills. Grid: cells of the rows.

#define FOCAL_BODY unpackDisparity
#include "kernel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t line, int32_t z) {
  if (x >= p.width || line >= focal_rows(p.rows, p.height)) return;
  const int32_t y = line + p.top;
  const float d = p.format == FOCAL_FORMAT_DISPARITY_HALF
                      ? focal_half_to_float(FOCAL_UINT(words[y * (p.bytesPerRow >> 1) + x]))
                      : floats[y * (p.bytesPerRow >> 2) + x];
  map[line * p.width + x] = focal_is_disparity(d) ? d : FOCAL_INVALID_DISPARITY;
}

FOCAL_ENTRY(unpackDisparity)
