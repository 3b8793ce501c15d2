// SPDX-License-Identifier: Apache-2.0
//
// First half of composite: what each of its tiles holds, near and far group, focus plate and what lies before it, and
// how far the largest small circle reaches. Grid: a workgroup of FOCAL_FOCUS_GROUP invocations a tile, tiles
// across by tiles down.
//
// The processor finds this while it fills a tile's plate. Joined bits and extremes do not depend on
// the order; extremes of floats that are not negative are those of their bits.

#include "focus_plate.h"

/// Bits of `found` beside the flags of the blocks.
#define FOUND_NEAR 256u
#define FOUND_OPEN 512u
#define FOUND_BEFORE 1024u

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t lane = FOCAL_LOCAL_X();
  const int32_t item = FOCAL_GROUP_Y() * p.tilesAcross + FOCAL_GROUP_X();
  const int32_t tile = item + p.firstTile;
  const int32_t one = FOCAL_INT(focal_float_to_bits(1.0f));
  const int32_t left = tile % p.tilesAcross * FOCAL_COMPOSITE_WIDTH;
  const int32_t top = tile / p.tilesAcross * FOCAL_COMPOSITE_HEIGHT;
  if (lane == 0) {
    found[0] = 0u;
    lowest[0] = one;
    highest[0] = 0;
    largest[0] = one;
  }
  FOCAL_BARRIER();

  // The near group under the tile, and the flags of the blocks under it and its apron.
  uint32_t bits = p.split == 0 ? FOUND_NEAR : 0u;
  if (p.split != 0) {
    const int32_t x0 = focal_clamp_int(left / p.scale - 1, 0, p.layerWidth - 1);
    const int32_t x1 =
        focal_clamp_int((left + FOCAL_COMPOSITE_WIDTH) / p.scale + 1, 0, p.layerWidth - 1);
    const int32_t y0 = focal_clamp_int(top / p.scale - 1 + p.layerOriginY, 0, p.layerHeight - 1);
    const int32_t y1 = focal_clamp_int(
        (top + FOCAL_COMPOSITE_HEIGHT) / p.scale + 1 + p.layerOriginY, 0, p.layerHeight - 1);
    const int32_t columns = x1 - x0 + 1, pixels = columns * (y1 - y0 + 1);
    const int32_t alphas = FocalViewNearAlpha * p.layerWidth * p.layerHeight;
    for (int32_t i = lane; i < pixels; i += FOCAL_FOCUS_GROUP) {
      const float a = views[alphas + (y0 + i / columns) * p.layerWidth + x0 + i % columns];
      bits |= (a > 0.0f ? FOUND_NEAR : 0u) | (a < 0.99999f ? FOUND_OPEN : 0u);
    }
    const int32_t across = (p.width + FOCAL_FLAG_BLOCK - 1) / FOCAL_FLAG_BLOCK;
    const int32_t firstBlock =
        focal_clamp_int(left - FOCAL_COMPOSITE_APRON, 0, p.width - 1) / FOCAL_FLAG_BLOCK;
    const int32_t lastBlock =
        focal_clamp_int(left + FOCAL_COMPOSITE_WIDTH + FOCAL_COMPOSITE_APRON - 1, 0, p.width - 1) /
        FOCAL_FLAG_BLOCK;
    const int32_t firstRow = focal_clamp_int(top - FOCAL_COMPOSITE_APRON, 0, p.height - 1);
    const int32_t endRow =
        focal_clamp_int(top + FOCAL_COMPOSITE_HEIGHT + FOCAL_COMPOSITE_APRON, 0, p.height);
    const int32_t blocks = lastBlock - firstBlock + 1;
    for (int32_t i = lane; i < blocks * (endRow - firstRow); i += FOCAL_FOCUS_GROUP) {
      bits |= FOCAL_UINT(flags[(firstRow + i / blocks) * across + firstBlock + i % blocks]);
    }
  }
  if (bits != 0u) FOCAL_ATOMIC_OR(found[0], bits);
  FOCAL_BARRIER();

  const uint32_t all = found[0];
  FOCAL_BARRIER();
  const bool isNear = (all & FOUND_NEAR) != 0u;
  // Nothing shows through a tile that near objects cover whole.
  const bool isOpen = p.split != 0 && (!isNear || (all & FOUND_OPEN) != 0u);
  const bool isSoft = isOpen && (all & FOCAL_UINT(FocalFlagCircle)) != 0u;
  const bool isFilled =
      isOpen && (all & FOCAL_UINT(FocalFlagCircle | FocalFlagEdge | FocalFlagFocused)) != 0u;
  const bool isSource = isFilled && !isNear &&
                        (all & FOCAL_UINT(FocalFlagCircle | FocalFlagEdge | FocalFlagSoft)) == 0u;
  const int32_t apron = isSoft ? FOCAL_COMPOSITE_APRON : 0;
  const int32_t x0 = focal_max_int(left - apron, 0), y0 = focal_max_int(top - apron, 0);
  const int32_t x1 = focal_min_int(left + FOCAL_COMPOSITE_WIDTH + apron, p.width);
  const int32_t y1 = focal_min_int(top + FOCAL_COMPOSITE_HEIGHT + apron, p.height);
  const int32_t columns = x1 - x0, pixels = columns * (y1 - y0);
  if (isSoft) {
    bool isAny = false;
    for (int32_t i = lane; i < pixels; i += FOCAL_FOCUS_GROUP) {
      const float r = radius[(y0 + i / columns) * p.width + x0 + i % columns];
      isAny = isAny || isBeforePlate(FOCAL_PASSES r);
    }
    if (isAny) FOCAL_ATOMIC_OR(found[0], FOUND_BEFORE);
  }
  FOCAL_BARRIER();

  const bool isBefore = (found[0] & FOUND_BEFORE) != 0u;
  if (isFilled && !isSource) {
    int32_t low = one, high = 0, soft = one;
    for (int32_t i = lane; i < pixels; i += FOCAL_FOCUS_GROUP) {
      const int32_t px = x0 + i % columns, py = y0 + i / columns;
      const PlatePixel pixel = platePixel(FOCAL_PASSES px, py, isSoft, isBefore);
      const int32_t opacity = FOCAL_INT(focal_float_to_bits(pixel.opacity));
      low = focal_min_int(low, opacity);
      high = focal_max_int(high, opacity);
      soft = focal_max_int(soft, FOCAL_INT(focal_float_to_bits(pixel.circle)));
      if (isBefore) {
        const float circle = beforePixel(FOCAL_PASSES px, py).circle;
        soft = focal_max_int(soft, FOCAL_INT(focal_float_to_bits(circle)));
      }
    }
    FOCAL_ATOMIC_MIN(lowest[0], low);
    FOCAL_ATOMIC_MAX(highest[0], high);
    FOCAL_ATOMIC_MAX(largest[0], soft);
  }
  FOCAL_BARRIER();

  if (lane != 0) return;
  uint32_t record = isNear ? FOCAL_UINT(FocalFocusNear) : 0u;
  if (isSource) {
    record = FOCAL_UINT(FocalFocusSource);
  } else {
    const bool isSolid = isFilled && lowest[0] >= one;
    if (isOpen && !isSolid) record |= FOCAL_UINT(FocalFocusFar);
    if (isFilled && highest[0] > 0) record |= FOCAL_UINT(FocalFocusDrawn);
    if (isSolid) record |= FOCAL_UINT(FocalFocusSolid);
    if (isBefore) record |= FOCAL_UINT(FocalFocusBefore);
    if (isSoft) {
      const float circle = focal_bits_to_float(FOCAL_UINT(largest[0]));
      record |= FOCAL_UINT(FocalFocusSoft);
      if (circle > 1.0f) {
        const int32_t taps = FOCAL_INT(focal_min(circle, FOCAL_FLOAT(FOCAL_COMPOSITE_APRON)));
        record |= FOCAL_UINT(taps) << FOCAL_UINT(FOCAL_FOCUS_TAPS);
      }
    }
  }
  tiles[item] = record;
}

FOCAL_ENTRY(classifyFocus)
