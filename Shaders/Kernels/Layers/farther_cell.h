// SPDX-License-Identifier: Apache-2.0
//
// A cell of the background pyramid, from the four below it: pyramidBase and pyramidDown share it.
#pragma once

/// The mean of those of four surfaces, colours and radii, that are no step nearer than the farthest.
FOCAL_FUNCTION float4 fartherOf(float4 a, float4 b, float4 c, float4 d, float edge) {
  const float low = focal_min(focal_min(focal_min(focal_min(1.0e30f, a.w), b.w), c.w), d.w);
  const float limit = low + focal_edgeStep(edge, low, low);
  const float wa = a.w <= limit ? 1.0f : 0.0f, wb = b.w <= limit ? 1.0f : 0.0f;
  const float wc = c.w <= limit ? 1.0f : 0.0f, wd = d.w <= limit ? 1.0f : 0.0f;
  const float weight = wa + wb + wc + wd;
  const float4 zero = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  const float4 sum = zero + wa * a + wb * b + wc * c + wd * d;
  // A third, as the processor's compiler rounds it.
  const float scale =
      weight == 4.0f ? 0.25f : (weight == 2.0f ? 0.5f : (weight == 1.0f ? 1.0f : 0.333333343f));
  return sum * scale;
}
