// SPDX-License-Identifier: Apache-2.0
//
// The surface that a cell of the background pyramid hides, from the coarser level: pyramidUp and pyramidStore share it.
//
// A cell takes, from each of its four parents, the parent's surface if that lies farther than its own,
// else what the parent itself hides. So a surface is continued under a nearer one from the closest
// place where it is seen, smoothly, at constant cost a pixel.
//
// A surface many steps nearer than the farthest of them is a separate one: the mean of a hill behind the focus and a
// shoulder in front of it would be in focus, a speck beside the shoulder. Fewer steps leave too little of the picture
// to go on with.
#pragma once

/// The surface hidden at cell (x, y), whose own has the radius `nearer`: colour and radius,
/// FOCAL_NO_SURFACE if there is none.
FOCAL_FUNCTION float4 hiddenBehind(FOCAL_TAKES int32_t x, int32_t y, float nearer) {
  const int32_t coarseCount = p.coarseWidth * p.coarseHeight;
  const float limit = nearer - focal_edgeStep(p.edge, nearer, nearer);
  const int32_t row = y - p.rowShift;
  const int32_t x0 = (x - 1) >> 1, y0 = (row - 1) >> 1;
  const float right = (x & 1) != 0 ? 0.25f : 0.75f, below = (row & 1) != 0 ? 0.25f : 0.75f;
  float far[4], share[4];
  int32_t from[4];
  float low = 1.0e30f;
  for (int32_t k = 0; k < 4; k++) {
    const int32_t i = k & 1, j = k >> 1;
    const int32_t q = focal_clamp_int(y0 + j, 0, p.coarseHeight - 1) * p.coarseWidth +
                      focal_clamp_int(x0 + i, 0, p.coarseWidth - 1);
    share[k] = 0.0f;
    far[k] = coarse[3 * coarseCount + q];
    from[k] = q;
    if (!(far[k] < limit)) {
      // The last level hides nothing.
      if (p.last != 0) continue;
      far[k] = coarse[7 * coarseCount + q];
      from[k] = 4 * coarseCount + q;
      if (!(far[k] > FOCAL_NO_SURFACE && far[k] < limit)) continue;
    }
    share[k] = (i != 0 ? right : 1.0f - right) * (j != 0 ? below : 1.0f - below);
    low = focal_min(low, far[k]);
  }
  const float most = low + FOCAL_HIDDEN_STEPS * focal_edgeStep(p.edge, low, low);
  float4 sum = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  float weight = 0.0f;
  for (int32_t k = 0; k < 4; k++) {
    if (!(share[k] > 0.0f) || far[k] > most) continue;
    weight += share[k];
    sum = sum + share[k] * FOCAL_FLOAT4(coarse[from[k]], coarse[coarseCount + from[k]],
                                        coarse[2 * coarseCount + from[k]], far[k]);
  }
  if (!(weight > 0.0f)) return FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, FOCAL_NO_SURFACE);
  return sum * focal_reciprocal(weight);
}
