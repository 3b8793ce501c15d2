// SPDX-License-Identifier: Apache-2.0
#include "ShaderTypes.h"

#define FOCAL_TAKES \
  const float4 *restrict source, const float *restrict radius, const FocalMatteParameters p,
#define FOCAL_PASSES source, radius, p,
#include <Layers/back_across.h>

/// Smallest and largest radius in the 3 x 3 neighbourhood of (x, y).
FOCAL_FUNCTION void neighbourhood(const float *radius, int32_t width, int32_t height, int32_t x,
                                  int32_t y, float *low, float *high) {
  float lo = 1.0e30f, hi = -1.0e30f;
  const int32_t first = x > 0 ? x - 1 : x, last = x + 1 < width ? x + 1 : x;
  for (int32_t j = -1; j <= 1; j++) {
    const float *row = radius + (size_t)focal_clamp_int(y + j, 0, height - 1) * (size_t)width;
    for (int32_t i = first; i <= last; i++) {
      const float v = row[i];
      lo = focal_min(lo, v);
      hi = focal_max(hi, v);
    }
  }
  *low = lo;
  *high = hi;
}

/// Which of `count` pixels from column x on are nearer than `middle`, a bit
/// each; columns past the border repeat it.
FOCAL_FUNCTION uint32_t sidesOfRow(const float *row, int32_t width, int32_t x, int32_t count,
                                   float middle) {
  uint32_t bits = 0;
  if (count <= 8 && x >= 0 && x + 8 <= width) {
    FOCAL_LANE_LOOP
    for (int32_t i = 0; i < 8; i++) bits |= (uint32_t)(row[x + i] > middle) << i;
    return bits & ((1u << count) - 1u);
  }
  for (int32_t i = 0; i < count; i++) {
    bits |= (uint32_t)(row[focal_clamp_int(x + i, 0, width - 1)] > middle) << i;
  }
  return bits;
}

/// Sums of both sides over the window; `isInside` where all of it lies in the
/// picture.
FOCAL_FUNCTION void sumSides(const float4 *source, const float *radius,
                             const struct FocalMatteParameters *p, const float *weights,
                             int32_t window, int32_t x, int32_t y, FocalEdgeRadii radii,
                             int32_t isInside, const uint32_t *nearBits, FocalMatteSide *front,
                             FocalMatteSide *back) {
  const int32_t rim = window + 1;
  for (int32_t j = -window; j <= window; j++) {
    const int32_t yy = y + j;
    if (!isInside && (yy < 0 || yy >= p->height)) continue;
    const uint32_t u = nearBits[j + rim - 1], v = nearBits[j + rim], w = nearBits[j + rim + 1];
    const uint32_t any = u | v | w, all = u & v & w;
    const uint32_t impure = (any | any << 1 | any >> 1) & ~(all & all << 1 & all >> 1);
    for (int32_t i = -window; i <= window; i++) {
      const int32_t xx = x + i;
      if (!isInside && (xx < 0 || xx >= p->width)) continue;
      const size_t q = (size_t)yy * (size_t)p->width + (size_t)xx;
      const float own = radius[q];
      const float near = own < radii.least || own > radii.most ? 0.0f : weights[i * i + j * j];
      const float weight = near * (impure >> (i + rim) & 1 ? p->impure : 1.0f);
      float4 c = source[q];
      const int32_t isFront = v >> (i + rim) & 1;
      const float wf = isFront ? weight * focal_frontWeight(c) : 0.0f;
      const float wb = isFront ? 0.0f : weight;
      float4 squared = c * c;
      c.w = own;
      squared.w = 1.0f;
      front->mean += wf * c;
      back->mean += wb * c;
      front->square += wf * squared;
      back->square += wb * squared;
    }
  }
}

FOCAL_FUNCTION void matteEdgePixel(const float4 *source, const float *radius, float *alphas,
                                   float *records, const struct FocalMatteParameters *p,
                                   const float *weights, int32_t window, int32_t x, int32_t y,
                                   float low, float high) {
  const int32_t width = p->width, height = p->height;
  const float middle = 0.5f * (low + high);
  // Side of every pixel of the window and a rim of one, a bit each. A pixel
  // whose 3 x 3 neighbours are of one side is pure.
  const int32_t rim = window + 1, side = 2 * rim + 1;
  uint32_t nearBits[2 * FOCAL_LARGEST_MATTE_WINDOW + 3];
  for (int32_t j = 0; j < side; j++) {
    const float *row = radius + (size_t)focal_clamp_int(y + j - rim, 0, height - 1) * (size_t)width;
    nearBits[j] = sidesOfRow(row, width, x - rim, side, middle);
  }
  const float4 zero = {0};
  FocalMatteSide front = {zero, zero}, back = {zero, zero};
  const FocalEdgeRadii radii = focal_edgeRadii(p->edge, low, high);
  if (x >= window && x + window < width && y >= window && y + window < height) {
    sumSides(source, radius, p, weights, window, x, y, radii, 1, nearBits, &front, &back);
  } else {
    sumSides(source, radius, p, weights, window, x, y, radii, 0, nearBits, &front, &back);
  }
  if (front.square.w <= 0.0f || back.square.w <= 0.0f) return;
  front = focal_meanOfSide(front);
  back = focal_meanOfSide(back);
  const size_t o = (size_t)y * (size_t)width + (size_t)x;
  float *out = records + o * FocalMatteRecordFloats;
  const bool isNear = radius[o] > middle;
  const float backRadius = focal_backRadius(p->edge, low, isNear ? back.mean.w : radius[o]);
  const float focus = backFocus(backRadius);
  if (focus > 0.0f) {
    const float4 across = backAcross(source, radius, *p, x, y, radii.least, middle, front.mean,
                                     back.mean);
    back.mean = back.mean + focus * (across - back.mean);
  }
  const float prior = focal_shareOfSides(nearBits[window] >> window, nearBits[rim] >> window,
                                         nearBits[rim + 1] >> window);
  const float alpha = focal_matteAlpha(front, back, source[o], prior, p->trust);
  if (alpha <= 0.0f) {
    // All far: one surface, whatever the map says.
    alphas[o] = 1.0f;
    out[FocalMatteFrontRadius] = backRadius;
    out[FocalMatteBackRadius] = FOCAL_NO_SURFACE;
    return;
  }
  alphas[o] = alpha;
  out[FocalMatteFrontRadius] = isNear ? radius[o] : front.mean.w;
  back.square.x = (1.0f - focus) * back.square.x;
  const float4 behind = focal_unexplained(front, back, source[o], alpha);
  out[FocalMatteBackR] = behind.x;
  out[FocalMatteBackG] = behind.y;
  out[FocalMatteBackB] = behind.z;
  out[FocalMatteBackRadius] = backRadius;
}

/// matteEdgePixel, with the windows in use compiled on their own.
FOCAL_FUNCTION void matteWindowedPixel(const float4 *source, const float *radius, float *alphas,
                                       float *records, const struct FocalMatteParameters *p,
                                       const float *weights, int32_t x, int32_t y, float low,
                                       float high) {
  switch (p->window) {
    case 1:
      matteEdgePixel(source, radius, alphas, records, p, weights, 1, x, y, low, high);
      break;
    case 2:
      matteEdgePixel(source, radius, alphas, records, p, weights, 2, x, y, low, high);
      break;
    default:
      matteEdgePixel(source, radius, alphas, records, p, weights, p->window, x, y, low, high);
      break;
  }
}

/// Flags of a row's blocks. Integers, since a compiler may not reorder
/// floating-point reductions.
FOCAL_FUNCTION void flagRow(const float *restrict radius, const float *restrict alpha,
                            const struct FocalFocusRange *focus, int32_t width,
                            uint8_t *restrict flags) {
  const struct FocalFocusRange f = *focus;
  for (int32_t x0 = 0; x0 < width; x0 += FOCAL_FLAG_BLOCK) {
    const int32_t n = width - x0 < FOCAL_FLAG_BLOCK ? width - x0 : FOCAL_FLAG_BLOCK;
    int32_t all = 0;
    for (int32_t i = 0; i < n; i++) {
      const float r = radius[x0 + i];
      const int32_t soft = (r < -f.smallest) | (r > f.smallest), focused = r >= f.farLimit;
      all |= (alpha[x0 + i] < FOCAL_PLAIN ? FocalFlagEdge : 0) | (focused ? FocalFlagFocused : 0) |
             (soft ? FocalFlagSoft : 0) |
             ((soft & focused & (r <= f.nearLimit)) ? FocalFlagCircle : 0);
    }
    flags[x0 / FOCAL_FLAG_BLOCK] = (uint8_t)all;
  }
}

/// Pixels marked at a time.
#define MARKED 256

/// Splits the pixels at depth edges into a front, its coverage, and a back.
///
/// A pixel on an edge mixes two surfaces, and a lens blurs the two by
/// different circles, so a single radius is wrong for it. Where the radius
/// steps inside the 3 x 3 neighbourhood, the colours of the near side, F, and
/// of the far side, B, are averaged over a window, and the coverage is the
/// projection of the pixel on the line from B to F,
///     alpha = clamp((I - B).(F - B) / |F - B|^2),
/// trusted as far as F and B differ by more than they scatter. The share that the
/// map gives the pixel fills the rest. Where the far side is in focus, B goes on
/// across the pixel. B is kept with its part of what the means leave unexplained;
/// readers take alpha F = I - (1 - alpha) B, so that front over back gives the
/// picture again.
FOCAL_CLONES FOCAL_ENTRY_POINT(matte) {
  FOCAL_BUFFERS(matte)
  const int32_t width = p->width, height = p->height;
  float *alphas = matte, *records = alphas + (size_t)width * (size_t)height;
  // By squared distance.
  float weights[2 * FOCAL_LARGEST_MATTE_WINDOW * FOCAL_LARGEST_MATTE_WINDOW + 1];
  for (int32_t d = 0; d <= 2 * p->window * p->window; d++) {
    weights[d] = focal_matteWeight(d);
  }
  for (uint32_t row = begin; row < end; row++) {
    const int32_t y = (int32_t)row;
    const float *above = radius + (size_t)(y > 0 ? y - 1 : y) * (size_t)width;
    const float *here = radius + (size_t)y * (size_t)width;
    const float *below = radius + (size_t)(y + 1 < height ? y + 1 : y) * (size_t)width;
    float *restrict alpha = alphas + (size_t)y * (size_t)width;
    const float edge = p->edge;
    // First a cheap mark, vectorised: the spread of the 3 x 3 neighbourhood.
    for (int32_t x0 = 1; x0 < width - 1; x0 += MARKED) {
      const int32_t n = width - 1 - x0 < MARKED ? width - 1 - x0 : MARKED;
      float lows[MARKED + 2], highs[MARKED + 2];
      for (int32_t i = 0; i < n + 2; i++) {
        const int32_t x = x0 - 1 + i;
        lows[i] = focal_min(focal_min(above[x], below[x]), here[x]);
        highs[i] = focal_max(focal_max(above[x], below[x]), here[x]);
      }
      for (int32_t i = 0; i < n; i++) {
        const float lo = focal_min(focal_min(lows[i], lows[i + 2]), lows[i + 1]);
        const float hi = focal_max(focal_max(highs[i], highs[i + 2]), highs[i + 1]);
        alpha[x0 + i] = hi - lo < focal_edgeStep(edge, lo, hi) ? FOCAL_PLAIN : 0.0f;
      }
    }
    alpha[0] = 0.0f;
    alpha[width - 1] = 0.0f;
    for (int32_t x = 0; x < width; x++) {
      if (alpha[x] != 0.0f) continue;
      float lo, hi;
      neighbourhood(radius, width, height, x, y, &lo, &hi);
      alpha[x] = FOCAL_PLAIN;
      if (hi - lo < focal_edgeStep(edge, lo, hi)) continue;
      matteWindowedPixel(source, radius, alphas, records, p, weights, x, y, lo, hi);
    }
    flagRow(here, alpha, &p->focus, width,
            flags + row * (uint32_t)((width + FOCAL_FLAG_BLOCK - 1) / FOCAL_FLAG_BLOCK));
  }
}
