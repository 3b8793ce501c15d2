// SPDX-License-Identifier: Apache-2.0
//
// Rows of a linear picture with their highlights lifted before the blur, or brought back after it, in place;
// alpha stays. Grid: pixels of the rows.

#define FOCAL_BODY mapHighlights
#include "kernel.h"
#include "focal_highlights.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t row, int32_t z) {
  if (x >= p.width || row >= p.rows) return;
  const int32_t o = 4 * ((p.firstRow + row) * p.width + x);
  const float most = focal_max(focal_max(light[o], light[o + 1]), light[o + 2]);
  const float factor =
      p.lifts != 0 ? focal_lifting(p.highlights, most) : focal_lowering(p.highlights, most);
  light[o] = light[o] * factor;
  light[o + 1] = light[o + 1] * factor;
  light[o + 2] = light[o + 2] * factor;
}

FOCAL_ENTRY(mapHighlights)
