// SPDX-License-Identifier: Apache-2.0
//
// A coarser level of the background pyramid: the farther surface of each 2 x 2 cell. Grid: pixels of
// the coarser level.

FOCAL_FUNCTION Four fineSurface(FOCAL_TAKES int32_t q, int32_t count) {
  return FOCAL_FOUR(fine[q], fine[count + q], fine[2 * count + q], fine[3 * count + q]);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.coarseWidth || y >= p.coarseHeight) return;
  const int32_t count = p.fineWidth * p.fineHeight;
  const int32_t top = focal_min_int(2 * y, p.fineHeight - 1) * p.fineWidth;
  const int32_t bottom = focal_min_int(2 * y + 1, p.fineHeight - 1) * p.fineWidth;
  const int32_t left = focal_min_int(2 * x, p.fineWidth - 1);
  const int32_t right = focal_min_int(2 * x + 1, p.fineWidth - 1);
  const Four a = fineSurface(FOCAL_PASSES top + left, count);
  const Four b = fineSurface(FOCAL_PASSES top + right, count);
  const Four c = fineSurface(FOCAL_PASSES bottom + left, count);
  const Four d = fineSurface(FOCAL_PASSES bottom + right, count);
  const float low =
      focal_min(focal_min(focal_min(focal_min(1.0e30f, a.w), b.w), c.w), d.w);
  const float limit = low + focal_edgeStep(p.edge, low, low);
  const float wa = a.w <= limit ? 1.0f : 0.0f, wb = b.w <= limit ? 1.0f : 0.0f;
  const float wc = c.w <= limit ? 1.0f : 0.0f, wd = d.w <= limit ? 1.0f : 0.0f;
  const float weight = wa + wb + wc + wd;
  const Four zero = FOCAL_FOUR(0.0f, 0.0f, 0.0f, 0.0f);
  const Four sum = zero + wa * a + wb * b + wc * c + wd * d;
  // A third, as the processor's compiler rounds it.
  const float scale = weight == 4.0f
                          ? 0.25f
                          : (weight == 2.0f ? 0.5f : (weight == 1.0f ? 1.0f : 0.333333343f));
  const int32_t coarseCount = p.coarseWidth * p.coarseHeight, o = y * p.coarseWidth + x;
  coarse[o] = sum.x * scale;
  coarse[coarseCount + o] = sum.y * scale;
  coarse[2 * coarseCount + o] = sum.z * scale;
  coarse[3 * coarseCount + o] = sum.w * scale;
}
