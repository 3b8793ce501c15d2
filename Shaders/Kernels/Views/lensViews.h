// SPDX-License-Identifier: Apache-2.0
//
// The picture seen from every point of the lens, averaged: for each lens point the slices of a
// tile, shifted by their own amounts, are composed from near to far; the near and the far group are
// summed apart. Grid: pixels of the largest tile by tiles of the batch, in workgroups of
// FOCAL_CELL_WIDTH x FOCAL_CELL_HEIGHT.
//
// First the workgroup lists the slots that can reach one of its pixels from any point: the others
// would add zero. Then it goes through the lens points in portions, for which it first finds by how
// much each slot is shifted. The processor passes over empty runs of a row, and on once sixteen
// lanes are closed; an invocation that reads zeros, or stops when it is closed itself, adds the
// same.

#include "focal_views.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t tile = p.firstTile + z;
  const int32_t width = tiles[tile].width, height = tiles[tile].height;
  const int32_t reach = tiles[tile].reach;
  const int32_t stride = tiles[tile].stride, rows = tiles[tile].rows;
  const int32_t slots = tiles[tile].slots, nearSlots = tiles[tile].nearSlots;
  const int32_t set = tiles[tile].lensSet;
  const int32_t lensCount = p.lensCount[set];
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_CELL_WIDTH + FOCAL_LOCAL_X();

  // The slots that can reach this workgroup.
  float moved = 0.0f;
  if (lane < slots) {
    const float radius = focal_radiusOf(p.slicing, FOCAL_FLOAT(tiles[tile].slice[lane]));
    const float spread = focal_spreadWidth(radius, lensCount, p.cell[set]);
    moved = focal_movedRadius(radius, spread, p.extraVariance);
    const int32_t far = FOCAL_INT(focal_abs(moved)) + 1 + 2 * focal_spreadTaps(spread);
    const int32_t left = x - FOCAL_LOCAL_X() + reach, top = y - FOCAL_LOCAL_Y() + reach;
    const int32_t firstX = focal_max_int(left - far, 0) / FOCAL_CELL_WIDTH;
    const int32_t firstY = focal_max_int(top - far, 0) / FOCAL_CELL_HEIGHT;
    const int32_t lastX =
        focal_min_int(left + FOCAL_CELL_WIDTH - 1 + far, stride - 1) / FOCAL_CELL_WIDTH;
    const int32_t lastY =
        focal_min_int(top + FOCAL_CELL_HEIGHT - 1 + far, rows - 1) / FOCAL_CELL_HEIGHT;
    uint32_t bits = 0u;
    for (int32_t cy = firstY; cy <= lastY; cy++) {
      for (int32_t cx = firstX; cx <= lastX; cx++) {
        bits |= cells[2 * ((z * p.cellsDown + cy) * p.cellsAcross + cx) + (lane >> 5)];
      }
    }
    isPresent[lane] = FOCAL_INT((bits >> FOCAL_UINT(lane & 31)) & 1u);
  }
  FOCAL_BARRIER();
  if (lane < slots && isPresent[lane] != 0) {
    int32_t before = 0;
    for (int32_t j = 0; j < lane; j++) before += isPresent[j];
    slotMoved[before] = moved;
    slotPlane[before] = lane * stride * rows;
  }
  if (lane == 0) {
    int32_t near = 0, all = 0;
    for (int32_t j = 0; j < slots; j++) {
      all += isPresent[j];
      if (j < nearSlots) near = all;
    }
    slotCounts[0] = near;
    slotCounts[1] = all;
  }
  FOCAL_BARRIER();

  const bool isInside = x < width && y < height;
  const int32_t nearCount = slotCounts[0], count = slotCounts[1];
  const int32_t q = z * p.tileCapacity + (y + reach) * stride + x + reach;
  const float4 zero = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 near = zero, far = zero;
  const int32_t portion = FOCAL_VIEW_OFFSETS / focal_max_int(count, 1);
  for (int32_t first = 0; count > 0 && first < lensCount; first += portion) {
    const int32_t offsets = focal_min_int(portion, lensCount - first) * count;
    for (int32_t i = lane; i < offsets; i += FOCAL_CELL_PIXELS) {
      const int32_t point = 2 * (p.lensStart[set] + first + i / count);
      const float radius = slotMoved[i % count];
      slotOffsets[i] = slotPlane[i % count] - focal_roundedAway(lens[point] * radius) -
                       focal_roundedAway(lens[point + 1] * radius) * stride;
    }
    FOCAL_BARRIER();
    for (int32_t view = 0; isInside && view < offsets; view += count) {
      // The share that the slots before let through.
      float through = 1.0f;
      float4 sum = near;
      for (int32_t i = 0; i < nearCount && through > 0.0f; i++) {
        const float4 c = pool[q + slotOffsets[view + i]];
        sum = sum + through * c;
        const float left = through - through * c.w;
        through = left > FOCAL_NO_LIGHT ? left : 0.0f;
      }
      sum.w = near.w + (1.0f - through);
      near = sum;
      const float open = through;
      sum = far;
      for (int32_t i = nearCount; i < count && through > 0.0f; i++) {
        const float4 c = pool[q + slotOffsets[view + i]];
        sum = sum + through * c;
        const float left = through - through * c.w;
        through = left > FOCAL_NO_LIGHT ? left : 0.0f;
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
