// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "CPUKernels.h"

// The group in focus at picture resolution, one tile and its apron at a time.

#define FOCAL_PLATE_WIDTH (FOCAL_COMPOSITE_WIDTH + 2 * FOCAL_COMPOSITE_APRON)
#define FOCAL_PLATE_HEIGHT (FOCAL_COMPOSITE_HEIGHT + 2 * FOCAL_COMPOSITE_APRON)
#define FOCAL_PLATE_PIXELS (FOCAL_PLATE_WIDTH * FOCAL_PLATE_HEIGHT)

/// Premultiplied colour, alpha, and the soft radius of the pixel's circle.
struct FocalPlate {
  float r[FOCAL_PLATE_PIXELS], g[FOCAL_PLATE_PIXELS], b[FOCAL_PLATE_PIXELS];
  float a[FOCAL_PLATE_PIXELS], circle[FOCAL_PLATE_PIXELS];
};

/// Inputs of a plate, see FocalComposite buffers.
struct FocalPlateInput {
  const float *source, *radius, *matte, *layers, *table;
  const uint8_t *flags;
  size_t count, layerCount;
};

/// Share of a surface of this radius that the plate draws.
FOCAL_FUNCTION float focal_plateShare(const struct FocalCompositeParameters *p, float radius) {
  if (radius > p->focus.nearLimit || radius <= FOCAL_NO_SURFACE) return 0.0f;
  return 1.0f - focal_smooth_step(p->focusLow, p->focusInverseWidth, -radius);
}

/// One pixel of the plate: (r, g, b, a) and its radius, before the circle.
FOCAL_FUNCTION float focal_platePixel(const struct FocalPlateInput *in,
                                      const struct FocalCompositeParameters *p, int32_t x,
                                      int32_t y, float *out) {
  const size_t q = (size_t)y * (size_t)p->width + (size_t)x;
  const float *c = in->source + 4 * q;
  const float alpha = in->matte[q];
  const float *edge = in->matte + in->count + q * FocalMatteRecordFloats;
  const int plain = alpha == FOCAL_PLAIN;
  float front = plain ? in->radius[q] : edge[FocalMatteFrontRadius];
  const float back = plain ? FOCAL_NO_SURFACE : edge[FocalMatteBackRadius];
  if (front > p->focus.nearLimit) {
    // Under a near object: what it hides, if that is in focus.
    if (back > FOCAL_NO_SURFACE) {
      const float share = focal_plateShare(p, back);
      for (size_t i = 0; i < 3; i++) out[i] = share * edge[FocalMatteBackR + i];
      out[3] = share;
      return back;
    }
    const size_t o = (size_t)(y / p->scale) * (size_t)p->layerWidth + (size_t)(x / p->scale);
    const float hidden = in->layers[FocalLayerBackRadius * in->layerCount + o];
    if (hidden > FOCAL_NO_SURFACE) {
      const float share = focal_plateShare(p, hidden * (float)p->scale);
      for (size_t i = 0; i < 3; i++)
        out[i] = share * in->layers[(FocalLayerBackR + i) * in->layerCount + o];
      out[3] = share;
      return hidden * (float)p->scale;
    }
    // A surface that leaves the focus towards the lens continues itself.
    for (size_t i = 0; i < 3; i++) out[i] = c[i];
    out[3] = 1.0f;
    return p->focus.nearLimit;
  }
  const float share = focal_plateShare(p, front);
  if (back <= FOCAL_NO_SURFACE) {
    for (size_t i = 0; i < 3; i++) out[i] = share * c[i];
    out[3] = share;
    return front;
  }
  const float backShare = (1.0f - alpha) * focal_plateShare(p, back);
  for (size_t i = 0; i < 3; i++) {
    const float behind = edge[FocalMatteBackR + i];
    const float above = focal_max(0.0f, c[i] - (1.0f - alpha) * behind);
    out[i] = share * above + backShare * behind;
  }
  out[3] = share * alpha + backShare;
  return share * alpha >= backShare ? front : back;
}

/// What a tile and its apron hold.
enum FocalPlateClass {
  FocalPlateMixed,    ///< must be filled, sharp where in focus
  FocalPlateBlurred,  ///< must be filled, has small circles
  FocalPlateEmpty,    ///< nothing in focus
  FocalPlateSharp,    ///< everything sharp: the source itself
};

FOCAL_FUNCTION enum FocalPlateClass focal_plateClass(const struct FocalPlateInput *in,
                                                     const struct FocalCompositeParameters *p,
                                                     int32_t left, int32_t top) {
  const int32_t across = (p->width + FOCAL_FLAG_BLOCK - 1) / FOCAL_FLAG_BLOCK;
  const int32_t x0 =
      focal_clamp_int(left - FOCAL_COMPOSITE_APRON, 0, p->width - 1) / FOCAL_FLAG_BLOCK;
  const int32_t x1 =
      focal_clamp_int(left + FOCAL_COMPOSITE_WIDTH + FOCAL_COMPOSITE_APRON - 1, 0, p->width - 1) /
      FOCAL_FLAG_BLOCK;
  const int32_t y0 = focal_clamp_int(top - FOCAL_COMPOSITE_APRON, 0, p->height - 1);
  const int32_t y1 =
      focal_clamp_int(top + FOCAL_COMPOSITE_HEIGHT + FOCAL_COMPOSITE_APRON, 0, p->height);
  int32_t all = 0;
  for (int32_t y = y0; y < y1; y++) {
    for (int32_t x = x0; x <= x1; x++) all |= in->flags[y * across + x];
  }
  if (all & FocalFlagCircle) return FocalPlateBlurred;
  if (all & FocalFlagEdge) return FocalPlateMixed;
  if (!(all & FocalFlagFocused)) return FocalPlateEmpty;
  return all & FocalFlagSoft ? FocalPlateMixed : FocalPlateSharp;
}

/// Pixels of a plate that are filled together.
#define FOCAL_PLATE_RUN 16

/// What a plate's pixels come to; floats of 0 or more as their bits, which
/// order the same and which a compiler may reduce in any order.
struct FocalPlateBounds {
  int32_t largest;          ///< soft radius
  int32_t lowest, highest;  ///< alpha
};

/// Soft radius, and 1 / (sum of weights), of a circle, tabulated over the
/// radius; both 1 where nothing is drawn or it is sharp.
FOCAL_FUNCTION void focal_plateCircle(const float *table, float tableScale, float last, int drawn,
                                      float radius, float *circle, float *scale) {
  const float at = focal_min(radius * tableScale, last);
  const int32_t n = (int32_t)at;
  const float f = at - (float)n;
  const float *t = table + 2 * n;
  *circle = drawn ? t[0] + f * (t[2] - t[0]) : 1.0f;
  *scale = drawn ? t[1] + f * (t[3] - t[1]) : 1.0f;
}

/// Fills a run of a plate from plain pixels, the same as focal_platePixel one
/// by one. Returns a bit for each pixel that is not plain and still to do;
/// where the run has only sharp and far ones no circle is looked up.
FOCAL_FUNCTION uint32_t focal_fillRun(float *restrict toR, float *restrict toG, float *restrict toB,
                                      float *restrict toA, float *restrict toCircle,
                                      const float *restrict radius, const float *restrict alpha,
                                      const float *restrict source,
                                      const struct FocalPlateInput *in,
                                      const struct FocalCompositeParameters *p, int32_t x0,
                                      int32_t y, struct FocalPlateBounds *bounds) {
  const float fade = p->focus.farLimit, smallest = p->focus.smallest, limit = p->focus.nearLimit;
  int32_t other = 0, focused = 0, absent = 0, near = 0;
  uint32_t edges = 0;
  FOCAL_LANE_LOOP
  for (int32_t x = 0; x < FOCAL_PLATE_RUN; x++) {
    const int32_t sharp = (radius[x] >= -smallest) & (radius[x] <= smallest);
    const int32_t far = radius[x] < fade, edge = alpha[x] < FOCAL_PLAIN;
    edges |= (uint32_t)edge << x;
    other |= edge | !(sharp | far);
    near |= (radius[x] > limit) & !edge;
    focused |= sharp;
    absent |= far;
  }
  const int32_t one = 0x3F800000;
  if (!other) {
    FOCAL_LANE_LOOP
    for (int32_t x = 0; x < FOCAL_PLATE_RUN; x++) {
      const float share = radius[x] < fade ? 0.0f : 1.0f;
      toR[x] = share * source[4 * x];
      toG[x] = share * source[4 * x + 1];
      toB[x] = share * source[4 * x + 2];
      toA[x] = share;
      toCircle[x] = 1.0f;
    }
    if (focused) bounds->highest = focal_max_int(bounds->highest, one);
    if (absent) bounds->lowest = 0;
    return 0;
  }
  if (edges == (1u << FOCAL_PLATE_RUN) - 1u) return edges;
  float surface[FOCAL_PLATE_RUN], r[FOCAL_PLATE_RUN], g[FOCAL_PLATE_RUN], b[FOCAL_PLATE_RUN];
  float share[FOCAL_PLATE_RUN];
  FOCAL_LANE_LOOP
  for (int32_t x = 0; x < FOCAL_PLATE_RUN; x++) {
    // A near surface without anything behind continues itself.
    surface[x] = focal_min(radius[x], limit);
    share[x] = 1.0f - focal_smooth_step(p->focusLow, p->focusInverseWidth, -surface[x]);
    share[x] = surface[x] <= FOCAL_NO_SURFACE ? 0.0f : share[x];
    r[x] = source[4 * x];
    g[x] = source[4 * x + 1];
    b[x] = source[4 * x + 2];
  }
  for (int32_t x = 0; near && x < FOCAL_PLATE_RUN; x++) {
    if (!(radius[x] > limit)) continue;
    const size_t o = (size_t)(y / p->scale) * (size_t)p->layerWidth + (size_t)((x0 + x) / p->scale);
    const float hidden = in->layers[FocalLayerBackRadius * in->layerCount + o];
    if (hidden <= FOCAL_NO_SURFACE) continue;
    surface[x] = hidden * (float)p->scale;
    share[x] = focal_plateShare(p, surface[x]);
    r[x] = in->layers[FocalLayerBackR * in->layerCount + o];
    g[x] = in->layers[FocalLayerBackG * in->layerCount + o];
    b[x] = in->layers[FocalLayerBackB * in->layerCount + o];
  }
  int32_t largest = bounds->largest, lowest = bounds->lowest, highest = bounds->highest;
  const float tableScale = p->tableScale, last = (float)(p->tableCount - 2);
  const float *restrict table = in->table;
  FOCAL_LANE_LOOP
  for (int32_t x = 0; x < FOCAL_PLATE_RUN; x++) {
    const float size = focal_abs(surface[x]);
    float circle, scale;
    focal_plateCircle(table, tableScale, last, (share[x] > 0.0f) & (size > smallest), size, &circle,
                      &scale);
    toR[x] = scale * (share[x] * r[x]);
    toG[x] = scale * (share[x] * g[x]);
    toB[x] = scale * (share[x] * b[x]);
    toA[x] = scale * share[x];
    toCircle[x] = circle;
    const int32_t plain = !(alpha[x] < FOCAL_PLAIN);
    const int32_t a = (int32_t)focal_float_to_bits(share[x]);
    largest = focal_max_int(largest, plain ? (int32_t)focal_float_to_bits(circle) : 0);
    highest = focal_max_int(highest, plain ? a : 0);
    lowest = focal_min_int(lowest, plain ? a : one);
  }
  bounds->largest = largest;
  bounds->lowest = lowest;
  bounds->highest = highest;
  return edges;
}

/// Fills one pixel of a plate.
FOCAL_FUNCTION void focal_fillPixel(struct FocalPlate *plate, int32_t o,
                                    const struct FocalPlateInput *in,
                                    const struct FocalCompositeParameters *p, int32_t x, int32_t y,
                                    struct FocalPlateBounds *bounds) {
  float pixel[4], circle, scale;
  const float radius = focal_abs(focal_platePixel(in, p, x, y, pixel));
  focal_plateCircle(in->table, p->tableScale, (float)(p->tableCount - 2),
                    (pixel[3] > 0.0f) & (radius > p->focus.smallest), radius, &circle, &scale);
  plate->r[o] = scale * pixel[0];
  plate->g[o] = scale * pixel[1];
  plate->b[o] = scale * pixel[2];
  plate->a[o] = scale * pixel[3];
  plate->circle[o] = circle;
  const int32_t a = (int32_t)focal_float_to_bits(pixel[3]);
  bounds->largest = focal_max_int(bounds->largest, (int32_t)focal_float_to_bits(circle));
  bounds->lowest = focal_min_int(bounds->lowest, a);
  bounds->highest = focal_max_int(bounds->highest, a);
}

/// Fills the plate of the tile at (left, top). Returns the largest soft
/// radius; `apron` pixels around it are filled too;
/// `solid` is set where every pixel is opaque,
/// `empty` where none has anything.
FOCAL_FUNCTION float focal_fillPlate(struct FocalPlate *plate, const struct FocalPlateInput *in,
                                     const struct FocalCompositeParameters *p, int32_t left,
                                     int32_t top, int32_t apron, int32_t *solid, int32_t *empty) {
  const int32_t one = 0x3F800000, skipped = FOCAL_COMPOSITE_APRON - apron;
  struct FocalPlateBounds bounds = {one, one, 0};
  for (int32_t j = skipped; j < FOCAL_PLATE_HEIGHT - skipped; j++) {
    const int32_t y = focal_clamp_int(top + j - FOCAL_COMPOSITE_APRON, 0, p->height - 1);
    for (int32_t i = skipped; i < FOCAL_PLATE_WIDTH - skipped; i += FOCAL_PLATE_RUN) {
      const int32_t n = focal_min_int(FOCAL_PLATE_RUN, FOCAL_PLATE_WIDTH - skipped - i);
      const int32_t x = left + i - FOCAL_COMPOSITE_APRON, o = j * FOCAL_PLATE_WIDTH + i;
      uint32_t rest = (1u << n) - 1u;
      if (n == FOCAL_PLATE_RUN && x >= 0 && x + n <= p->width) {
        const size_t q = (size_t)y * (size_t)p->width + (size_t)x;
        rest =
            focal_fillRun(plate->r + o, plate->g + o, plate->b + o, plate->a + o, plate->circle + o,
                          in->radius + q, in->matte + q, in->source + 4 * q, in, p, x, y, &bounds);
      }
      for (int32_t k = 0; rest >> k; k++) {
        if (!(rest >> k & 1)) continue;
        focal_fillPixel(plate, o + k, in, p, focal_clamp_int(x + k, 0, p->width - 1), y, &bounds);
      }
    }
  }
  *solid = bounds.lowest >= one;
  *empty = bounds.highest <= 0;
  return focal_bits_to_float((uint32_t)bounds.largest);
}
