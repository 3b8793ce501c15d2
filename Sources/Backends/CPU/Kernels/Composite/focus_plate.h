// SPDX-License-Identifier: Apache-2.0
//
// The group in focus at picture resolution, one tile and its apron at a time.
#pragma once

#define FOCAL_BODY composite
#include <kernel.h>

#include "Composite/focal_plate.h"

#define FOCAL_PLATE_WIDTH (FOCAL_COMPOSITE_WIDTH + 2 * FOCAL_COMPOSITE_APRON)
#define FOCAL_PLATE_HEIGHT (FOCAL_COMPOSITE_HEIGHT + 2 * FOCAL_COMPOSITE_APRON)
#define FOCAL_PLATE_PIXELS (FOCAL_PLATE_WIDTH * FOCAL_PLATE_HEIGHT)

/// Premultiplied colour and alpha, both over the circle's weights, the soft radius of the pixel's
/// circle, and the alpha before the circle.
struct FocalPlate {
  float r[FOCAL_PLATE_PIXELS], g[FOCAL_PLATE_PIXELS], b[FOCAL_PLATE_PIXELS];
  float a[FOCAL_PLATE_PIXELS], circle[FOCAL_PLATE_PIXELS], opacity[FOCAL_PLATE_PIXELS];
};

/// What a tile and its apron hold.
enum FocalPlateClass {
  FocalPlateMixed,    ///< must be filled, sharp where in focus
  FocalPlateBlurred,  ///< must be filled, has small circles
  FocalPlateEmpty,    ///< nothing in focus
  FocalPlateSharp,    ///< everything sharp: the source itself
};

FOCAL_FUNCTION enum FocalPlateClass focal_plateClass(FOCAL_TAKES int32_t left, int32_t top) {
  const int32_t across = (p.width + FOCAL_FLAG_BLOCK - 1) / FOCAL_FLAG_BLOCK;
  const int32_t x0 =
      focal_clamp_int(left - FOCAL_COMPOSITE_APRON, 0, p.width - 1) / FOCAL_FLAG_BLOCK;
  const int32_t x1 =
      focal_clamp_int(left + FOCAL_COMPOSITE_WIDTH + FOCAL_COMPOSITE_APRON - 1, 0, p.width - 1) /
      FOCAL_FLAG_BLOCK;
  const int32_t y0 = focal_clamp_int(top - FOCAL_COMPOSITE_APRON, 0, p.height - 1);
  const int32_t y1 =
      focal_clamp_int(top + FOCAL_COMPOSITE_HEIGHT + FOCAL_COMPOSITE_APRON, 0, p.height);
  int32_t all = 0;
  for (int32_t y = y0; y < y1; y++) {
    for (int32_t x = x0; x <= x1; x++) all |= flags[y * across + x];
  }
  if (all & FocalFlagCircle) return FocalPlateBlurred;
  if (all & FocalFlagEdge) return FocalPlateMixed;
  if (!(all & FocalFlagFocused)) return FocalPlateEmpty;
  return all & FocalFlagSoft ? FocalPlateMixed : FocalPlateSharp;
}

/// Fills sixteen pixels of a plate from plain, sharp or far pixels in one go;
/// returns 0, having done nothing, where there is anything else.
FOCAL_FUNCTION int32_t focal_fillSharpRun(FOCAL_TAKES size_t q, struct FocalPlate *plate, int32_t o,
                                          float *low, float *high) {
  const float *restrict own = radius + q, *restrict alpha = matte + q;
  const float4 *restrict light = source + q;
  const float fade = p.focus.farLimit, smallest = p.focus.smallest;
  int32_t other = 0, focused = 0, absent = 0;
  for (int32_t x = 0; x < 16; x++) {
    const int32_t sharp = (own[x] >= -smallest) & (own[x] <= smallest);
    const int32_t far = own[x] < fade;
    other |= (alpha[x] < FOCAL_PLAIN) | !(sharp | far);
    focused |= sharp;
    absent |= far;
  }
  if (other) return 0;
  for (int32_t x = 0; x < 16; x++) {
    const float share = own[x] < fade ? 0.0f : 1.0f;
    plate->r[o + x] = share * light[x].x;
    plate->g[o + x] = share * light[x].y;
    plate->b[o + x] = share * light[x].z;
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
FOCAL_FUNCTION float focal_fillPlate(FOCAL_TAKES int32_t left, int32_t top, int32_t apron,
                                     struct FocalPlate *plate, int32_t *solid, int32_t *empty) {
  float largest = 1.0f, lowest = 1.0f, highest = 0.0f;
  const int32_t skipped = FOCAL_COMPOSITE_APRON - apron;
  for (int32_t j = skipped; j < FOCAL_PLATE_HEIGHT - skipped; j++) {
    const int32_t y = focal_clamp_int(top + j - FOCAL_COMPOSITE_APRON, 0, p.height - 1);
    for (int32_t i = skipped; i < FOCAL_PLATE_WIDTH - skipped; i++) {
      const int32_t at = left + i - FOCAL_COMPOSITE_APRON;
      if (((i - skipped) & 15) == 0 && i + 16 <= FOCAL_PLATE_WIDTH - skipped && at >= 0 &&
          at + 16 <= p.width &&
          focal_fillSharpRun(FOCAL_PASSES (size_t)y * (size_t)p.width + (size_t)at, plate,
                             j * FOCAL_PLATE_WIDTH + i, &lowest, &highest)) {
        i += 15;
        continue;
      }
      const int32_t x = focal_clamp_int(left + i - FOCAL_COMPOSITE_APRON, 0, p.width - 1);
      const int32_t o = j * FOCAL_PLATE_WIDTH + i;
      const PlatePixel pixel = platePixel(FOCAL_PASSES x, y, apron > 0);
      plate->r[o] = pixel.colour.x;
      plate->g[o] = pixel.colour.y;
      plate->b[o] = pixel.colour.z;
      plate->a[o] = pixel.colour.w;
      plate->circle[o] = pixel.circle;
      plate->opacity[o] = pixel.opacity;
      largest = focal_max(largest, pixel.circle);
      lowest = focal_min(lowest, pixel.opacity);
      highest = focal_max(highest, pixel.opacity);
    }
  }
  *solid = lowest >= 1.0f;
  *empty = highest <= 0.0f;
  return largest;
}
