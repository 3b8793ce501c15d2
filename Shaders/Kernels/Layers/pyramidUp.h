// SPDX-License-Identifier: Apache-2.0
//
// The surfaces hidden in each cell of a level of the background pyramid, from the coarser level. Grid:
// pixels of the finer level.

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.fineWidth || y >= p.fineHeight) return;
  const int32_t count = p.fineWidth * p.fineHeight, o = y * p.fineWidth + x;
  const int32_t coarseCount = p.coarseWidth * p.coarseHeight;
  float found = FOCAL_NO_SURFACE;
  // At the finest level the pixel's front hides, and a back that is known stays.
  if (p.last == 0 &&
      !(p.finest != 0 && layers[FocalLayerBackRadius * count + o] > FOCAL_NO_SURFACE)) {
    const float nearer =
        p.finest != 0 ? layers[FocalLayerFrontRadius * count + o] : fine[3 * count + o];
    const float limit = nearer - focal_edgeStep(p.edge, nearer, nearer);
    const int32_t row = y - p.rowShift;
    const int32_t x0 = (x - 1) >> 1, y0 = (row - 1) >> 1;
    const float right = (x & 1) != 0 ? 0.25f : 0.75f, below = (row & 1) != 0 ? 0.25f : 0.75f;
    float4 sum = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
    float weight = 0.0f;
    for (int32_t k = 0; k < 4; k++) {
      const int32_t i = k & 1, j = k >> 1;
      const int32_t q = focal_clamp_int(y0 + j, 0, p.coarseHeight - 1) * p.coarseWidth +
                        focal_clamp_int(x0 + i, 0, p.coarseWidth - 1);
      const float w = (i != 0 ? right : 1.0f - right) * (j != 0 ? below : 1.0f - below);
      float far = coarse[3 * coarseCount + q];
      int32_t from = q;
      if (!(far < limit)) {
        far = coarse[7 * coarseCount + q];
        from = 4 * coarseCount + q;
        if (!(far > FOCAL_NO_SURFACE && far < limit)) continue;
      }
      weight += w;
      sum = sum + w * FOCAL_FLOAT4(coarse[from], coarse[coarseCount + from],
                                   coarse[2 * coarseCount + from], far);
    }
    if (weight > 0.0f) {
      const float k = focal_reciprocal(weight);
      fine[4 * count + o] = sum.x * k;
      fine[5 * count + o] = sum.y * k;
      fine[6 * count + o] = sum.z * k;
      found = sum.w * k;
    }
  }
  fine[7 * count + o] = found;
}

FOCAL_ENTRY(pyramidUp)
