// SPDX-License-Identifier: Apache-2.0
//
// The picture seen from every point of the lens, averaged: for each lens point the slices of a
// tile, shifted by their own amounts, are composed from near to far; the near and the far group are
// summed apart. Grid: pixels of the largest tile by tiles of the batch, in workgroups of
// FOCAL_CELL_WIDTH x FOCAL_CELL_HEIGHT.
//
// After the slots are listed, the workgroup goes through the lens points in portions, for which it first finds
// by how much each slot is shifted, and which then hold anything in its reach. The processor passes over empty runs of a row, and on once sixteen
// lanes are closed; an invocation that reads zeros, or stops when it is closed itself, adds the
// same.

#include "seen_slots.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t tile = p.firstTile + z;
  const int32_t width = tiles[tile].width, height = tiles[tile].height;
  const int32_t reach = tiles[tile].reach;
  const int32_t stride = tiles[tile].stride, rows = tiles[tile].rows;
  const int32_t set = tiles[tile].lensSet;
  const int32_t lensCount = p.lensCount[set];
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_CELL_WIDTH + FOCAL_LOCAL_X();
  listSlots(FOCAL_PASSES x, y, z);

  const bool isInside = x < width && y < height;
  const int32_t nearCount = slotCounts[0], count = slotCounts[1];
  const int32_t q = z * p.tileCapacity + (y + reach) * stride + x + reach;
  const float4 zero = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 near = zero, far = zero;
  const int32_t left = x - FOCAL_LOCAL_X() + reach, top = y - FOCAL_LOCAL_Y() + reach;
  const int32_t portion = FOCAL_VIEW_OFFSETS / focal_max_int(count, 1);
  for (int32_t first = 0; count > 0 && first < lensCount; first += portion) {
    const int32_t offsets = focal_min_int(portion, lensCount - first) * count;
    for (int32_t i = lane; i < offsets; i += FOCAL_CELL_PIXELS) {
      const int32_t point = 2 * (p.lensStart[set] + first + i / count), slot = i % count;
      slotOffsets[i] = slotOffset(
          FOCAL_PASSES slot, focal_roundedAway(lens[point] * slotMoved[slot]),
          focal_roundedAway(lens[point + 1] * slotMoved[slot]), left, top, stride, rows, z);
    }
    FOCAL_BARRIER();
    for (int32_t view = 0; isInside && view < offsets; view += count) {
      // The share that the slots before let through.
      float through = 1.0f;
      float4 sum = near;
      for (int32_t i = 0; i < nearCount && through > 0.0f; i++) {
        const int32_t offset = slotOffsets[view + i];
        if (offset == FOCAL_NO_SLOT) continue;
        const float4 c = pool[q + offset];
        sum = sum + through * c;
        const float rest = through - through * c.w;
        through = rest > FOCAL_NO_LIGHT ? rest : 0.0f;
      }
      sum.w = near.w + (1.0f - through);
      near = sum;
      const float open = through;
      sum = far;
      for (int32_t i = nearCount; i < count && through > 0.0f; i++) {
        const int32_t offset = slotOffsets[view + i];
        if (offset == FOCAL_NO_SLOT) continue;
        const float4 c = pool[q + offset];
        sum = sum + through * c;
        const float rest = through - through * c.w;
        through = rest > FOCAL_NO_LIGHT ? rest : 0.0f;
      }
      sum.w = far.w + (open - through);
      far = sum;
    }
    FOCAL_BARRIER();
  }
  if (!isInside) return;
  if (lensCount > 1) {
    const float share = focal_reciprocal(FOCAL_FLOAT(lensCount));
    near = near * share;
    far = far * share;
  }
  const int32_t plane = p.width * focal_rows(p.rows, p.height);
  const int32_t o = (tiles[tile].y + y - p.originY) * p.width + tiles[tile].x + x;
  views[FocalViewNearR * plane + o] = near.x;
  views[FocalViewNearG * plane + o] = near.y;
  views[FocalViewNearB * plane + o] = near.z;
  views[FocalViewNearAlpha * plane + o] = near.w;
  views[FocalViewFarR * plane + o] = far.x;
  views[FocalViewFarG * plane + o] = far.y;
  views[FocalViewFarB * plane + o] = far.z;
  views[FocalViewFarWeight * plane + o] = far.w;
}

FOCAL_ENTRY(lensViews)
