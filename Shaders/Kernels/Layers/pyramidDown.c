// SPDX-License-Identifier: Apache-2.0
//
// A coarser level of the background pyramid: the farther surface of each 2 x 2 cell. Grid: pixels
// of the coarser level.

#define FOCAL_BODY pyramidDown
#include "kernel.h"
#include "farther_cell.h"

FOCAL_FUNCTION float4 fineSurface(FOCAL_TAKES int32_t q, int32_t count) {
  return FOCAL_FLOAT4(fine[q], fine[count + q], fine[2 * count + q], fine[3 * count + q]);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.coarseWidth || y >= focal_rows(p.rows, p.coarseHeight)) return;
  const int32_t row = y + p.firstRow, first = 2 * row + p.rowShift;
  const int32_t count = p.fineWidth * p.fineHeight;
  const int32_t top = focal_clamp_int(first, 0, p.fineHeight - 1) * p.fineWidth;
  const int32_t bottom = focal_clamp_int(first + 1, 0, p.fineHeight - 1) * p.fineWidth;
  const int32_t left = focal_min_int(2 * x, p.fineWidth - 1);
  const int32_t right = focal_min_int(2 * x + 1, p.fineWidth - 1);
  const float4 mean = fartherOf(
      fineSurface(FOCAL_PASSES top + left, count), fineSurface(FOCAL_PASSES top + right, count),
      fineSurface(FOCAL_PASSES bottom + left, count), fineSurface(FOCAL_PASSES bottom + right, count),
      p.edge);
  const int32_t coarseCount = p.coarseWidth * p.coarseHeight, o = row * p.coarseWidth + x;
  coarse[o] = mean.x;
  coarse[coarseCount + o] = mean.y;
  coarse[2 * coarseCount + o] = mean.z;
  coarse[3 * coarseCount + o] = mean.w;
}

FOCAL_ENTRY(pyramidDown)
