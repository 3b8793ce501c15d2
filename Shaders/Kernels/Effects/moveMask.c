// SPDX-License-Identifier: Apache-2.0
//
// A mask, moved and weakened: the shadow that it casts, before it is blurred. Grid: pixels of the mask.

#define FOCAL_BODY moveMask
#include "kernel.h"
#include "focal_effects.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t column = x - p.right, row = y - p.down;
  const bool isInside = column >= 0 && column < p.width && row >= 0 && row < p.height;
  const float value = isInside ? mask[row * p.stride + column] : 0.0f;
  moved[y * p.width + x] = focal_is_number(value) ? focal_unit(value) * p.strength : 0.0f;
}

FOCAL_ENTRY(moveMask)
