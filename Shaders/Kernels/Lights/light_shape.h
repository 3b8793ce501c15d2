// SPDX-License-Identifier: Apache-2.0
//
// The outline of a light's disc, and with FOCAL_SHAPES the light within it. On the processor, too: there FOCAL_TAKES
// is the table `opening` and the parameters.
#pragma once

#include "focal_lights.h"

/// How far within the outline of a disc or polygon of radius `size` a point lies, `own` the light's signed radius.
FOCAL_FUNCTION float insideOf(FOCAL_TAKES float dx, float dy, float own, float size) {
  if (p.blades == 0) return size - focal_sqrt(dx * dx + dy * dy);
  // Behind the focus the opening is upside down.
  float most = -1.0e30f;
  for (int32_t i = 0; i < p.blades; i++) {
    const float along = opening[2 * i] * dx + opening[2 * i + 1] * dy;
    most = focal_max(most, own < 0.0f ? -along : along);
  }
  return p.apothem * size - most;
}

#if defined(FOCAL_SHAPES)

/// A light's disc.
FOCAL_STRUCT(LightShape) {
  float own, size, most;       ///< signed radius, radius and reach, pixels
  float outline;               ///< the light's
  float perSoftness, perRadius;
  float px, py;                ///< the light's place
  int32_t level;               ///< of the tables: this one and the next, of which `coarser` is taken
  float coarser;
  float4 base, slope;          ///< the profile's, so that the disc holds all of the light
};

/// One of the opening's tables at a point of the lens, linear between its cells; nothing is outside.
FOCAL_FUNCTION float tableAt(FOCAL_TAKES int32_t level, float ux, float uy) {
  const int32_t side = FOCAL_OPENING_SIDE >> level;
  // The tables are one behind the other, each a quarter of the one before.
  const int32_t first =
      p.tables + 4 * (FOCAL_OPENING_SIDE * FOCAL_OPENING_SIDE - side * side) / 3;
  const float middle = 0.5f * FOCAL_FLOAT(side);
  const float column = (ux + 1.0f) * middle - 0.5f, row = (uy + 1.0f) * middle - 0.5f;
  const int32_t x = focal_floor_int(column), y = focal_floor_int(row);
  const float fx = column - FOCAL_FLOAT(x), fy = row - FOCAL_FLOAT(y);
  const int32_t x0 = focal_clamp_int(x, 0, side - 1), x1 = focal_clamp_int(x + 1, 0, side - 1);
  const int32_t y0 = focal_clamp_int(y, 0, side - 1), y1 = focal_clamp_int(y + 1, 0, side - 1);
  const float left = x == x0 ? 1.0f - fx : 0.0f, right = x + 1 == x1 ? fx : 0.0f;
  const float top = y == y0 ? 1.0f - fy : 0.0f, bottom = y + 1 == y1 ? fy : 0.0f;
  return top * (left * opening[first + y0 * side + x0] + right * opening[first + y0 * side + x1]) +
         bottom * (left * opening[first + y1 * side + x0] + right * opening[first + y1 * side + x1]);
}

/// The gain that makes up for the barrel's cut of a channel's light at a place.
FOCAL_FUNCTION float placeGain(FOCAL_TAKES int32_t channel, float px, float py) {
  const float middle = 0.5f * FOCAL_FLOAT(FOCAL_OPENING_PLACES - 1);
  const float last = FOCAL_FLOAT(FOCAL_OPENING_PLACES - 1);
  const float column = focal_clamp((px + 1.0f) * middle, 0.0f, last);
  const float row = focal_clamp((py + 1.0f) * middle, 0.0f, last);
  const int32_t x = focal_min_int(FOCAL_INT(column), FOCAL_OPENING_PLACES - 2);
  const int32_t y = focal_min_int(FOCAL_INT(row), FOCAL_OPENING_PLACES - 2);
  const float fx = column - FOCAL_FLOAT(x), fy = row - FOCAL_FLOAT(y);
  const int32_t o = p.places + channel * FOCAL_OPENING_PLACES * FOCAL_OPENING_PLACES +
                    y * FOCAL_OPENING_PLACES + x;
  const float upper = opening[o] + fx * (opening[o + 1] - opening[o]);
  const int32_t next = o + FOCAL_OPENING_PLACES;
  const float lower = opening[next] + fx * (opening[next + 1] - opening[next]);
  return upper + fy * (lower - upper);
}

/// The gain that makes up for the light that a profile adds to a channel at an edge of this width, in radii.
FOCAL_FUNCTION float widthGain(FOCAL_TAKES int32_t channel, float width) {
  const float last = FOCAL_FLOAT(FOCAL_OPENING_WIDTHS - 1);
  const float at = focal_clamp(width * (0.5f * last), 0.0f, last);
  const int32_t i = focal_min_int(FOCAL_INT(at), FOCAL_OPENING_WIDTHS - 2);
  const int32_t o = p.widths + channel * FOCAL_OPENING_WIDTHS + i;
  return opening[o] + (at - FOCAL_FLOAT(i)) * (opening[o + 1] - opening[o]);
}

/// The disc of a light that is seen at (cx, cy), pixels of the picture.
FOCAL_FUNCTION LightShape shapeOf(FOCAL_TAKES FocalSmallLight light, float cx, float cy) {
  LightShape s;
  s.own = light.radius;
  s.size = focal_abs(light.radius);
  s.outline = light.outline;
  s.most = focal_discReach(s.size, light.softness, p.rim);
  s.perSoftness = focal_reciprocal(light.softness);
  const float positive = focal_reciprocal(s.size);
  s.perRadius = light.radius < 0.0f ? -positive : positive;
  s.px = focal_clamp((2.0f * cx - FOCAL_FLOAT(p.barrel.pictureWidth)) * p.barrel.perPixel, -1.0f,
                     1.0f);
  s.py = focal_clamp((2.0f * cy - FOCAL_FLOAT(p.barrel.pictureHeight)) * p.barrel.perPixel, -1.0f,
                     1.0f);
  const float width = light.softness * positive;
  const float level =
      focal_clamp(focal_log2(FOCAL_OPENING_CELL * 0.5f * FOCAL_FLOAT(FOCAL_OPENING_SIDE) * width),
                  0.0f, FOCAL_FLOAT(FOCAL_OPENING_LEVELS - 1));
  s.level = focal_min_int(FOCAL_INT(level), FOCAL_OPENING_LEVELS - 2);
  s.coarser = level - FOCAL_FLOAT(s.level);
  const int32_t side = light.radius < 0.0f ? 0 : 3;
  float4 gain = FOCAL_FLOAT4(1.0f, 1.0f, 1.0f, 0.0f);
  if (p.isProfiled != 0) {
    gain.x = widthGain(FOCAL_PASSES side, width);
    gain.y = widthGain(FOCAL_PASSES side + 1, width);
    gain.z = widthGain(FOCAL_PASSES side + 2, width);
  }
  if (p.barrel.isThere != 0) {
    gain.x *= placeGain(FOCAL_PASSES side, s.px, s.py);
    gain.y *= placeGain(FOCAL_PASSES side + 1, s.px, s.py);
    gain.z *= placeGain(FOCAL_PASSES side + 2, s.px, s.py);
  }
  s.base = FOCAL_FLOAT4(p.base[side] * gain.x, p.base[side + 1] * gain.y, p.base[side + 2] * gain.z,
                        0.0f);
  s.slope = FOCAL_FLOAT4(p.slope[side] * gain.x, p.slope[side + 1] * gain.y,
                         p.slope[side + 2] * gain.z, 0.0f);
  return s;
}

/// Share of a pixel that the disc covers, (dx, dy) from its centre.
FOCAL_FUNCTION float shapeCoverage(FOCAL_TAKES LightShape s, float dx, float dy) {
  const float ux = dx * s.perRadius, uy = dy * s.perRadius;
  if (p.isTable == 0) {
    float inside = insideOf(FOCAL_PASSES dx, dy, s.own, s.outline);
    if (p.barrel.isThere != 0) {
      inside = focal_min(inside, s.size * focal_withinBarrel(p.barrel, ux, uy, s.px, s.py));
    }
    return focal_discCoverage(inside, s.perSoftness);
  }
  const float fine = tableAt(FOCAL_PASSES s.level, ux, uy);
  const float coarse = tableAt(FOCAL_PASSES s.level + 1, ux, uy);
  float share = fine + s.coarser * (coarse - fine);
  if (p.barrel.isThere != 0) {
    share *= focal_discCoverage(s.size * focal_withinBarrel(p.barrel, ux, uy, s.px, s.py),
                                s.perSoftness);
  }
  return dx * dx + dy * dy < s.most * s.most ? share : 0.0f;
}

/// The square of a pixel's distance from the opening's middle, as on a disc.
FOCAL_FUNCTION float shapeDistance(FOCAL_TAKES LightShape s, float dx, float dy) {
  const float x = dx * s.perRadius * p.squeeze, y = dy * s.perRadius;
  return x * x + y * y;
}

/// The light at such a distance.
FOCAL_FUNCTION float shapeLight(float base, float slope, float away) {
  return focal_max(base + slope * away, 0.0f);
}

#endif
