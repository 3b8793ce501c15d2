// SPDX-License-Identifier: Apache-2.0
//
// One pass of the box that spreads slices over their lens cell: along columns from the pool to its
// twin, or along rows and back, each twice a frame. Grid: pixels of the largest window by tiles of
// the batch.
//
// The processor filters the covered rectangle of a slot; here a pixel is filtered where an occupied
// cell can reach it, and elsewhere is zero already. Along rows nothing is written within a box of
// the window's sides, as there: the pool still holds the unfiltered columns. Along columns the
// reach is one box more, so that what the rows read is always written.

#include "focal_views.h"

/// Where the twin keeps slot `j` of slice `k`: spread slices are the outermost, so that those in front of the focus come
/// first, and those behind it last.
FOCAL_FUNCTION int32_t twinSlot(FOCAL_TAKES int32_t j, int32_t k, int32_t slots) {
  return k > 0 ? j : p.twinSlots - (slots - j);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t tile = p.firstTile + z;
  const int32_t stride = tiles[tile].stride, rows = tiles[tile].rows;
  if (x >= stride || y >= rows) return;
  const int32_t slots = tiles[tile].slots, set = tiles[tile].lensSet;
  if (slots == 0) return;
  const int32_t lensCount = p.lensCount[set];
  const float cell = p.cell[set];
  // Slices are in order: the largest circle is the first's or the last's.
  const int32_t largest = focal_max_int(tiles[tile].slice[0], -tiles[tile].slice[slots - 1]);
  const int32_t widest = focal_spreadTaps(
      focal_spreadWidth(focal_radiusOf(p.slicing, FOCAL_FLOAT(largest)), lensCount, cell));
  if (widest == 0) return;

  const int32_t reach = (p.axis == 0 ? 3 : 2) * widest;
  const int32_t firstX = focal_max_int(x - reach, 0) / FOCAL_CELL_WIDTH;
  const int32_t lastX = focal_min_int(x + reach, stride - 1) / FOCAL_CELL_WIDTH;
  const int32_t firstY = focal_max_int(y - reach, 0) / FOCAL_CELL_HEIGHT;
  const int32_t lastY = focal_min_int(y + reach, rows - 1) / FOCAL_CELL_HEIGHT;
  uint32_t low = 0u, high = 0u;
  for (int32_t cy = firstY; cy <= lastY; cy++) {
    for (int32_t cx = firstX; cx <= lastX; cx++) {
      const int32_t i = 2 * ((z * p.cellsDown + cy) * p.cellsAcross + cx);
      low |= cells[i];
      high |= cells[i + 1];
    }
  }

  const int32_t plane = stride * rows;
  const int32_t length = p.axis == 0 ? rows : stride, step = p.axis == 0 ? stride : 1;
  const int32_t at = p.axis == 0 ? y : x;
  for (int32_t j = 0; j < slots; j++) {
    if (!focal_hasBit(low, high, j)) continue;
    const int32_t slice = tiles[tile].slice[j];
    const float radius = focal_radiusOf(p.slicing, FOCAL_FLOAT(slice));
    const float width = focal_spreadWidth(radius, lensCount, cell);
    if (!(width > 1.0f)) continue;
    const float beyond = 0.5f * (width - 1.0f);
    const int32_t whole = FOCAL_INT(beyond), taps = whole + 1;
    const float scale = focal_reciprocal(width), edge = (beyond - FOCAL_FLOAT(whole)) * scale;
    const int32_t o = y * stride + x;
    const int32_t own = z * p.tileCapacity + j * plane + o;
    const int32_t other = z * p.twinCapacity + twinSlot(FOCAL_PASSES j, slice, slots) * plane + o;
    const int32_t q = p.axis == 0 ? own : other, written = p.axis == 0 ? other : own;
    if (at < taps || at >= length - taps) {
      if (p.axis == 0) result[written] = source[q];
      continue;
    }
    float4 sum = source[q] * scale;
    for (int32_t i = 1; i <= taps; i++) {
      const float w = i == taps ? edge : scale;
      sum = sum + w * (source[q - i * step] + source[q + i * step]);
    }
    result[written] = sum;
  }
}

FOCAL_ENTRY(prefilterSlices)
