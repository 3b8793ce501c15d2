// SPDX-License-Identifier: Apache-2.0
//
// Rows of a linear picture from high dynamic range to standard range, in place; alpha stays. Grid:
// pixels of the rows.

#define FOCAL_BODY mapTones
#include "kernel.h"
#include "focal_tone.h"

// Not a number counts as black, as where pictures are stored.
FOCAL_FUNCTION float lightOrNone(float v) { return focal_is_number(v) ? v : 0.0f; }

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t row, int32_t z) {
  if (x >= p.width || row >= p.rows) return;
  const int32_t o = 4 * ((p.firstRow + row) * p.width + x);
  FocalLight c;
  c.red = lightOrNone(light[o]);
  c.green = lightOrNone(light[o + 1]);
  c.blue = lightOrNone(light[o + 2]);
  c = focal_tone_mapped(p.mapping, c);
  light[o] = c.red;
  light[o + 1] = c.green;
  light[o + 2] = c.blue;
}

FOCAL_ENTRY(mapTones)
