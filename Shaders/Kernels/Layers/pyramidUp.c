// SPDX-License-Identifier: Apache-2.0
//
// The surfaces hidden in each cell of a level of the background pyramid, from the coarser level. Grid:
// pixels of the finer level.

#define FOCAL_BODY pyramidUp
#include "kernel.h"
#include "hidden_in_level.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.fineWidth || y >= p.fineHeight) return;
  const int32_t count = p.fineWidth * p.fineHeight, o = y * p.fineWidth + x;
  const float4 found = hiddenAt(FOCAL_PASSES x, y, fine[3 * count + o]);
  fine[7 * count + o] = found.w;
  if (!(found.w > FOCAL_NO_SURFACE)) return;
  fine[4 * count + o] = found.x;
  fine[5 * count + o] = found.y;
  fine[6 * count + o] = found.z;
}

FOCAL_ENTRY(pyramidUp)
