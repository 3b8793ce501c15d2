// SPDX-License-Identifier: Apache-2.0
//
// Second half of composite: the group in focus at picture resolution with its small circles, the
// blurred groups brought to picture resolution, and all three composed:
//     near + (1 - nearAlpha) (focus + (1 - focusAlpha) far).
// Grid: pixels of the picture, in workgroups of FOCAL_COMPOSE_WIDTH x FOCAL_COMPOSE_HEIGHT.
//
// The processor does a tile of 64 x 16 at a time. Here a workgroup does a part of one: the tile's
// record says what to look at, and where there are small circles the group first fills its part of
// the focus plate, as wide an apron around it as they reach, then of what lies before it. Sums run in the processor's order.

#include "focus_plate.h"

/// One group of the views, from plane `first` on, at row `row` of the layers and columns
/// `left` and `right`, mixed by their weights.
FOCAL_FUNCTION float4 viewsAt(FOCAL_TAKES int32_t first, int32_t row, int32_t left, int32_t right,
                              float leftWeight, float rightWeight) {
  const int32_t count = p.layerWidth * p.layerHeight;
  const int32_t q =
      first * count + focal_clamp_int(row + p.layerOriginY, 0, p.layerHeight - 1) * p.layerWidth;
  const float4 a = FOCAL_FLOAT4(views[q + left], views[count + q + left],
                                views[2 * count + q + left], views[3 * count + q + left]);
  if (p.scale == 1) return a;
  const float4 b = FOCAL_FLOAT4(views[q + right], views[count + q + right],
                                views[2 * count + q + right], views[3 * count + q + right]);
  return leftWeight * a + rightWeight * b;
}

/// One group of the views at a pixel of the picture: linear along the row, then along the column.
FOCAL_FUNCTION float4 enlarged(FOCAL_TAKES int32_t first, int32_t x, int32_t y) {
  int32_t left = x, row = y;
  float rightWeight = 0.0f, below = 0.0f;
  if (p.scale > 1) {
    // Where the pixel's centre lies between those of the cells: sixteenths, exact.
    const float perPixel = focal_toLayer(p.scale);
    const float column = (FOCAL_FLOAT(x) + 0.5f) * perPixel - 0.5f;
    const float line = (FOCAL_FLOAT(y) + 0.5f) * perPixel - 0.5f;
    left = FOCAL_INT(focal_floor(column));
    rightWeight = column - FOCAL_FLOAT(left);
    row = FOCAL_INT(focal_floor(line));
    below = line - FOCAL_FLOAT(row);
  }
  const int32_t a = focal_clamp_int(left, 0, p.layerWidth - 1);
  const int32_t b = focal_clamp_int(left + 1, 0, p.layerWidth - 1);
  const float4 upper = viewsAt(FOCAL_PASSES first, row, a, b, 1.0f - rightWeight, rightWeight);
  const float4 lower = viewsAt(FOCAL_PASSES first, row + 1, a, b, 1.0f - rightWeight, rightWeight);
  return upper + below * (lower - upper);
}

/// Fills a workgroup's part of the plate, or of what lies before it, and an apron of `taps` pixels.
FOCAL_FUNCTION void fillPart(FOCAL_TAKES int32_t left, int32_t top, int32_t lane, int32_t taps,
                             bool isSoft, bool isBefore, bool isPlate) {
  const int32_t columns = FOCAL_COMPOSE_WIDTH + 2 * taps;
  const int32_t pixels = columns * (FOCAL_COMPOSE_HEIGHT + 2 * taps);
  for (int32_t i = lane; i < pixels; i += FOCAL_COMPOSE_WIDTH * FOCAL_COMPOSE_HEIGHT) {
    const int32_t px = focal_clamp_int(left - taps + i % columns, 0, p.width - 1);
    const int32_t py = focal_clamp_int(top - taps + i / columns, 0, p.height - 1);
    PlatePixel pixel;
    if (isPlate) {
      pixel = platePixel(FOCAL_PASSES px, py, isSoft, isBefore);
    } else {
      pixel = beforePixel(FOCAL_PASSES px, py);
    }
    plateColour[i] = pixel.colour;
    plateCircle[i] = pixel.isHidden ? -pixel.circle : pixel.circle;
    plateOpacity[i] = pixel.opacity;
  }
}

/// A pixel of the plate after its circles, `centre` its place in the workgroup's part. The weight of a source at distance
/// d is clamp(circle - d, 0, 1): a disc with a soft edge. What is hidden by something before the plate shows in its gaps
/// alone: it does not spread over what is seen beside it.
FOCAL_FUNCTION float4 blurredPlate(FOCAL_TAKES int32_t centre, int32_t taps, bool isSolid) {
  const int32_t columns = FOCAL_COMPOSE_WIDTH + 2 * taps;
  const bool isHidden = plateCircle[centre] < 0.0f;
  const float ownCircle = focal_abs(plateCircle[centre]);
  float4 focus = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  float opaque = 0.0f, weights = 0.0f;
  for (int32_t j = -taps; j <= taps; j++) {
    for (int32_t i = -taps; i <= taps; i++) {
      const int32_t square = i * i + j * j;
      if (square >= (taps + 1) * (taps + 1)) continue;
      const float d = table[2 * p.tableCount + focal_plateStep(i, j)];
      const int32_t q = centre + j * columns + i;
      // Most circles do not reach that far: what has no weight is not read.
      const float reach = isHidden ? focal_abs(plateCircle[q]) : plateCircle[q];
      const float w = focal_unit(reach - d);
      if (w > 0.0f) focus = focus + w * plateColour[q];
      const float mine = isSolid ? 0.0f : focal_unit(ownCircle - d);
      if (mine > 0.0f) {
        opaque += mine * plateOpacity[q];
        weights += mine;
      }
    }
  }
  // Where circles change from pixel to pixel, their sum misses or exceeds one by some hundredths:
  // the alpha is at least the mean opacity under the pixel's own circle, a solid plate is opaque.
  const float least = isSolid ? 1.0f : opaque * focal_reciprocal(weights);
  const float alpha = focal_min(focal_max(focus.w, least), 1.0f);
  // Nothing has no colour to scale; a sharp pixel stays what it is, to the bit.
  if (alpha != focus.w && focus.w > 0.0f) {
    focus = focus * (alpha * focal_reciprocal(focus.w));
    focus.w = alpha;
  }
  return focus;
}

/// A pixel of the plate under what lies before it.
///
/// A pixel's own surface covers as much of its circle as the surfaces there that are not farther: where circles change from
/// pixel to pixel, their sum misses that by some hundredths. What the near group draws of it lies over the rest, so
/// that the two together cover as much as one.
FOCAL_FUNCTION float4 coveredPlate(FOCAL_TAKES int32_t x, int32_t y, int32_t centre, int32_t taps,
                                   float4 focus) {
  const int32_t columns = FOCAL_COMPOSE_WIDTH + 2 * taps;
  const float ownCircle = plateCircle[centre];
  float limit = 0.0f;
  if (ownCircle > 0.0f) {
    // Half way to what is hidden: noise of the map is no gap.
    const BeforeSurfaces surfaces =
        beforeSurfaces(FOCAL_PASSES surfacesAt(FOCAL_PASSES x, y));
    limit = 0.5f * (surfaces.lowest + hiddenBefore(FOCAL_PASSES x, y, surfaces).circle);
  }
  float4 before = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  float whole = 0.0f, covered = 0.0f, weights = 0.0f;
  for (int32_t j = -taps; j <= taps; j++) {
    for (int32_t i = -taps; i <= taps; i++) {
      const int32_t square = i * i + j * j;
      if (square >= (taps + 1) * (taps + 1)) continue;
      const float d = table[2 * p.tableCount + focal_plateStep(i, j)];
      const int32_t q = centre + j * columns + i;
      const float w = focal_unit(plateCircle[q] - d);
      if (w > 0.0f) {
        before = before + w * plateColour[q];
        whole += w * plateOpacity[q];
      }
      const float mine = focal_unit(ownCircle - d);
      if (mine > 0.0f) {
        const PixelSurfaces s = surfacesAt(FOCAL_PASSES focal_clamp_int(x + i, 0, p.width - 1),
                                           focal_clamp_int(y + j, 0, p.height - 1));
        const float first = s.front > limit ? s.alpha : 0.0f;
        covered += mine * (s.back.w > limit ? 1.0f : first);
        weights += mine;
      }
    }
  }
  const float least = weights > 0.0f ? covered * focal_reciprocal(weights) : 0.0f;
  const float aim = focal_min(focal_max(whole, least), 1.0f);
  const float k = whole > 0.0f ? aim * focal_reciprocal(whole) : 0.0f;
  const float drawn = k * (whole - before.w);
  const float scale = k * focal_reciprocal(focal_max(1.0f - drawn, 1.0e-3f));
  const float open = 1.0f - focal_min(scale * before.w, 1.0f);
  return FOCAL_FLOAT4(scale * before.x + open * focus.x, scale * before.y + open * focus.y,
                      scale * before.z + open * focus.z, 1.0f - open * (1.0f - focus.w));
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_COMPOSE_WIDTH + FOCAL_LOCAL_X();
  // Rows count from the first tile's.
  y += p.firstTile / p.tilesAcross * FOCAL_COMPOSITE_HEIGHT;
  const int32_t left = x - FOCAL_LOCAL_X(), top = y - FOCAL_LOCAL_Y();
  const int32_t item =
      top / FOCAL_COMPOSITE_HEIGHT * p.tilesAcross + left / FOCAL_COMPOSITE_WIDTH - p.firstTile;
  const bool isMade = left < p.width && top < p.height && (p.tileCount == 0 || item < p.tileCount);
  const uint32_t record = isMade ? tiles[item] : 0u;
  const int32_t taps = FOCAL_INT(record >> FOCAL_UINT(FOCAL_FOCUS_TAPS));
  const bool isSoft = (record & FOCAL_UINT(FocalFocusSoft)) != 0u;
  const bool isSolid = (record & FOCAL_UINT(FocalFocusSolid)) != 0u;
  const bool isDrawn = (record & FOCAL_UINT(FocalFocusDrawn)) != 0u;
  const bool isBefore = (record & FOCAL_UINT(FocalFocusBefore)) != 0u;
  const bool isInside = isMade && x < p.width && y < p.height;
  const int32_t columns = FOCAL_COMPOSE_WIDTH + 2 * taps;
  const int32_t centre = (FOCAL_LOCAL_Y() + taps) * columns + FOCAL_LOCAL_X() + taps;
  const float4 zero = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 focus = zero;
  if (isDrawn && taps > 0) {
    fillPart(FOCAL_PASSES left, top, lane, taps, isSoft, isBefore, true);
  }
  FOCAL_BARRIER();
  if (isInside && isDrawn) {
    if (taps == 0) {
      focus = platePixel(FOCAL_PASSES x, y, isSoft, isBefore).colour;
    } else {
      focus = blurredPlate(FOCAL_PASSES centre, taps, isSolid);
    }
  }
  FOCAL_BARRIER();
  if (isBefore) fillPart(FOCAL_PASSES left, top, lane, taps, isSoft, isBefore, false);
  FOCAL_BARRIER();
  if (!isInside) return;
  if (isBefore) focus = coveredPlate(FOCAL_PASSES x, y, centre, taps, focus);
  const int32_t o = y * p.width + x;
  const float4 own = source[o];
  if ((record & FOCAL_UINT(FocalFocusSource)) != 0u) {
    destination[o] = own;
    return;
  }

  const float4 front = (record & FOCAL_UINT(FocalFocusNear)) != 0u
                           ? enlarged(FOCAL_PASSES FocalViewNearR, x, y)
                           : zero;
  const float4 back = (record & FOCAL_UINT(FocalFocusFar)) != 0u
                          ? enlarged(FOCAL_PASSES FocalViewFarR, x, y)
                          : zero;
  const bool isSeen = back.w > 1.0e-4f;
  const float normal = isSeen ? focal_reciprocal(back.w) : 0.0f;
  const float open = 1.0f - front.w, behind = 1.0f - focus.w;
  const float farShare = behind * normal;
  const float total = front.w + open * (focus.w + (isSeen ? behind : 0.0f));
  // A share that no lens point sees leaves the rest to be normalised.
  const float k =
      total < 0.99999f || total > 1.00001f ? focal_reciprocal(focal_max(total, 1.0e-6f)) : 1.0f;
  float4 result = k * (front + open * (focus + farShare * back));
  result.w = own.w;
  destination[o] = result;
}

FOCAL_ENTRY(compose)
