// SPDX-License-Identifier: Apache-2.0
//
// Spreads slices over their lens cell by boxes, each along columns, then along rows: both of them from the pool's twin to
// the pool, or, where taps are many, one from the pool to the twin and the other back. Grid: pixels of the
// largest window by tiles of the batch, in workgroups of FOCAL_CELL_WIDTH x FOCAL_CELL_HEIGHT.
//
// The processor filters the covered rectangle of a slot; here a workgroup filters a slot if an occupied cell can reach
// its cell, writes zeros where a view may read beside such a cell, and elsewhere nothing. The boxes' results for its
// surroundings stay in the workgroup's memory. Along columns nothing is filtered within a box of the window's ends,
// nor along rows, where the columns go back to what they were before the box.

#include "focal_bits.h"
#include "spread_slots.h"

/// Whether a cell that holds something in slot `j` lies within so many columns and rows of the workgroup's cell.
FOCAL_FUNCTION bool isOccupiedWithin(FOCAL_TAKES int32_t columns, int32_t rowsAround, int32_t left,
                                     int32_t top, int32_t z, int32_t j) {
  const int32_t firstX = focal_max_int(left - columns, 0) / FOCAL_CELL_WIDTH;
  const int32_t firstY = focal_max_int(top - rowsAround, 0) / FOCAL_CELL_HEIGHT;
  const int32_t lastX =
      focal_min_int((left + FOCAL_CELL_WIDTH - 1 + columns) / FOCAL_CELL_WIDTH, p.cellsAcross - 1);
  const int32_t lastY = focal_min_int((top + FOCAL_CELL_HEIGHT - 1 + rowsAround) / FOCAL_CELL_HEIGHT,
                                      p.cellsDown - 1);
  uint32_t bits = 0u;
  for (int32_t cy = firstY; cy <= lastY; cy++) {
    for (int32_t cx = firstX; cx <= lastX; cx++) {
      bits |= cells[2 * ((z * p.cellsDown + cy) * p.cellsAcross + cx) + (j >> 5)];
    }
  }
  return ((bits >> FOCAL_UINT(j & 31)) & 1u) != 0u;
}

/// Finds the slots that the workgroup filters, and those in which it clears its cell.
FOCAL_FUNCTION void findSpread(FOCAL_TAKES int32_t tile, int32_t lane, int32_t left, int32_t top,
                               int32_t z) {
  const int32_t slots = tiles[tile].slots, set = tiles[tile].lensSet;
  if (lane < FOCAL_SPREAD_WORDS) spreadSlots[lane] = 0u;
  FOCAL_BARRIER();
  if (lane < slots) {
    const float radius = focal_radiusOf(p.slicing, FOCAL_FLOAT(tiles[tile].slice[lane]));
    const int32_t taps =
        focal_spreadTaps(focal_spreadWidth(radius, p.lensCount[set], p.cell[set]));
    // A workgroup of views reads what lies beside a cell in its reach; so does the second box.
    const int32_t beside = 3 * taps;
    const bool isRead =
        taps > 0 && isOccupiedWithin(FOCAL_PASSES beside + FOCAL_CELL_WIDTH - 1,
                                     beside + FOCAL_CELL_HEIGHT - 1, left, top, z, lane);
    const bool isReached =
        isRead && isOccupiedWithin(FOCAL_PASSES 2 * taps, 2 * taps, left, top, z, lane);
    if (isRead) {
      FOCAL_ATOMIC_OR(spreadSlots[(isReached ? 0 : 2) + (lane >> 5)],
                      1u << FOCAL_UINT(lane & 31));
    }
  }
  FOCAL_BARRIER();
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t tile = p.firstTile + z;
  const int32_t stride = tiles[tile].stride, rows = tiles[tile].rows;
  const int32_t set = tiles[tile].lensSet;
  const int32_t column = FOCAL_LOCAL_X(), line = FOCAL_LOCAL_Y();
  const int32_t lane = line * FOCAL_CELL_WIDTH + column;
  const int32_t left = x - column, top = y - line;
  findSpread(FOCAL_PASSES tile, lane, left, top, z);

  const bool isInside = x < stride && y < rows;
  const int32_t plane = stride * rows;
  FocalBits cleared = {spreadSlots[2], spreadSlots[3]};
  while (isInside && (cleared.low | cleared.high) != 0u) {
    const int32_t j = focal_highestOf(cleared);
    cleared = focal_toggled(cleared, j);
    const int32_t to = p.isFromPool != 0 ? twinSlot(FOCAL_PASSES tile, j, plane, z)
                                         : poolSlot(FOCAL_PASSES j, plane, z);
    result[to + y * stride + x] =
        FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  FocalBits filtered = {spreadSlots[0], spreadSlots[1]};
  while ((filtered.low | filtered.high) != 0u) {
    const int32_t j = focal_highestOf(filtered);
    filtered = focal_toggled(filtered, j);
    const float radius = focal_radiusOf(p.slicing, FOCAL_FLOAT(tiles[tile].slice[j]));
    const float width = focal_spreadWidth(radius, p.lensCount[set], p.cell[set]);
    const float beyond = 0.5f * (width - 1.0f);
    const int32_t whole = FOCAL_INT(beyond), taps = whole + 1;
    const float scale = focal_reciprocal(width), edge = (beyond - FOCAL_FLOAT(whole)) * scale;
    const int32_t inPool = poolSlot(FOCAL_PASSES j, plane, z);
    const int32_t inTwin = twinSlot(FOCAL_PASSES tile, j, plane, z);
    const int32_t from = p.isFromPool != 0 ? inPool : inTwin;
    const int32_t to = p.isFromPool != 0 ? inTwin : inPool;

    // The cell and what its boxes read around it.
    const int32_t apron = p.boxes * taps;
    const int32_t across = FOCAL_CELL_WIDTH + 2 * apron, down = FOCAL_CELL_HEIGHT + 2 * apron;
    const int32_t firstX = left - apron, firstY = top - apron;
    // Behind them in the workgroup's memory, the rows that a box gives, filtered along columns.
    const int32_t columns = across * down;
    for (int32_t box = 1; box <= p.boxes; box++) {
      // Rows that the box gives; columns of them that it reads.
      const int32_t inset = box * taps, height = down - 2 * inset;
      const int32_t read = inset - taps, reads = across - 2 * read;
      for (int32_t i = lane; i < reads * height; i += FOCAL_CELL_PIXELS) {
        const int32_t ax = read + i % reads, ay = inset + i / reads;
        const int32_t wx = firstX + ax, wy = firstY + ay, o = ay * across + ax;
        const bool isWithin = wx >= 0 && wx < stride && wy >= 0 && wy < rows;
        const bool isFiltered = isWithin && wy >= taps && wy < rows - taps;
        float4 sum = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
        if (box > 1) {
          sum = spread[o];
          if (isFiltered) {
            sum = sum * scale;
            for (int32_t k = 1; k <= taps; k++) {
              const float w = k == taps ? edge : scale;
              sum = sum + w * (spread[o - k * across] + spread[o + k * across]);
            }
          }
        } else if (isWithin) {
          const int32_t at = from + wy * stride + wx;
          sum = source[at];
          if (isFiltered) {
            sum = sum * scale;
            for (int32_t k = 1; k <= taps; k++) {
              const float w = k == taps ? edge : scale;
              sum = sum + w * (source[at - k * stride] + source[at + k * stride]);
            }
          }
        }
        spread[columns + o - taps * across] = sum;
      }
      FOCAL_BARRIER();
      const int32_t wide = across - 2 * inset;
      for (int32_t i = lane; i < wide * height; i += FOCAL_CELL_PIXELS) {
        const int32_t ax = inset + i % wide, ay = inset + i / wide;
        const int32_t wx = firstX + ax, wy = firstY + ay;
        const int32_t above = (ay - taps) * across + ax, o = columns + above;
        const bool isWithin = wx >= 0 && wx < stride && wy >= 0 && wy < rows;
        float4 sum = spread[o];
        if (wx >= taps && wx < stride - taps) {
          sum = sum * scale;
          for (int32_t k = 1; k <= taps; k++) {
            const float w = k == taps ? edge : scale;
            sum = sum + w * (spread[o - k] + spread[o + k]);
          }
        } else if (isWithin) {
          sum = source[from + wy * stride + wx];
        }
        if (box < p.boxes) {
          spread[above + taps * across] = sum;
        } else if (isWithin) {
          result[to + wy * stride + wx] = sum;
        }
      }
      FOCAL_BARRIER();
    }
  }
}

FOCAL_ENTRY(prefilterSlices)
