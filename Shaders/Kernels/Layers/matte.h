// SPDX-License-Identifier: Apache-2.0
//
// Splits the pixels at depth edges into a front, its coverage, and a back, and says what each block
// of a row holds; the method stands with the processor's kernel. Grid: pixels, in workgroups of
// FOCAL_GROUP_WIDTH x FOCAL_GROUP_HEIGHT.
//
// The sides of a window are walked row by row, three rows of bits at a time, where the processor
// keeps all rows; the sums run in the same order. Blocks' flags are joined in the workgroup's
// memory: bits, so in any order.

#include "back_across.h"

/// Which of `count` pixels from (x, y) on are nearer than `middle`, a bit each; pixels past the
/// border repeat it.
FOCAL_FUNCTION uint32_t sidesOfRow(FOCAL_TAKES int32_t x, int32_t y, int32_t count, float middle) {
  const int32_t row = focal_clamp_int(y, 0, p.height - 1) * p.width;
  uint32_t bits = 0u;
  for (int32_t i = 0; i < count; i++) {
    const float r = radius[row + focal_clamp_int(x + i, 0, p.width - 1)];
    bits |= (r > middle ? 1u : 0u) << FOCAL_UINT(i);
  }
  return bits;
}

/// Writes the record of an edge pixel; returns its alpha.
FOCAL_FUNCTION float edgePixel(FOCAL_TAKES int32_t x, int32_t y, float low, float high) {
  const float middle = 0.5f * (low + high);
  const int32_t window = p.window, rim = window + 1, side = 2 * rim + 1;
  const float4 zero = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  FocalMatteSide front = {zero, zero};
  FocalMatteSide back = {zero, zero};
  const FocalEdgeRadii radii = focal_edgeRadii(p.edge, low, high);
  // A pixel whose 3 x 3 neighbours are of one side is pure.
  float prior = 0.0f;
  uint32_t above = 0u;
  uint32_t here = sidesOfRow(FOCAL_PASSES x - rim, y - rim, side, middle);
  uint32_t below = sidesOfRow(FOCAL_PASSES x - rim, y - window, side, middle);
  for (int32_t j = -window; j <= window; j++) {
    const int32_t yy = y + j;
    above = here;
    here = below;
    below = sidesOfRow(FOCAL_PASSES x - rim, yy + 1, side, middle);
    if (j == 0) {
      const uint32_t first = FOCAL_UINT(window);
      prior = focal_shareOfSides(above >> first, here >> first, below >> first);
    }
    if (yy < 0 || yy >= p.height) continue;
    const uint32_t any = above | here | below, all = above & here & below;
    const uint32_t impure = (any | (any << 1u) | (any >> 1u)) & ~(all & (all << 1u) & (all >> 1u));
    for (int32_t i = -window; i <= window; i++) {
      const int32_t xx = x + i;
      if (xx < 0 || xx >= p.width) continue;
      const int32_t q = yy * p.width + xx;
      const uint32_t bit = FOCAL_UINT(i + rim);
      const float own = radius[q];
      const float near =
          own < radii.least || own > radii.most ? 0.0f : focal_matteWeight(i * i + j * j);
      const float weight = near * (((impure >> bit) & 1u) != 0u ? p.impure : 1.0f);
      float4 c = source[q];
      const bool isFront = ((here >> bit) & 1u) != 0u;
      const float wf = isFront ? weight * focal_frontWeight(c) : 0.0f;
      const float wb = isFront ? 0.0f : weight;
      float4 squared = c * c;
      c.w = own;
      squared.w = 1.0f;
      front.mean = front.mean + wf * c;
      back.mean = back.mean + wb * c;
      front.square = front.square + wf * squared;
      back.square = back.square + wb * squared;
    }
  }
  if (front.square.w <= 0.0f || back.square.w <= 0.0f) return FOCAL_PLAIN;
  front = focal_meanOfSide(front);
  back = focal_meanOfSide(back);
  const int32_t o = y * p.width + x;
  const int32_t record = p.width * p.height + o * FocalMatteRecordFloats;
  const float own = radius[o];
  const bool isNear = own > middle;
  const float backRadius = focal_backRadius(p.edge, low, isNear ? back.mean.w : own);
  const float focus = backFocus(backRadius);
  if (focus > 0.0f) {
    const float4 across = backAcross(FOCAL_PASSES x, y, radii.least, middle, front.mean,
                                     back.mean);
    back.mean = back.mean + focus * (across - back.mean);
  }
  const float alpha = focal_matteAlpha(front, back, source[o], prior, p.trust);
  if (alpha <= 0.0f) {
    // All far: one surface, whatever the map says.
    matte[record + FocalMatteFrontRadius] = backRadius;
    matte[record + FocalMatteBackRadius] = FOCAL_NO_SURFACE;
    return 1.0f;
  }
  matte[record + FocalMatteFrontRadius] = isNear ? own : front.mean.w;
  // The colour across the pixel is that of the surface behind it, not a mean that scatters.
  back.square.x = (1.0f - focus) * back.square.x;
  const float4 behind = focal_unexplained(front, back, source[o], alpha);
  matte[record + FocalMatteBackR] = behind.x;
  matte[record + FocalMatteBackG] = behind.y;
  matte[record + FocalMatteBackB] = behind.z;
  matte[record + FocalMatteBackRadius] = backRadius;
  return alpha;
}

/// A pixel's contribution to the flags of its block.
FOCAL_FUNCTION int32_t flagsOf(FocalFocusRange focus, float r, float alpha) {
  const bool isSoft = r < -focus.smallest || r > focus.smallest;
  const bool isFocused = r >= focus.farLimit;
  return (alpha < FOCAL_PLAIN ? FocalFlagEdge : 0) | (isFocused ? FocalFlagFocused : 0) |
         (isSoft ? FocalFlagSoft : 0) |
         (isSoft && isFocused && r <= focus.nearLimit ? FocalFlagCircle : 0);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_GROUP_WIDTH + FOCAL_LOCAL_X();
  const bool isInside = x < p.width && y < p.height;
  int32_t own = 0;
  if (isInside) {
    const int32_t left = focal_max_int(x - 1, 0), right = focal_min_int(x + 1, p.width - 1);
    float low = 1.0e30f, high = -1.0e30f;
    for (int32_t j = -1; j <= 1; j++) {
      const int32_t row = focal_clamp_int(y + j, 0, p.height - 1) * p.width;
      const float a = radius[row + left], b = radius[row + x], c = radius[row + right];
      low = focal_min(low, focal_min(focal_min(a, b), c));
      high = focal_max(high, focal_max(focal_max(a, b), c));
    }
    float alpha = FOCAL_PLAIN;
    if (!(high - low < focal_edgeStep(p.edge, low, high))) {
      alpha = edgePixel(FOCAL_PASSES x, y, low, high);
    }
    const int32_t o = y * p.width + x;
    matte[o] = alpha;
    own = flagsOf(p.focus, radius[o], alpha);
  }
  pixelFlags[lane] = own;
  FOCAL_BARRIER();
  if (isInside && x % FOCAL_FLAG_BLOCK == 0) {
    int32_t all = 0;
    for (int32_t i = 0; i < FOCAL_FLAG_BLOCK; i++) all |= pixelFlags[lane + i];
    const int32_t across = (p.width + FOCAL_FLAG_BLOCK - 1) / FOCAL_FLAG_BLOCK;
    flags[y * across + x / FOCAL_FLAG_BLOCK] = FOCAL_BYTE(all);
  }
}

FOCAL_ENTRY(matte)
