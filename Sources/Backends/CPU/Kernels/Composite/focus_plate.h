// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ShaderTypes.h"

// The group in focus at picture resolution, one tile and its apron at a time.

#define FOCAL_PLATE_WIDTH (FOCAL_COMPOSITE_WIDTH + 2 * FOCAL_COMPOSITE_APRON)
#define FOCAL_PLATE_HEIGHT (FOCAL_COMPOSITE_HEIGHT + 2 * FOCAL_COMPOSITE_APRON)
#define FOCAL_PLATE_PIXELS (FOCAL_PLATE_WIDTH * FOCAL_PLATE_HEIGHT)

/// Premultiplied colour and alpha, both over the circle's weights, the soft radius of the pixel's
/// circle, and the alpha before the circle.
struct FocalPlate {
  float r[FOCAL_PLATE_PIXELS], g[FOCAL_PLATE_PIXELS], b[FOCAL_PLATE_PIXELS];
  float a[FOCAL_PLATE_PIXELS], circle[FOCAL_PLATE_PIXELS], opacity[FOCAL_PLATE_PIXELS];
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
    // Under a near object: what it hides, or under two, if that is in focus.
    if (back > FOCAL_NO_SURFACE && back <= p->focus.nearLimit) {
      const float share = focal_plateShare(p, back);
      for (size_t i = 0; i < 3; i++) out[i] = share * edge[FocalMatteBackR + i];
      out[3] = share;
      return back;
    }
    const size_t o =
        (size_t)(y / p->scale + p->layerOriginY) * (size_t)p->layerWidth + (size_t)(x / p->scale);
    const float behind = in->layers[FocalLayerBackRadius * in->layerCount + o] * (float)p->scale;
    if (behind > FOCAL_NO_SURFACE) {
      const int isDeep = behind > p->focus.nearLimit;
      const size_t first = isDeep ? FocalLayerDeepR : FocalLayerBackR;
      const float hidden =
          isDeep ? in->layers[FocalLayerDeepRadius * in->layerCount + o] * (float)p->scale : behind;
      const float share = focal_plateShare(p, hidden);
      for (size_t i = 0; i < 3; i++)
        out[i] = share * in->layers[(first + i) * in->layerCount + o];
      out[3] = share;
      return hidden;
    }
    // A surface that leaves the focus towards the lens continues itself.
    const float itself = plain ? 1.0f : 0.0f;
    for (size_t i = 0; i < 3; i++) out[i] = itself * c[i];
    out[3] = itself;
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

/// The content of a tile and its apron.
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

/// Fills sixteen pixels of a plate from plain, sharp or far pixels in one go;
/// returns 0, having done nothing, where there is anything else.
FOCAL_FUNCTION int32_t focal_fillSharpRun(struct FocalPlate *plate, int32_t o,
                                          const struct FocalPlateInput *in,
                                          const struct FocalCompositeParameters *p, size_t q,
                                          float *low, float *high) {
  const float *restrict radius = in->radius + q, *restrict alpha = in->matte + q;
  const float *restrict source = in->source + 4 * q;
  const float fade = p->focus.farLimit, smallest = p->focus.smallest;
  int32_t other = 0, focused = 0, absent = 0;
  for (int32_t x = 0; x < 16; x++) {
    const int32_t sharp = (radius[x] >= -smallest) & (radius[x] <= smallest);
    const int32_t far = radius[x] < fade;
    other |= (alpha[x] < FOCAL_PLAIN) | !(sharp | far);
    focused |= sharp;
    absent |= far;
  }
  if (other) return 0;
  for (int32_t x = 0; x < 16; x++) {
    const float share = radius[x] < fade ? 0.0f : 1.0f;
    plate->r[o + x] = share * source[4 * x];
    plate->g[o + x] = share * source[4 * x + 1];
    plate->b[o + x] = share * source[4 * x + 2];
    plate->a[o + x] = share;
    plate->circle[o + x] = 1.0f;
    plate->opacity[o + x] = share;
  }
  if (focused) *high = 1.0f;
  if (absent) *low = 0.0f;
  return 1;
}

/// Fills the plate of the tile at (left, top). Returns the largest soft
/// radius; `apron` pixels around it are filled too;
/// `solid` is set where every pixel is opaque,
/// `empty` where none has anything.
FOCAL_FUNCTION float focal_fillPlate(struct FocalPlate *plate, const struct FocalPlateInput *in,
                                     const struct FocalCompositeParameters *p, int32_t left,
                                     int32_t top, int32_t apron, int32_t *solid, int32_t *empty) {
  float largest = 1.0f, lowest = 1.0f, highest = 0.0f;
  const int32_t skipped = FOCAL_COMPOSITE_APRON - apron;
  for (int32_t j = skipped; j < FOCAL_PLATE_HEIGHT - skipped; j++) {
    const int32_t y = focal_clamp_int(top + j - FOCAL_COMPOSITE_APRON, 0, p->height - 1);
    for (int32_t i = skipped; i < FOCAL_PLATE_WIDTH - skipped; i++) {
      const int32_t at = left + i - FOCAL_COMPOSITE_APRON;
      if (((i - skipped) & 15) == 0 && i + 16 <= FOCAL_PLATE_WIDTH - skipped && at >= 0 &&
          at + 16 <= p->width &&
          focal_fillSharpRun(plate, j * FOCAL_PLATE_WIDTH + i, in, p,
                             (size_t)y * (size_t)p->width + (size_t)at, &lowest, &highest)) {
        i += 15;
        continue;
      }
      const int32_t x = focal_clamp_int(left + i - FOCAL_COMPOSITE_APRON, 0, p->width - 1);
      const int32_t o = j * FOCAL_PLATE_WIDTH + i;
      float pixel[4];
      float radius = focal_abs(focal_platePixel(in, p, x, y, pixel));
      float circle = 1.0f, scale = 1.0f;
      // A plate without an apron is not blurred: it shows under near objects only.
      if (apron > 0 && pixel[3] > 0.0f && radius > p->focus.smallest) {
        // Soft radius and 1 / (sum of weights), tabulated over the radius.
        const float at = focal_min(radius * p->tableScale, (float)(p->tableCount - 2));
        const int32_t n = (int32_t)at;
        const float f = at - (float)n;
        const float *t = in->table + 2 * n;
        circle = t[0] + f * (t[2] - t[0]);
        scale = t[1] + f * (t[3] - t[1]);
      }
      plate->r[o] = scale * pixel[0];
      plate->g[o] = scale * pixel[1];
      plate->b[o] = scale * pixel[2];
      plate->a[o] = scale * pixel[3];
      plate->circle[o] = circle;
      plate->opacity[o] = pixel[3];
      largest = focal_max(largest, circle);
      lowest = focal_min(lowest, pixel[3]);
      highest = focal_max(highest, pixel[3]);
    }
  }
  *solid = lowest >= 1.0f;
  *empty = highest <= 0.0f;
  return largest;
}
