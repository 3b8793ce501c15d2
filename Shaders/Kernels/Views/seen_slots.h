// SPDX-License-Identifier: Apache-2.0
//
// The slots of a tile that can reach one of a workgroup's pixels from any point of the lens: the others would add
// zero. lensViews and weightedViews share this file.
#pragma once

#include "focal_views.h"

/// Lists the slots in the workgroup's memory: which they are, by how much they move at the lens' edge, how far they
/// are spread, and how many there are, in the near group (with weights: in front of the focus) and in all.
FOCAL_FUNCTION void listSlots(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t tile = p.firstTile + z;
  const int32_t reach = tiles[tile].reach;
  const int32_t stride = tiles[tile].stride, rows = tiles[tile].rows;
  const int32_t slots = tiles[tile].slots, nearSlots = tiles[tile].nearSlots;
  const int32_t set = tiles[tile].lensSet;
  const int32_t lensCount = p.lensCount[set];
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_CELL_WIDTH + FOCAL_LOCAL_X();
  float moved = 0.0f;
  int32_t halo = 0;
#if defined(FOCAL_WEIGHTED)
  float movedDown = 0.0f;
#endif
  if (lane < slots) {
    const float radius = focal_radiusOf(p.slicing, FOCAL_FLOAT(tiles[tile].slice[lane]));
    const float spread = focal_spreadWidth(radius, lensCount, p.cell[set]);
    moved = focal_movedRadius(radius, spread, p.extraVariance, p.narrowX);
    float most = focal_abs(moved);
#if defined(FOCAL_WEIGHTED)
    movedDown = focal_movedRadius(radius, spread, p.extraVariance, p.narrowY);
    most = focal_max(most, focal_abs(movedDown));
#endif
    halo = 2 * focal_spreadTaps(spread);
    const int32_t far = FOCAL_INT(most) + 1 + halo;
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
#if defined(FOCAL_WEIGHTED)
    slotMovedDown[before] = movedDown;
#endif
    slotIndex[before] = lane;
    slotHalo[before] = halo;
  }
  if (lane == 0) {
    int32_t near = 0, all = 0;
    for (int32_t j = 0; j < slots; j++) {
      all += isPresent[j];
#if defined(FOCAL_WEIGHTED)
      if (tiles[tile].slice[j] > 0) near = all;
#else
      if (j < nearSlots) near = all;
#endif
    }
    slotCounts[0] = near;
    slotCounts[1] = all;
  }
  FOCAL_BARRIER();
}

/// Where a pixel's place in slot `i` of the list lies from its place in the tile's first, for a lens point that moves the
/// slot by (dx, dy); FOCAL_NO_SLOT if it holds nothing there for any of the workgroup's pixels, whose
/// first is (left, top) of the window.
FOCAL_FUNCTION int32_t slotOffset(FOCAL_TAKES int32_t i, int32_t dx, int32_t dy, int32_t left,
                                  int32_t top, int32_t stride, int32_t rows, int32_t z) {
  const int32_t slot = slotIndex[i], halo = slotHalo[i], x = left - dx, y = top - dy;
  const int32_t firstX = focal_max_int(x - halo, 0) / FOCAL_CELL_WIDTH;
  const int32_t firstY = focal_max_int(y - halo, 0) / FOCAL_CELL_HEIGHT;
  const int32_t lastX =
      focal_min_int(x + FOCAL_CELL_WIDTH - 1 + halo, stride - 1) / FOCAL_CELL_WIDTH;
  const int32_t lastY =
      focal_min_int(y + FOCAL_CELL_HEIGHT - 1 + halo, rows - 1) / FOCAL_CELL_HEIGHT;
  uint32_t bits = 0u;
  for (int32_t cy = firstY; cy <= lastY; cy++) {
    for (int32_t cx = firstX; cx <= lastX; cx++) {
      bits |= cells[2 * ((z * p.cellsDown + cy) * p.cellsAcross + cx) + (slot >> 5)];
    }
  }
  const bool isThere = ((bits >> FOCAL_UINT(slot & 31)) & 1u) != 0u;
  return isThere ? slot * stride * rows - dx - dy * stride : FOCAL_NO_SLOT;
}
