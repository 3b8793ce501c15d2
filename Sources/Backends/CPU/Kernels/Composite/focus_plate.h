// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ShaderTypes.h"

// The group in focus at picture resolution, one tile and its apron at a time.

#define FOCAL_PLATE_WIDTH (FOCAL_COMPOSITE_WIDTH + 2 * FOCAL_COMPOSITE_APRON)
#define FOCAL_PLATE_HEIGHT (FOCAL_COMPOSITE_HEIGHT + 2 * FOCAL_COMPOSITE_APRON)
#define FOCAL_PLATE_PIXELS (FOCAL_PLATE_WIDTH * FOCAL_PLATE_HEIGHT)

/// Premultiplied colour and alpha, both over the circle's weights, the soft radius of the pixel's
/// circle, negative for what is hidden by something before the plate, and the alpha before the circle.
struct FocalPlate {
  float r[FOCAL_PLATE_PIXELS], g[FOCAL_PLATE_PIXELS], b[FOCAL_PLATE_PIXELS];
  float a[FOCAL_PLATE_PIXELS], circle[FOCAL_PLATE_PIXELS], opacity[FOCAL_PLATE_PIXELS];
};

/// The surfaces of a tile and its apron that leave the focus towards the lens, before the plate. Premultiplied colour and
/// alpha as far as the near group does not draw them, and all of their alpha, over the circle's weights; the circle's soft
/// radius, 0 where there is none; the radius from which on other surfaces hide what these do. Of every pixel both
/// radii and the front's alpha.
struct FocalNearPlate {
  float r[FOCAL_PLATE_PIXELS], g[FOCAL_PLATE_PIXELS], b[FOCAL_PLATE_PIXELS];
  float a[FOCAL_PLATE_PIXELS], whole[FOCAL_PLATE_PIXELS], circle[FOCAL_PLATE_PIXELS];
  float front[FOCAL_PLATE_PIXELS], back[FOCAL_PLATE_PIXELS], cover[FOCAL_PLATE_PIXELS];
  float limit[FOCAL_PLATE_PIXELS];
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

/// A pixel's two surfaces; the back's radius is FOCAL_NO_SURFACE where there is none.
struct FocalPixelSurfaces {
  const float *colour, *behind;  ///< of both together, and of the back
  float front, back, alpha;
};

FOCAL_FUNCTION struct FocalPixelSurfaces focal_surfacesAt(const struct FocalPlateInput *in,
                                                          size_t q) {
  const float *edge = in->matte + in->count + q * FocalMatteRecordFloats;
  const int plain = in->matte[q] == FOCAL_PLAIN;
  const struct FocalPixelSurfaces s = {in->source + 4 * q, edge + FocalMatteBackR,
                                       plain ? in->radius[q] : edge[FocalMatteFrontRadius],
                                       plain ? FOCAL_NO_SURFACE : edge[FocalMatteBackRadius],
                                       plain ? 1.0f : in->matte[q]};
  return s;
}

/// What the front of a pixel hides, (r, g, b, a): the back, or what the layers have there. Returns its radius,
/// FOCAL_NO_SURFACE where nothing farther than `limit` is known.
FOCAL_FUNCTION float focal_hiddenPixel(const struct FocalPlateInput *in,
                                       const struct FocalCompositeParameters *p, int32_t x,
                                       int32_t y, const struct FocalPixelSurfaces *s, float limit,
                                       float *out) {
  if (s->back > FOCAL_NO_SURFACE && s->back <= p->focus.nearLimit) {
    const float share = focal_plateShare(p, s->back);
    for (size_t i = 0; i < 3; i++) out[i] = share * s->behind[i];
    out[3] = share;
    return s->back;
  }
  const size_t o =
      (size_t)(y / p->scale + p->layerOriginY) * (size_t)p->layerWidth + (size_t)(x / p->scale);
  const float behind = in->layers[FocalLayerBackRadius * in->layerCount + o] * (float)p->scale;
  if (!(behind > FOCAL_NO_SURFACE && behind < limit)) return FOCAL_NO_SURFACE;
  const int isDeep = behind > p->focus.nearLimit;
  const size_t first = isDeep ? FocalLayerDeepR : FocalLayerBackR;
  const float hidden =
      isDeep ? in->layers[FocalLayerDeepRadius * in->layerCount + o] * (float)p->scale : behind;
  const float share = focal_plateShare(p, hidden);
  for (size_t i = 0; i < 3; i++) out[i] = share * in->layers[(first + i) * in->layerCount + o];
  out[3] = share;
  return hidden;
}

/// Whether a surface of this radius lies before the plate.
FOCAL_FUNCTION int focal_isBeforePlate(const struct FocalCompositeParameters *p, float radius) {
  return radius > p->focus.smallest && radius <= p->focus.nearLimit;
}

/// Makes of a pixel's surfaces those that lie before the plate, as one: two nearly alike would each show the other's
/// light, which is not known well. Under a nearer front it is the back alone. Returns the radius of the farther one,
/// FOCAL_NO_SURFACE where nothing lies before the plate.
FOCAL_FUNCTION float focal_takeBefore(const struct FocalCompositeParameters *p,
                                      struct FocalPixelSurfaces *s) {
  const int isFront = focal_isBeforePlate(p, s->front);
  const int isBack = s->front > p->focus.smallest && focal_isBeforePlate(p, s->back);
  if (!isBack) return isFront ? s->front : FOCAL_NO_SURFACE;
  const float lowest = isFront ? focal_min(s->front, s->back) : s->back;
  if (!isFront || s->alpha < 0.5f) s->front = s->back;
  if (!isFront) s->colour = s->behind;
  s->alpha = 1.0f;
  s->back = FOCAL_NO_SURFACE;
  return lowest;
}

/// What a pixel hides whose surfaces lie before the plate, as focal_hiddenPixel: not what lies there itself, which would
/// stay sharp. `lowest` is the radius of the farther surface.
FOCAL_FUNCTION float focal_hiddenBefore(const struct FocalPlateInput *in,
                                        const struct FocalCompositeParameters *p, int32_t x,
                                        int32_t y, const struct FocalPixelSurfaces *s,
                                        float lowest, float *out) {
  const float step = focal_edgeStep(p->edge, lowest, lowest);
  return focal_hiddenPixel(in, p, x, y, s, focal_min(lowest - step, p->focus.smallest), out);
}

/// One pixel of the plate: (r, g, b, a) and its radius, before the circle. `isBefore` says whether surfaces that leave
/// the focus towards the lens lie before the plate of the tile; `isHidden` is set where the pixel is hidden by one.
FOCAL_FUNCTION float focal_platePixel(const struct FocalPlateInput *in,
                                      const struct FocalCompositeParameters *p, int32_t x,
                                      int32_t y, int isBefore, float *out, int *isHidden) {
  const size_t q = (size_t)y * (size_t)p->width + (size_t)x;
  const struct FocalPixelSurfaces s = focal_surfacesAt(in, q);
  const float *c = s.colour;
  const float nearest = p->focus.nearLimit;
  if (s.front > (isBefore ? p->focus.smallest : nearest)) {
    // Under a near object, or one that lies before the plate: what it hides, or under two, if that is in focus.
    struct FocalPixelSurfaces before = s;
    const float lowest = isBefore ? focal_takeBefore(p, &before) : FOCAL_NO_SURFACE;
    const int isNear = lowest == FOCAL_NO_SURFACE;
    const float hidden = isNear ? focal_hiddenPixel(in, p, x, y, &s, 1.0e9f, out)
                                : focal_hiddenBefore(in, p, x, y, &before, lowest, out);
    *isHidden = hidden > FOCAL_NO_SURFACE && !isNear;
    if (hidden > FOCAL_NO_SURFACE) return hidden;
    // A surface that leaves the focus towards the lens continues itself.
    const float itself = !isNear || s.back <= FOCAL_NO_SURFACE ? 1.0f : 0.0f;
    const float *seen = isNear ? c : before.colour;
    for (size_t i = 0; i < 3; i++) out[i] = itself * seen[i];
    out[3] = itself;
    return focal_min(isNear ? s.front : before.front, nearest);
  }
  const float share = focal_plateShare(p, s.front);
  if (s.back <= FOCAL_NO_SURFACE) {
    for (size_t i = 0; i < 3; i++) out[i] = share * c[i];
    out[3] = share;
    return s.front;
  }
  const float alpha = s.alpha;
  const float backShare = (1.0f - alpha) * focal_plateShare(p, s.back);
  for (size_t i = 0; i < 3; i++) {
    const float above = focal_max(0.0f, c[i] - (1.0f - alpha) * s.behind[i]);
    out[i] = share * above + backShare * s.behind[i];
  }
  out[3] = share * alpha + backShare;
  return share * alpha >= backShare ? s.front : s.back;
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

/// The soft radius of a circle; `scale` is 1 / (sum of its weights).
FOCAL_FUNCTION float focal_softCircle(const struct FocalPlateInput *in,
                                      const struct FocalCompositeParameters *p, float radius,
                                      float *scale) {
  const float at = focal_min(radius * p->tableScale, (float)(p->tableCount - 2));
  const int32_t n = (int32_t)at;
  const float f = at - (float)n;
  const float *t = in->table + 2 * n;
  *scale = t[1] + f * (t[3] - t[1]);
  return t[0] + f * (t[2] - t[0]);
}

/// Fills what lies before the plate of the tile at (left, top), and the apron around it. Returns the largest soft radius,
/// 0 where there is nothing.
FOCAL_FUNCTION float focal_fillNearPlate(struct FocalNearPlate *near,
                                         const struct FocalPlateInput *in,
                                         const struct FocalCompositeParameters *p, int32_t left,
                                         int32_t top) {
  float largest = 0.0f;
  for (int32_t j = 0; j < FOCAL_PLATE_HEIGHT; j++) {
    const int32_t y = focal_clamp_int(top + j - FOCAL_COMPOSITE_APRON, 0, p->height - 1);
    for (int32_t i = 0; i < FOCAL_PLATE_WIDTH; i++) {
      const int32_t x = focal_clamp_int(left + i - FOCAL_COMPOSITE_APRON, 0, p->width - 1);
      const int32_t o = j * FOCAL_PLATE_WIDTH + i;
      struct FocalPixelSurfaces s =
          focal_surfacesAt(in, (size_t)y * (size_t)p->width + (size_t)x);
      near->front[o] = s.front;
      near->back[o] = s.back;
      near->cover[o] = s.alpha;
      near->limit[o] = 0.0f;
      near->r[o] = near->g[o] = near->b[o] = near->a[o] = near->whole[o] = near->circle[o] = 0.0f;
      const float lowest = focal_takeBefore(p, &s);
      if (lowest == FOCAL_NO_SURFACE) continue;
      float scale;
      const float circle = focal_softCircle(in, p, s.front, &scale);
      const float drawn = focal_smooth_step(p->nearLow, p->nearInverseWidth, s.front);
      const float rest = scale * (1.0f - drawn);
      const float under = s.back > FOCAL_NO_SURFACE ? 1.0f - s.alpha : 0.0f;
      float above[3];
      for (size_t k = 0; k < 3; k++)
        above[k] = under > 0.0f ? focal_max(0.0f, s.colour[k] - under * s.behind[k]) : s.colour[k];
      near->r[o] = rest * above[0];
      near->g[o] = rest * above[1];
      near->b[o] = rest * above[2];
      near->a[o] = rest * s.alpha;
      near->whole[o] = scale * s.alpha;
      near->circle[o] = circle;
      // Half way to what is hidden: noise of the map is no gap.
      float hidden[4];
      const float behind = focal_hiddenBefore(in, p, x, y, &s, lowest, hidden);
      near->limit[o] = 0.5f * (lowest + behind);
      largest = focal_max(largest, circle);
    }
  }
  return largest;
}

/// Fills the plate of the tile at (left, top). Returns the largest soft
/// radius; `apron` pixels around it are filled too;
/// `isBefore` as for focal_platePixel;
/// `solid` is set where every pixel is opaque,
/// `empty` where none has anything.
FOCAL_FUNCTION float focal_fillPlate(struct FocalPlate *plate, const struct FocalPlateInput *in,
                                     const struct FocalCompositeParameters *p, int32_t left,
                                     int32_t top, int32_t apron, int isBefore, int32_t *solid,
                                     int32_t *empty) {
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
      int isHidden = 0;
      const float radius = focal_abs(focal_platePixel(in, p, x, y, isBefore, pixel, &isHidden));
      float circle = 1.0f, scale = 1.0f;
      // A plate without an apron is not blurred: it shows under near objects only.
      if (apron > 0 && pixel[3] > 0.0f && radius > p->focus.smallest) {
        circle = focal_softCircle(in, p, radius, &scale);
      }
      plate->r[o] = scale * pixel[0];
      plate->g[o] = scale * pixel[1];
      plate->b[o] = scale * pixel[2];
      plate->a[o] = scale * pixel[3];
      plate->circle[o] = isHidden ? -circle : circle;
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
