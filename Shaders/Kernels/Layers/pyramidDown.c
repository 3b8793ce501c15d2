// SPDX-License-Identifier: Apache-2.0
//
// A coarser level of the background pyramid: the farther surface of each 2 x 2 cell. Grid: pixels
// of the coarser level.

#define FOCAL_BODY pyramidDown
#include "kernel.h"

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
  const float4 a = fineSurface(FOCAL_PASSES top + left, count);
  const float4 b = fineSurface(FOCAL_PASSES top + right, count);
  const float4 c = fineSurface(FOCAL_PASSES bottom + left, count);
  const float4 d = fineSurface(FOCAL_PASSES bottom + right, count);
  const float low = focal_min(focal_min(focal_min(focal_min(1.0e30f, a.w), b.w), c.w), d.w);
  const float limit = low + focal_edgeStep(p.edge, low, low);
  const float wa = a.w <= limit ? 1.0f : 0.0f, wb = b.w <= limit ? 1.0f : 0.0f;
  const float wc = c.w <= limit ? 1.0f : 0.0f, wd = d.w <= limit ? 1.0f : 0.0f;
  const float weight = wa + wb + wc + wd;
  const float4 zero = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  const float4 sum = zero + wa * a + wb * b + wc * c + wd * d;
  // A third, as the processor's compiler rounds it.
  const float scale =
      weight == 4.0f ? 0.25f : (weight == 2.0f ? 0.5f : (weight == 1.0f ? 1.0f : 0.333333343f));
  const int32_t coarseCount = p.coarseWidth * p.coarseHeight, o = row * p.coarseWidth + x;
  coarse[o] = sum.x * scale;
  coarse[coarseCount + o] = sum.y * scale;
  coarse[2 * coarseCount + o] = sum.z * scale;
  coarse[3 * coarseCount + o] = sum.w * scale;
}

FOCAL_ENTRY(pyramidDown)
